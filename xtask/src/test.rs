//! `cargo xtask test`: everything that CI runs, in the order in which faults are found fastest.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, ensure};

/// The steps after corpus and docs: a name and the arguments of cargo.
const STEPS: &[(&str, &[&str])] = &[
    ("format", &["fmt", "--all", "--check"]),
    ("clippy", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
    ("documentation", &["doc", "--workspace", "--no-deps", "--quiet"]),
    ("tests", &["test", "--workspace", "--no-fail-fast", "--", "--show-output"]),
];

/// Fetches the corpus and runs every check.
///
/// # Errors
/// If one of them fails.
pub fn run() -> anyhow::Result<()> {
    crate::corpus::run(false, false)?;
    crate::docs::run(true)?;
    for (name, arguments) in STEPS {
        let begun = Instant::now();
        let status = Command::new(env!("CARGO"))
            .args(*arguments)
            .current_dir(crate::root())
            .env("RUSTDOCFLAGS", "-D warnings")
            .status()
            .with_context(|| format!("cargo {}", arguments.join(" ")))?;
        ensure!(status.success(), "{name} failed: cargo {}", arguments.join(" "));
        println!("{name}: passed in {} s", begun.elapsed().as_secs());
    }
    Ok(())
}
