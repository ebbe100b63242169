//! `cargo lab reference`: the pages that are made from what crates declare. `cargo xtask docs` starts it.
//!
//! * `docs/rules/<CODE>.md` and their index, from the rule files of all crates;
//! * `docs/reference/pjrt-abi.md` and the pages that it links, from the ABI data of `unskew-pjrt`;
//! * `docs/reference/stream-executor-abi.md`, from the ABI data of `unskew-stream-executor`;
//! * `docs/reference/ifrt-types.md`, from what the types of `unskew-ifrt` declare;
//! * `docs/reference/operator-upgraders.md`, from the registry of PyTorch's operators and what ran on real releases.
#![forbid(unsafe_code)]

mod ifrt_types;
mod operator_upgraders;
mod pjrt_abi;
mod rules;
mod stream_executor_abi;

use unskew_lab_harness::{Subject, pages};

/// What is done with the pages.
#[derive(clap::Args)]
struct Reference {
    /// Writes nothing, and fails if a page is stale.
    #[arg(long)]
    check: bool,
}

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml")).with("reference", run).run()
}

fn run(reference: &Reference) -> anyhow::Result<()> {
    let mut made = rules::pages();
    made.extend(pjrt_abi::pages());
    made.insert(ifrt_types::PAGE.into(), ifrt_types::page());
    made.insert(stream_executor_abi::PAGE.into(), stream_executor_abi::page());
    let operators = operator_upgraders::page(unskew_peers::root())?;
    made.insert(operator_upgraders::PAGE.into(), operators);
    pages::write(&made, &[rules::FOLDER, pjrt_abi::FOLDER], reference.check)
}
