//! `cargo xtask distributed`: what brings DataFusion along, built and tested. It stands apart from `test`, because some
//! hundreds of crates are built for it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// What is run in which folder: a name, the folder, the arguments of cargo.
const STEPS: [(&str, &str, &[&str]); 6] = [
    (
        "clippy of scan query",
        ".",
        &[
            "clippy",
            "-p",
            "unskew-scan",
            "--features",
            "query",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ),
    (
        "tables asked",
        ".",
        &["test", "-p", "unskew-scan", "--features", "query", "--test", "it", "query::"],
    ),
    (
        "the command asks",
        ".",
        &["test", "-p", "unskew-cli", "--features", "query", "--test", "it", "store::"],
    ),
    ("format of the job", "distributed", &["fmt", "--check"]),
    (
        "clippy of the job",
        "distributed",
        &["clippy", "--locked", "--all-targets", "--", "-D", "warnings"],
    ),
    ("the job on a cluster", "distributed", &["test", "--locked"]),
];

/// Runs every step.
///
/// # Errors
/// If one of them fails.
pub fn run() -> anyhow::Result<()> {
    for (name, folder, arguments) in STEPS {
        let folder: PathBuf = unskew_peers::root().join(folder);
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&folder).args(arguments);
        crate::test::timed(name, || {
            let command = || format!("cargo {}", arguments.join(" "));
            let status = cargo.status().with_context(command)?;
            ensure!(status.success(), "{name} failed: {}", command());
            Ok(())
        })?;
    }
    Ok(())
}
