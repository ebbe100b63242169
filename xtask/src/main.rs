//! One-word commands for developers: `cargo xtask test`, `corpus`, `docs`, `site`, `wheel`. What holds verdicts against real
//! releases, takes releases into the database and measures is the laboratory: `cargo lab`.
#![forbid(unsafe_code)]

mod changelog;
mod distributed;
mod docs;
mod fuzz;
mod guides;
mod lab;
mod new_boundary;
mod new_rule;
mod pictures;
mod promise;
mod site;
mod test;
mod wheel;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use unskew_lab_harness::{corpus, environment};

/// One-word commands for developers.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Fetches what tests need, and runs them: without a framework, or with `--real` all that CI runs.
    Test(test::Test),
    /// Builds the site of the docs: search, dark mode, versions; fails at links that lead nowhere.
    Site {
        /// The version that it is of, such as 0.1; of the trunk, dev.
        #[arg(long, default_value = "dev")]
        version: String,
    },
    /// Builds and runs the projects in the guides, outside of this workspace.
    Guides {
        /// The command that they call `unskew`.
        #[arg(long, default_value = "target/debug/unskew")]
        command: PathBuf,
    },
    /// Draws the pictures of the README from what the command prints.
    Pictures {
        /// The command whose output they show.
        #[arg(long, default_value = "target/debug/unskew")]
        command: PathBuf,
        /// Writes nothing; fails if a picture is stale.
        #[arg(long)]
        check: bool,
    },
    /// Freezes the histories and locks of this repository, as the baseline of its own lint.
    Promise,
    /// Writes the changes in `changes/` into CHANGELOG.md, as the section of a release.
    Changelog {
        /// The version of the release.
        version: String,
        /// The day of the release.
        day: unskew_core::Date,
    },
    /// Fetches the real models and plug-ins that tests use.
    Corpus {
        /// Makes the Python environments of all JAX releases, not only of those that the tests need.
        #[arg(long)]
        all_jax: bool,
        /// The same for TensorFlow: more than a gigabyte each.
        #[arg(long)]
        all_tensorflow: bool,
        /// The same for PyTorch: more than a gigabyte each.
        #[arg(long)]
        all_torch: bool,
    },
    /// Writes the requirements of the environment of a release, every package with its hashes.
    Pin {
        /// Such as jax==0.10.2, tensorflow==2.21.0 or torch==2.15.0.
        release: String,
        /// What else to ask of pip, such as numpy==2.1.3.
        others: Vec<String>,
        /// The Pythons to pin for, the first one's choice of versions first, such as 3.12,3.11.
        #[arg(long)]
        python: Option<String>,
    },
    /// Writes the pages that are made from rules and sources.
    Docs {
        /// Writes nothing, and fails if a page is stale.
        #[arg(long)]
        check: bool,
    },
    /// Makes the crate of a new boundary, with its rows in the tables that have all of them.
    NewBoundary {
        /// Where it goes below `crates`: a folder and a name, such as ggml/gguf.
        place: String,
        /// Two letters for the family of its rules.
        code: String,
    },
    /// Makes the files of a new rule: the rule itself, and for headers a fixture and a snapshot.
    NewRule {
        /// Two letters for the family and three digits, such as HD120.
        code: String,
        /// Words joined by hyphens.
        name: String,
    },
    /// Writes a change of an operator into the registry: its entry, its upgrader or downgrader, its test.
    #[command(disable_help_flag = true)]
    NewUpgrader {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Builds and tests what brings DataFusion along, which takes minutes: `unskew scan query`, and the job of Ballista.
    Distributed,
    /// Builds the package for Python: the command, the adapter and the module in one wheel; and tries it.
    Wheel(wheel::Wheel),
    /// Lists the commands of the laboratory, or runs one: `cargo lab`.
    Lab(lab::Lab),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().verb {
        Verb::Test(asked) => test::run(&asked),
        Verb::Wheel(asked) => wheel::run(&asked),
        Verb::Distributed => distributed::run(),
        Verb::Promise => promise::run(),
        Verb::Changelog { version, day } => changelog::run(&version, day),
        Verb::Site { version } => site::run(&version),
        Verb::Pictures { command, check } => {
            pictures::run(&unskew_peers::root().join(command), check)
        }
        Verb::Guides { command } => guides::run(&unskew_peers::root().join(command)),
        Verb::Corpus { all_jax, all_tensorflow, all_torch } => {
            let families =
                [(all_jax, "jax-"), (all_tensorflow, "tensorflow-"), (all_torch, "torch-")];
            corpus::run(
                true,
                families.into_iter().filter(|(all, _)| *all).map(|(_, family)| family),
            )
        }
        Verb::Pin { release, others, python } => {
            environment::pin(&release, &others, python.as_deref())
        }
        Verb::Docs { check } => docs::run(check),
        Verb::NewBoundary { place, code } => new_boundary::run(&place, &code),
        Verb::NewRule { code, name } => new_rule::run(&code, &name),
        Verb::NewUpgrader { arguments } => lab::run("new-upgrader", arguments),
        Verb::Lab(asked) => lab::start(&asked),
    }
}
