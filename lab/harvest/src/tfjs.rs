//! Takes a release of TensorFlow.js into the database: its ops, its classes and the types of weights that it reads.
//!
//! The bundle of the package on npm is run in Node on its own CPU backend, and asked by what it does: for each op that any
//! TensorFlow or any TensorFlow.js names, a graph of one node.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use unskew_lab_harness::npm;
use unskew_releases::Family;

use crate::command::set_day;
use crate::harvest::enter_definitions;
use crate::row::{self, Row};

const DATA: &str = "crates/judging/releases/data/tfjs";
const PROBE: &str = "lab/harvest/probes/tfjs_ops.js";

/// The package on PyPI that is uploaded with it, which has its day.
const TWIN: &str = "tensorflowjs";

/// What stands in a bundle before the name of an op that it maps.
const MAPPED: &str = "tfOpName:\"";

/// Takes `tfjs==version`. `bundle`: `dist/tf.min.js` of its package, if it is there.
///
/// # Errors
/// If the package cannot be had, or does not run in Node.
pub(crate) fn harvest(version: &str, bundle: Option<&Path>) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let bundle = match bundle {
        Some(bundle) => bundle.to_owned(),
        None => npm::bundle(version, scratch.path())?,
    };
    let said = asked(&bundle)?;
    let mut release = Row::new(version);
    set_day(&mut release, TWIN, version);
    for (key, word) in
        [("unknown_op", "#unknown "), ("weights", "#weights "), ("quantized", "#quantized ")]
    {
        let line = said.lines().find_map(|line| line.strip_prefix(word));
        let line = line.with_context(|| format!("the probe does not say {word}"))?;
        let quoted: Vec<String> = line.split(' ').map(|one| format!("\"{one}\"")).collect();
        release.set(
            key,
            match key {
                "unknown_op" => quoted.concat(),
                _ => format!("[{}]", quoted.join(", ")),
            },
        );
    }
    row::enter(&format!("{DATA}/releases.toml"), &format!("tfjs {version}"), &release)?;
    let names: BTreeSet<String> =
        said.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    ensure!(names.len() > 200, "only {} ops and classes: {version}", names.len());
    enter_definitions(
        &format!("{DATA}/names.tsv"),
        &format!("tfjs {version}"),
        version.parse()?,
        names.into_iter().collect(),
    )
}

/// What the probe prints of a bundle.
fn asked(bundle: &Path) -> Result<String> {
    let text = fs::read_to_string(bundle).with_context(|| bundle.display().to_string())?;
    let own = text.split(MAPPED).skip(1).filter_map(|rest| rest.split('"').next());
    let mut names: BTreeSet<&str> = own.collect();
    names.extend(Family::TensorFlow.catalogue().iter().map(|op| op.name.as_str()));
    names.extend(Family::Tfjs.catalogue().iter().map(|op| op.name.as_str()));
    let names: Vec<&str> = names.into_iter().collect::<Vec<_>>();
    let mut node = Command::new("node");
    node.arg(unskew_peers::root().join(PROBE)).arg(bundle);
    node.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut node = node.spawn().context("node")?;
    node.stdin.take().context("no input")?.write_all(names.join("\n").as_bytes())?;
    let output = node.wait_with_output()?;
    if !output.status.success() {
        bail!("{}: {}", bundle.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
