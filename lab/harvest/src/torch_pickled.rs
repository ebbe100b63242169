//! Takes the names that pickles can ask a release of PyTorch for into the table: `cargo lab harvest torch-pickled==2.15.0`.
//!
//! The probe reads the sources in the wheel, of which only they are transferred. Instructions of pickles that the loader for
//! `weights_only=True` has are compared with the table that states them, and not written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use unskew_core::Version;
use unskew_lab_harness::run_command;

use crate::harvest::enter_definitions;

/// The first release whose loader is strict unless it is told otherwise.
const STRICT: Version = Version::pair(2, 6);

const TABLE: &str = "crates/torch/archives/data/pickled.tsv";
const OPCODES: &str = "crates/torch/archives/data/weights_only_opcodes.tsv";
const PROBE: &str = "lab/harvest/probes/torch_pickled.py";

/// Takes the names of `torch==version`; `printed`: what the probe printed of it before.
///
/// # Errors
/// If the wheel cannot be had or read.
pub(crate) fn harvest(version: &str, printed: Option<&Path>) -> Result<()> {
    let release: Version = version.parse()?;
    let printed = match printed {
        Some(path) => fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => {
            let probe = unskew_peers::root().join(PROBE);
            run_command(Command::new("python3").arg(probe).arg(version))?
        }
    };
    let first = printed.lines().next().unwrap_or_default();
    ensure!(first == format!("release\t{version}"), "not of {version}: {first}");
    compare_opcodes(version, release, &printed)?;
    let names = definitions(&printed);
    ensure!(names.len() > 1000, "only {} names: {version}", names.len());
    enter_definitions(TABLE, &format!("torch {version}"), release, names)
}

/// Says where the strict loader of a release has other instructions than the table states.
fn compare_opcodes(version: &str, release: Version, printed: &str) -> Result<()> {
    if release < STRICT {
        return Ok(());
    }
    let path = unskew_peers::root().join(OPCODES);
    let table = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let stated: BTreeSet<&str> = rows.filter_map(|row| row.split('\t').nth(1)).collect();
    let has: BTreeSet<&str> =
        printed.lines().filter_map(|line| line.strip_prefix("opcode\t")).collect();
    for one in has.symmetric_difference(&stated) {
        let where_it_is = if has.contains(one) { "torch" } else { "the table" };
        println!(
            "  only {where_it_is} has the instruction {one}: write it into {OPCODES}, of {version}"
        );
    }
    Ok(())
}

/// The rows of one release: `NAME(attributes)`, `NAME(most arguments)`, `NAME()`.
fn definitions(printed: &str) -> Vec<String> {
    let mut details: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in printed.lines() {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["name", name] => {
                details.entry(name).or_default();
            }
            ["reads", name, one] | ["arguments", name, one] if *one != "-" => {
                details.entry(name).or_default().push(one);
            }
            _ => {}
        }
    }
    details.iter().map(|(name, all)| format!("{name}({})", all.join(" "))).collect()
}
