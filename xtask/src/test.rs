//! `cargo xtask test`: everything that CI runs, in the order in which faults are found fastest.

mod transcript;

use std::io::BufReader;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};

/// The steps after corpus and docs: a name and the arguments of cargo.
const STEPS: &[(&str, &[&str])] = &[
    ("format", &["fmt", "--all", "--check"]),
    ("clippy", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
    ("our own promises", LINT),
    ("documentation", &["doc", "--workspace", "--no-deps", "--quiet"]),
];

/// Holds the working tree against the baselines of `unskew.toml`.
const LINT: &[&str] = &["run", "--quiet", "--package", "unskew-cli", "--", "lint"];

/// The commit before the last.
const PARENT: &str = "HEAD~1";

/// The last step.
const TESTS: &[&str] = &["test", "--workspace", "--no-fail-fast", "--", "--show-output"];

/// Fetches the corpus and runs every check.
///
/// # Errors
/// If one of them fails.
pub fn run() -> anyhow::Result<()> {
    crate::corpus::run([])?;
    crate::docs::run(true)?;
    let parent = format!("git:{PARENT}");
    let since_parent = [LINT, &["--baseline", &parent]].concat();
    let since_parent = ("our own promises since the last commit", since_parent.as_slice());
    let has_parent = has_parent();
    if !has_parent {
        println!("our own promises since the last commit: skipped, this clone has no {PARENT}");
    }
    let steps = STEPS.iter().copied().chain(has_parent.then_some(since_parent));
    for (name, arguments) in steps {
        let begun = Instant::now();
        let status =
            cargo(arguments).status().with_context(|| format!("cargo {}", arguments.join(" ")))?;
        ensure!(status.success(), "{name} failed: cargo {}", arguments.join(" "));
        println!("{name}: passed in {} s", begun.elapsed().as_secs());
    }
    tests()
}

/// Whether there is a commit before the last: a shallow clone has none, nor has what is no repository.
fn has_parent() -> bool {
    let mut git = Command::new("git");
    git.current_dir(crate::root()).args(["rev-parse", "--verify", "--quiet", PARENT]);
    git.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Runs all tests; prints at the end, once more, what failed.
fn tests() -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut child = cargo(TESTS).stdout(Stdio::piped()).spawn().context("cargo test")?;
    let output = child.stdout.take().context("the output of cargo test")?;
    let failures = transcript::condense(BufReader::new(output), &mut std::io::stdout().lock())?;
    let status = child.wait().context("cargo test")?;
    ensure!(status.success(), "tests failed: cargo {}\n{}", TESTS.join(" "), failures.join("\n"));
    println!("tests: passed in {} s", begun.elapsed().as_secs());
    Ok(())
}

/// A call of cargo in the root of the repository.
fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(crate::root()).env("RUSTDOCFLAGS", "-D warnings");
    command
}
