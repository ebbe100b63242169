//! `cargo lab reference`: the pages that are made from what crates declare. `cargo xtask docs` starts it.
//!
//! * `docs/rules/<CODE>.md` and their index, from the rule files of all crates;
//! * `docs/reference/pjrt-abi.md` and the pages that it links, from the ABI data of `unskew-pjrt`;
//! * `docs/reference/stream-executor-abi.md`, from the ABI data of `unskew-stream-executor`;
//! * `docs/reference/ifrt-types.md`, from what the types of `unskew-ifrt` declare;
//! * `docs/reference/operator-upgraders.md`, from the registry of PyTorch's operators and what ran on real releases;
//! * `docs/reference/fleet-api.md`, from the endpoints of `unskew-fleet-service`;
//! * `docs/reference/json.md`, `stamped-executables.md`, `native-stablehlo.md`, `fleet-runtime.md`, `fleet-decision.md` and
//!   `fleet-plan.md`, from the heads of modules.
//!
//! Git ignores all of them: `cargo xtask site` publishes them, and committed pages link them there.
#![forbid(unsafe_code)]

mod ifrt_types;
mod modules;
mod operator_upgraders;
mod pjrt_abi;
mod rules;
mod stream_executor_abi;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use unskew_lab_harness::links::{Files, LinkTargets};
use unskew_lab_harness::{Subject, pages};

/// The folder of the docs; what lies in it goes to the same place in the site.
const DOCS: &str = "docs";

/// How every page begins that is made here.
const MADE: &str = "<!-- made by `cargo xtask docs`";

/// What is done with the pages.
#[derive(clap::Args)]
struct Reference {
    /// Writes nothing, and fails if a page is not made or a link of the docs leads nowhere.
    #[arg(long)]
    check: bool,
}

fn main() -> anyhow::Result<()> {
    Subject::new(include_str!("../experiments.toml")).with("reference", run).run()
}

fn run(reference: &Reference) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let made = made(root)?;
    let dead = dead_links(root, &made)?;
    ensure!(dead.is_empty(), "links that lead nowhere:\n{}", dead.join("\n"));
    if reference.check {
        println!("docs: {} pages can be made, and every link leads somewhere", made.len());
        return Ok(());
    }
    pages::write(&made, &[rules::FOLDER, pjrt_abi::FOLDER])
}

fn made(root: &Path) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let mut made = rules::pages();
    made.extend(pjrt_abi::pages());
    made.insert(ifrt_types::PAGE.into(), ifrt_types::page());
    made.insert(stream_executor_abi::PAGE.into(), stream_executor_abi::page());
    made.insert("docs/reference/fleet-api.md".into(), unskew_fleet_service::reference::page());
    made.insert(operator_upgraders::PAGE.into(), operator_upgraders::page(root)?);
    made.extend(modules::pages(root)?);
    Ok(made)
}

/// The links that lead nowhere, of the pages that are made and of those that are committed: `PAGE:LINE: TARGET`.
fn dead_links(root: &Path, made: &BTreeMap<PathBuf, String>) -> anyhow::Result<Vec<String>> {
    let mut texts = made.clone();
    for name in [
        "README.md",
        "CONTRIBUTING.md",
        "ARCHITECTURE.md",
        "BENCHMARKS.md",
        "CHANGELOG.md",
        "SECURITY.md",
    ] {
        texts.insert(name.into(), std::fs::read_to_string(root.join(name))?);
    }
    let mut open = vec![PathBuf::from(DOCS)];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                let text = std::fs::read_to_string(entry.path())?;
                // What was made before lies here too, and may not be made any more.
                if !text.starts_with(MADE) {
                    texts.insert(path, text);
                }
            }
        }
    }
    let place = |path: &PathBuf| match path.strip_prefix(DOCS) {
        Ok(place) => place.to_owned(),
        Err(_) if path == Path::new("README.md") => "index.md".into(),
        Err(_) => path.clone(),
    };
    let files: Files = texts.keys().map(|path| (path.clone(), place(path))).collect();
    let site = LinkTargets { root, files: &files, repository: env!("CARGO_PKG_REPOSITORY") };
    let mut dead = Vec::new();
    for (path, text) in &texts {
        let page = site.rewritten(path, text);
        dead.extend(page.dead.iter().map(|one| format!("{}:{one}", path.display())));
    }
    Ok(dead)
}
