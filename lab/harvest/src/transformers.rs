//! Takes a release of transformers into the database: the names that it knows of model folders, read from the sources in its
//! wheel.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use unskew_lab_harness::run_command;

use crate::harvest::enter_definitions;
use crate::row::{self, Row};

const DATA: &str = "crates/judging/releases/data/transformers";
const PROBE: &str = "lab/harvest/probes/transformers_names.py";

/// Takes `transformers==version`; `printed`: what the probe printed of it before.
///
/// # Errors
/// If the wheel cannot be had or read.
pub(crate) fn harvest(version: &str, printed: Option<&Path>) -> Result<()> {
    let printed = match printed {
        Some(path) => fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => {
            let probe = unskew_peers::root().join(PROBE);
            run_command(Command::new("python3").arg(probe).arg(version))?
        }
    };
    let first = printed.lines().next().unwrap_or_default();
    let day = first
        .strip_prefix(&format!("release\t{version}\t"))
        .with_context(|| format!("not of {version}: {first}"))?;
    let mut release = Row::new(version);
    release.set("released", day.to_owned());
    row::enter(&format!("{DATA}/releases.toml"), &format!("transformers {version}"), &release)?;
    let names: Vec<String> = printed.lines().skip(1).filter_map(definition).collect();
    ensure!(names.len() > 100, "only {} names: {version}", names.len());
    enter_definitions(
        &format!("{DATA}/names.tsv"),
        &format!("transformers {version}"),
        version.parse()?,
        names,
    )
}

/// `model<TAB>qwen3` as `qwen3(model)`, `theta<TAB>llama<TAB>10000` as `llama(theta 10000)`.
fn definition(line: &str) -> Option<String> {
    match line.split('\t').collect::<Vec<_>>().as_slice() {
        [kind, name] => Some(format!("{name}({kind})")),
        [kind, name, value] => Some(format!("{name}({kind} {value})")),
        _ => None,
    }
}
