//! What was measured, as the rows of the database.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use unskew_core::Version;
use unskew_lab_harness::run_command;

use super::{Loads, ROWS, WRITE, releases};
use crate::files::{folders, measured_rows};

const TABLE: &str = "crates/judging/releases/data/tokenizers/names.tsv";

/// Has every release load every file of the trial, and writes the table.
pub(super) fn take(loads: &Loads<'_>, folder: &Path) -> anyhow::Result<()> {
    let root = unskew_peers::root();
    let trial = folder.join("trial");
    let mut write = Command::new("python3");
    run_command(write.arg(root.join(WRITE)).arg("trial").arg(&trial))?;
    let files = folders(&trial)?;
    let all = releases();
    let mut rows = Command::new("python3");
    rows.arg(root.join(ROWS)).arg(&trial);
    for release in &all {
        let path = folder.join(format!("{release}.jsonl"));
        fs::write(&path, loads.read(*release, &files)?)?;
        rows.arg(format!("{release}={}", path.display()));
    }
    let said = run_command(&mut rows)?;
    let mut measured: BTreeMap<String, BTreeSet<Version>> = BTreeMap::new();
    for line in said.lines() {
        let (definition, versions) = line.split_once('\t').context("a row without a tab")?;
        let versions = versions.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        measured.insert(definition.to_owned(), versions);
    }
    let path = root.join(TABLE);
    fs::write(&path, measured_rows(&all, &measured)).with_context(|| path.display().to_string())?;
    println!("{}: {} rows of {} files", path.display(), measured.len(), files.len());
    Ok(())
}
