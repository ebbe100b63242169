//! The fuzz targets, each for a minute, as a part of `cargo xtask test --all`.
//!
//! Every compiler can instrument a program for coverage as libFuzzer wants it: `cargo fuzz` gives the same arguments, and
//! needs a nightly only for sanitizers. Unskew's own code is safe Rust but for the modules that ARCHITECTURE.md names, so
//! what a sanitizer would find is found by overflow checks and panics.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
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
    let folder = unskew_peers::root().join("fuzz");
    let begun = Instant::now();
    step(&folder, &["run", "--release", "--locked", "--example", "seeds"], "")?;
    step(&folder, &["build", "--release", "--locked", "--bins", "--target", host()?], COVERAGE)?;
    println!("fuzz targets: built in {} s", begun.elapsed().as_secs());
    for target in targets(&folder)? {
        let program = folder.join("target").join(host()?).join("release").join(&target);
        let (corpus, kept) = (folder.join("corpus").join(&target), folder.join("artifacts"));
        std::fs::create_dir_all(&corpus)?;
        std::fs::create_dir_all(&kept)?;
        let mut command = Command::new(&program);
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

fn targets(folder: &Path) -> anyhow::Result<BTreeSet<String>> {
    let manifest: toml::Table = std::fs::read_to_string(folder.join("Cargo.toml"))?.parse()?;
    let all = manifest.get("bin").and_then(toml::Value::as_array).context("no targets")?;
    Ok(all.iter().filter_map(|bin| Some(bin.get("name")?.as_str()?.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a table of the README, by their first cells.
    fn rows(readme: &str, heading: &str) -> Vec<String> {
        let section = readme.split(heading).nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let cells = section.lines().filter_map(|line| line.strip_prefix("| "));
        let cells = cells.filter_map(|line| line.split(" | ").next());
        cells
            .filter(|cell| *cell != "format" && !cell.starts_with("---"))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn every_format_of_the_readme_has_fuzz_targets_that_are_there() {
        let root = unskew_peers::root();
        let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
        let rows = rows(&readme, "\n## What it reads\n");
        assert!(rows.len() > 15, "{rows:?}");
        let listed = std::fs::read_to_string(root.join("fuzz/readers.toml")).unwrap();
        let listed: toml::Table = listed.parse().unwrap();
        let readers = listed["reader"].as_array().unwrap();
        let targets = targets(&root.join("fuzz")).unwrap();
        for row in &rows {
            let own = readers.iter().filter(|one| row.starts_with(one["row"].as_str().unwrap()));
            let own: Vec<&toml::Value> =
                own.flat_map(|one| one["targets"].as_array().unwrap()).collect();
            assert!(!own.is_empty(), "fuzz/readers.toml has no target for: {row}");
            for target in own {
                let target = target.as_str().unwrap();
                assert!(targets.contains(target), "{row}: fuzz/Cargo.toml has no {target}");
                let file = root.join("fuzz/targets").join(format!("{target}.rs"));
                assert!(file.is_file(), "{}", file.display());
            }
        }
        for reader in readers {
            let name = reader["row"].as_str().unwrap();
            assert!(rows.iter().any(|row| row.starts_with(name)), "README.md has no row {name}");
        }
    }
}
