//! `cargo xtask test`, in three tiers: what needs no framework; `--real`, with real releases, which CI runs; `--all`. Steps
//! come in the order in which faults are found fastest.

mod programs;
mod transcript;

use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};

use unskew_lab_harness::corpus;

use programs::Program;

/// The features of the command that every tier tests, and that xtask was built with.
const FEATURES: &str = env!("UNSKEW_FEATURES");

/// A step: its name and the arguments of cargo.
type Step<'a> = (&'a str, &'a [&'a str]);

const FORMAT: Step<'_> = ("format", &["fmt", "--all", "--check"]);

/// What takes another build of everything.
const REAL: [Step<'_>; 3] = [
    (
        "clippy",
        &[
            "clippy",
            "--workspace",
            "--features",
            FEATURES,
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ],
    ),
    (
        "packages",
        &["publish", "--workspace", "--dry-run", "--no-verify", "--allow-dirty", "--quiet"],
    ),
    ("documentation", &["doc", "--workspace", "--features", FEATURES, "--no-deps", "--quiet"]),
];

/// Builds the tests and the command at once: another choice of packages would want other features of what is shared.
/// The Python module is built later, by what makes wheels: only there is a Python that it could run in.
const BUILD: &[&str] = &[
    "test",
    "--workspace",
    "--exclude",
    "unskew-python",
    "--features",
    FEATURES,
    "--no-run",
    "--quiet",
    "--message-format",
    "json-render-diagnostics",
];

/// The commit before the last.
const PARENT: &str = "HEAD~1";

/// The examples in docstrings, which are no programs before they are run.
const EXAMPLES: Step<'_> = (
    "examples in docstrings",
    &[
        "test",
        "--doc",
        "--workspace",
        "--exclude",
        "unskew-python",
        "--features",
        FEATURES,
        "--quiet",
    ],
);

/// The command and its golden files, which every crate comes into: a third of the crates, and one of a hundred programs of
/// tests.
const GOLDEN_FILES: Step<'_> = (
    "golden files",
    &[
        "test",
        "--workspace",
        "--exclude",
        "unskew-python",
        "--features",
        FEATURES,
        "--test",
        "cli",
        "--quiet",
    ],
);

/// Which tier of tests is run.
#[derive(clap::Args)]
pub struct Test {
    /// Only the tests of this crate and the golden files: what a change of one line asks for first.
    #[arg(long, value_name = "CRATE", conflicts_with_all = ["real", "all"])]
    quick: Option<String>,
    /// Real releases of JAX, TensorFlow and PyTorch and real servers too, clippy and the documentation: what CI runs.
    #[arg(long)]
    real: bool,
    /// Everything: DataFusion, the job on a cluster, fuzz targets for a minute each, and what tests are ignored for the time
    /// they take.
    #[arg(long)]
    all: bool,
}

/// Fetches what the tests of this tier need, and runs them.
///
/// # Errors
/// If one of them fails.
pub fn run(asked: &Test) -> anyhow::Result<()> {
    if let Some(name) = &asked.quick {
        step(("tests of the crate", &["test", "--package", name, "--quiet"]))?;
        return step(GOLDEN_FILES);
    }
    let real = asked.real || asked.all;
    let families: &[_] = if asked.all { &["jax-", "tensorflow-"] } else { &[] };
    timed("corpus", || corpus::run(real, families.iter().copied()))?;
    timed("docs", || crate::docs::run(true))?;
    step(FORMAT)?;
    if real {
        REAL.into_iter().try_for_each(step)?;
    }
    let programs = build()?;
    lint("our own promises", &[])?;
    if has_parent() {
        lint("our own promises since the last commit", &["--baseline", &format!("git:{PARENT}")])?;
    } else {
        println!("our own promises since the last commit: skipped, this clone has no {PARENT}");
    }
    tests(programs, real)?;
    step(EXAMPLES)?;
    if real {
        timed("guides", || crate::guides::run(&command()))?;
        timed("pictures", || crate::pictures::run(&command(), true))?;
        timed("site", || crate::site::run("dev"))?;
        timed("the Python package", || crate::wheel::test(&command()))?;
        instructions()?;
    }
    if asked.all {
        crate::distributed::run()?;
        crate::fuzz::run()?;
        step(("long tests", &["test", "--workspace", "--features", FEATURES, "--", "--ignored"]))?;
    } else if !real {
        println!("not run: clippy, documentation, real releases (cargo xtask test --real)");
    }
    Ok(())
}

fn step((name, arguments): Step<'_>) -> anyhow::Result<()> {
    timed(name, || {
        let command = || format!("cargo {}", arguments.join(" "));
        let status = cargo(arguments).status().with_context(command)?;
        ensure!(status.success(), "{name} failed: {}", command());
        Ok(())
    })
}

/// Says what begins, since building is silent for minutes, and how long it took.
pub(crate) fn timed<T>(name: &str, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    println!("{name}: running");
    let begun = Instant::now();
    let result = work()?;
    println!("{name}: passed in {} s", begun.elapsed().as_secs());
    Ok(result)
}

/// Counts the instructions of commands, where there is what counts them.
fn instructions() -> anyhow::Result<()> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instructions: skipped, there is no valgrind");
        return Ok(());
    }
    timed("instructions", || crate::lab::run("instructions", []))
}

/// The command, as the tests' build makes it.
fn command() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    unskew_peers::root().join(target).join("debug/unskew")
}

/// Holds the working tree against a baseline: that of `unskew.toml`, unless another one is given.
fn lint(name: &str, arguments: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new(command());
    command.current_dir(unskew_peers::root()).arg("lint").args(arguments);
    timed(name, || {
        let status = command.status().context("target/debug/unskew, which the build makes")?;
        ensure!(status.success(), "{name} failed: {command:?}");
        Ok(())
    })
}

/// Whether there is a commit before the last: a shallow clone has none, nor has what is no repository.
fn has_parent() -> bool {
    let mut git = Command::new("git");
    git.current_dir(unskew_peers::root()).args(["rev-parse", "--verify", "--quiet", PARENT]);
    git.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn build() -> anyhow::Result<Vec<Program>> {
    timed("build", || {
        let cannot = "cargo test --no-run";
        let mut child = cargo(BUILD).stdout(Stdio::piped()).spawn().context(cannot)?;
        let output = child.stdout.take().context("the output of cargo test --no-run")?;
        let programs = programs::built(BufReader::new(output));
        let status = child.wait().context(cannot)?;
        ensure!(status.success(), "build failed: cargo {}", BUILD.join(" "));
        programs
    })
}

/// Runs all tests; prints at the end, once more, what failed.
fn tests(programs: Vec<Program>, real: bool) -> anyhow::Result<()> {
    timed("tests", || {
        let failures = programs::run(programs, ("UNSKEW_REAL", if real { "1" } else { "0" }))?;
        ensure!(failures.is_empty(), "tests failed\n{}", failures.join("\n"));
        Ok(())
    })
}

/// A call of cargo in the root of the repository.
fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(unskew_peers::root()).env("RUSTDOCFLAGS", "-D warnings");
    command
}
