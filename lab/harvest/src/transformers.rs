//! Takes a release of transformers, vLLM or SGLang into the database: the names that it knows of model folders, read from the
//! sources in its wheel.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use unskew_lab_harness::run_command;

use crate::harvest::enter_definitions;
use crate::row::{self, Row};

const DATA: &str = "crates/judging/releases/data";
const PROBE: &str = "lab/harvest/probes/transformers_names.py";
const SERVER_PROBE: &str = "lab/harvest/probes/server_names.py";

/// The fewest names of a release; of a server, the first have ten architectures.
const FEWEST: usize = 100;
const FEWEST_OF_SERVER: usize = 8;

/// Takes `family==version`; `printed`: what the probe printed of it before.
///
/// # Errors
/// If the wheel cannot be had or read.
pub(crate) fn harvest(family: &str, version: &str, printed: Option<&Path>) -> Result<()> {
    let printed = match printed {
        Some(path) => fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => {
            let root = unskew_peers::root();
            let mut probe = Command::new("python3");
            match family {
                "transformers" => probe.arg(root.join(PROBE)),
                server => probe.arg(root.join(SERVER_PROBE)).arg(server),
            };
            run_command(probe.arg(version))?
        }
    };
    let first = printed.lines().next().unwrap_or_default();
    let day = first
        .strip_prefix(&format!("release\t{version}\t"))
        .with_context(|| format!("not of {version}: {first}"))?;
    let mut release = Row::new(version);
    release.set("released", day.to_owned());
    row::enter(
        &format!("{DATA}/{family}/releases.toml"),
        &format!("{family} {version}"),
        &release,
    )?;
    let names: Vec<String> = printed.lines().skip(1).filter_map(definition).collect();
    let fewest = if family == "transformers" { FEWEST } else { FEWEST_OF_SERVER };
    ensure!(names.len() >= fewest, "only {} names: {version}", names.len());
    enter_definitions(
        &format!("{DATA}/{family}/names.tsv"),
        &format!("{family} {version}"),
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
