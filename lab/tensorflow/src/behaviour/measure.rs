//! Nodes in real releases.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::ensure;
use serde::{Deserialize, Serialize};
use unskew_changes::{FormOutcome, RunOutcome};
use unskew_core::Version;
use unskew_tensorflow::TensorFlowRuntime;

use super::NodeForm;
use crate::TensorFlowHost;

/// Inputs that a release takes for an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPlan {
    /// The name of the op.
    pub op: String,
    /// What its inputs get, of several numbers of dimensions.
    pub plans: Vec<Vec<String>>,
}

/// Finds out which inputs a release takes for the ops of these forms.
///
/// # Errors
/// If the release cannot be run.
pub fn plans(
    host: &TensorFlowHost,
    runtime: &TensorFlowRuntime,
    forms: &[NodeForm],
) -> anyhow::Result<Vec<InputPlan>> {
    let lines: Result<Vec<String>, _> = forms
        .iter()
        .filter_map(|form| form.for_release(runtime))
        .map(|form| serde_json::to_string(&form))
        .collect();
    let folder = tempfile::tempdir()?;
    let text = probe(host, "plan", &lines?, folder.path(), 1)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Runs nodes in a release. A seed is for what stands in memory that nobody wrote.
///
/// # Errors
/// If the release cannot be run.
pub fn run(
    host: &TensorFlowHost,
    runtime: &TensorFlowRuntime,
    forms: &[NodeForm],
    seed: u8,
) -> anyhow::Result<Vec<FormOutcome>> {
    let line = |form: &NodeForm| match form.for_release(runtime) {
        Some(form) => serde_json::to_string(&form),
        None => Ok("-".to_owned()),
    };
    let lines: Result<Vec<String>, _> = forms.iter().map(line).collect();
    let folder = tempfile::tempdir()?;
    let text = probe(host, "run", &lines?, folder.path(), seed)?;
    let told: Vec<FormOutcome> = text.lines().map(FormOutcome::read).collect();
    ensure!(
        told.len() == forms.len(),
        "tensorflow {}: {} of {} forms",
        host.version,
        told.len(),
        forms.len()
    );
    Ok(told)
}

fn probe(
    host: &TensorFlowHost,
    what: &str,
    lines: &[String],
    folder: &Path,
    seed: u8,
) -> anyhow::Result<String> {
    let (list, out) = (folder.join("forms.jsonl"), folder.join("out"));
    fs::write(&list, lines.join("\n") + "\n")?;
    let mut command = host.command();
    command.arg(unskew_peers::root().join("lab/tensorflow/probes/tf_operators.py"));
    command.env("PYTHONPATH", unskew_peers::root().join(unskew_changes::NUMBERS));
    command.arg(what).arg(&list).arg(&out);
    command.env("MALLOC_PERTURB_", seed.wrapping_mul(85).to_string());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.trim().lines().last().unwrap_or_default();
    ensure!(output.status.success(), "tensorflow {}: {last}", host.version);
    Ok(String::from_utf8_lossy(&fs::read(&out)?).into_owned())
}

/// What is said where a node could not be asked: values that Python has no type for, and nodes that a step of several lost.
const UNASKED: [&str; 4] =
    ["Incomplete graph", "Missing 0-th output", "is provided", "list of allowed values"];

/// Takes out of what a release told what says nothing of ops.
pub fn without_unasked(release: Version, told: Vec<FormOutcome>) -> Vec<FormOutcome> {
    // Python gets numbers of bfloat16 as their bits.
    let as_bits = release < Version::pair(1, 6);
    let clean = |outcome: RunOutcome| match outcome {
        RunOutcome::Raises(words) if UNASKED.iter().any(|one| words.contains(one)) => {
            RunOutcome::Untold
        }
        RunOutcome::Value(text) if as_bits && text.contains("bfloat16[") => RunOutcome::Untold,
        outcome => outcome,
    };
    let clean = |told| match told {
        FormOutcome::Unknown => FormOutcome::Unknown,
        FormOutcome::Runs(runs) => FormOutcome::Runs(runs.into_iter().map(clean).collect()),
    };
    told.into_iter().map(clean).collect()
}
