//! Takes a build of llama.cpp or a release of llama-cpp-python into the database: what its sources know about GGUF files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use unskew_lab_harness::run_command;

use crate::harvest::enter_definitions;
use crate::row::{self, Row};

const DATA: &str = "crates/judging/releases/data";
const PROBE: &str = "lab/harvest/probes/llama_cpp_sources.py";

/// Takes `llama.cpp==3889` or `llama-cpp-python==0.3.9`; `list` as the version brings the table of published releases up
/// to date.
///
/// # Errors
/// If the sources cannot be had or read.
pub(crate) fn harvest(family: &str, version: &str) -> Result<()> {
    if version == "list" {
        return published(family);
    }
    let version = version.strip_prefix('b').unwrap_or(version);
    let said = probe(&["read", family, version])?;
    let mut release = Row::new(version);
    let stated = |word: &str| said.lines().find_map(|line| line.strip_prefix(word));
    let day = stated("#released ").context("the probe says no day")?;
    release.set("released", day.to_owned());
    if let Some(commit) = stated("#commit ") {
        release.set("commit", format!("\"{commit}\""));
    }
    let names: BTreeSet<String> =
        said.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    ensure!(names.len() > 24, "only {} names: {version}", names.len());
    row::enter(
        &format!("{DATA}/{family}/releases.toml"),
        &format!("{family} {version}"),
        &release,
    )?;
    enter_definitions(
        &format!("{DATA}/{family}/names.tsv"),
        &format!("{family} {version}"),
        version.parse()?,
        names.into_iter().collect(),
    )
}

/// Writes which releases there are, and which of them have a row.
fn published(family: &str) -> Result<()> {
    let folder = unskew_peers::root().join(DATA).join(family);
    let rows = fs::read_to_string(folder.join("releases.toml"))?;
    let day_of = |version: &str| {
        let row = rows
            .split("[[release]]\n")
            .find(|row| row.starts_with(&format!("version = \"{version}\"\n")))?;
        row.lines().find_map(|line| line.strip_prefix("released = ")).map(str::to_owned)
    };
    let path = folder.join("published.tsv");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let head = text.lines().filter(|line| line.starts_with('#')).map(|line| format!("{line}\n"));
    let mut lines: String = head.collect();
    for listed in probe(&["list", family])?.lines() {
        let (version, day) = listed.split_once('\t').context("no day")?;
        lines += &match (day_of(version), day) {
            (Some(day), _) => format!("{version}\t{day}\t{version}\trow\n"),
            (None, "") => continue,
            (None, day) => format!("{version}\t{day}\t-\t-\n"),
        };
    }
    write(&path, &lines)
}

fn probe(arguments: &[&str]) -> Result<String> {
    let program = unskew_peers::root().join(PROBE);
    run_command(Command::new("python3").arg(program).args(arguments))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}
