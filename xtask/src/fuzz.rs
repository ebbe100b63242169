//! The fuzz targets, each for a minute, as a part of `cargo xtask test --all`.
//!
//! Every compiler can instrument a program for coverage as libFuzzer wants it: `cargo fuzz` gives the same arguments, and
//! needs a nightly only for sanitizers. Unskew's own code is safe Rust but for the modules that ARCHITECTURE.md names, so
//! what a sanitizer would find is found by overflow checks and panics.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};

/// For how long each target runs, in seconds.
const SECONDS: u32 = 60;

/// The most memory of a target, in MiB. One that takes more has failed.
const MEMORY: u32 = 2048;

/// What one input may take, in seconds: targets are slower than the command, by the instrumentation and by judging each file
/// against many releases.
const TIMEOUT: u32 = 25;

const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Builds all targets, fills their corpora with real files, and runs each.
///
/// # Errors
/// If one cannot be built, or an input makes it fail; libFuzzer keeps that in `fuzz/artifacts`.
pub fn run() -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let folder = root.join("fuzz");
    let begun = Instant::now();
    // The seeds come from the sources of the workspace, and one target from its example of a plug-in.
    let seeds = ["run", "--package", "unskew-fuzz-targets", "--example", "seeds"];
    let targets = said(root, &seeds)?;
    step(root, &["build", "--package", "unskew-pjrt-sdk", "--example", "abacus"], "")?;
    step(&folder, &["build", "--release", "--locked", "--bins", "--target", host()?], COVERAGE)?;
    println!("fuzz targets: built in {} s", begun.elapsed().as_secs());
    let program = folder.join("target").join(host()?).join("release/readers");
    let targets: Vec<&str> =
        targets.lines().filter_map(|line| Some(line.split_once('\t')?.0)).collect();
    ensure!(!targets.is_empty(), "no fuzz targets");
    for target in targets {
        let (corpus, kept) = (folder.join("corpus").join(target), folder.join("artifacts"));
        std::fs::create_dir_all(&corpus)?;
        std::fs::create_dir_all(&kept)?;
        let mut command = Command::new(&program);
        command.env("UNSKEW_FUZZ_TARGET", target);
        command.arg(&corpus).arg(format!("-max_total_time={SECONDS}"));
        command.arg(format!("-rss_limit_mb={MEMORY}")).arg(format!("-timeout={TIMEOUT}"));
        command.arg(format!("-artifact_prefix={}/{target}-", kept.display()));
        let output = command.output().with_context(|| program.display().to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = said.lines().rev().take(40).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        ensure!(output.status.success(), "fuzz target {target} failed:\n{}", last.join("\n"));
        let runs = last.iter().rev().find(|line| line.starts_with("Done ")).copied();
        println!("fuzz target {target}: {}", runs.unwrap_or("passed"));
    }
    Ok(())
}

fn step(folder: &Path, arguments: &[&str], flags: &str) -> anyhow::Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(arguments).current_dir(folder);
    if !flags.is_empty() {
        cargo.env("RUSTFLAGS", flags);
    }
    let status = cargo.status().with_context(|| format!("cargo {}", arguments.join(" ")))?;
    ensure!(status.success(), "cargo {} in {} failed", arguments.join(" "), folder.display());
    Ok(())
}

/// The machine that this program runs on, as the compiler names it. With `--target` the instrumentation is not that of
/// build scripts too.
fn host() -> anyhow::Result<&'static str> {
    static HOST: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let ask = || {
        let said = Command::new("rustc").arg("-vV").output().ok()?;
        let said = String::from_utf8(said.stdout).ok()?;
        said.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
    };
    HOST.get_or_init(ask).as_deref().context("rustc -vV names no host")
}

/// What a command of cargo says on its standard output.
fn said(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo.args(arguments).current_dir(folder).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("cargo {}", arguments.join(" ")))?;
    ensure!(output.status.success(), "cargo {} failed", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}
