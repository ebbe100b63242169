//! Functions of the registry in place of calls, on all inputs that the calls were measured with: which of them a function
//! does not do as the operator did.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use unskew_core::Version;
use unskew_source::{ConvertedArtifact, FileSource, Source, SourceExt as _};
use unskew_torch::{TorchConvertOptions, TorchRuntime};

use super::{
    ArgumentPassing, CallForm, ChangeEffect, FormOutcome, OperatorRow, ParameterRole, RunOutcome,
    rows, run,
};
use crate::TorchHost;

/// What a function does otherwise: its name, the conditions on the arguments and on their values.
pub type InexactConditions = BTreeMap<(String, String, String), (ChangeEffect, String)>;

/// Converts every call that needs a function of the registry from one release to another, and runs it there on all inputs.
/// `told` is what the first release gave.
///
/// # Errors
/// If a release cannot be run, or a file not be read.
pub fn inexact(
    forms: &[CallForm],
    told: &[FormOutcome],
    writer: &TorchHost,
    reader: &TorchHost,
    runtime: &TorchRuntime,
) -> anyhow::Result<InexactConditions> {
    let folder = tempfile::tempdir()?;
    // Each call is written with a run that works.
    let (mut works, mut numbers) = (Vec::new(), Vec::new());
    for (at, (form, told)) in forms.iter().zip(told).enumerate() {
        let FormOutcome::Runs(outcomes) = told else { continue };
        if unskew_torch_operators::registry().changes_of(&form.name).is_empty() {
            continue;
        }
        let first = outcomes.iter().position(|one| matches!(one, RunOutcome::Value(_)));
        if let Some(first) = first.filter(|_| !form.has_out) {
            works.push(CallForm { runs: vec![form.runs[first].clone()], ..form.clone() });
            numbers.push(at);
        }
    }
    let written = writer.write_calls(folder.path(), &works, Duration::from_secs(1200))?;
    let (mut converted, mut old) = (Vec::new(), Vec::new());
    for one in &written {
        let number: Option<usize> = one.name.strip_prefix('f').and_then(|n| n.parse().ok());
        let Some(at) = number.and_then(|n| numbers.get(n)).copied() else { continue };
        let path = folder.path().join(format!("{}.pt", one.name));
        let to = folder.path().join(format!("{}-converted.pt", one.name));
        if let Some(function) = convert(&path, &to, runtime)? {
            let (name, mut runs) = (format!("aten::{function}"), forms[at].runs.clone());
            runs.extend(mixed(&works[number.unwrap_or(0)]));
            converted.push(CallForm { name, runs, archive: Some(to), ..forms[at].clone() });
            old.push(CallForm { archive: Some(path), ..converted[converted.len() - 1].clone() });
        }
    }
    let (old, new) = (run(writer, &old, 1)?, run(reader, &converted, 1)?);
    let sides = [(Version::pair(0, 1), old), (Version::pair(0, 2), new)];
    let found = rows(&converted, &sides);
    println!("{} to {}: {} calls by functions", writer.version, reader.version, converted.len());
    Ok(found.iter().flat_map(row).collect())
}

/// The first run with one tensor of another type, each in its turn, and other values.
fn mixed(form: &CallForm) -> Vec<Vec<String>> {
    let Some(first) = form.runs.first() else { return Vec::new() };
    let data = || {
        form.given.iter().filter_map(|(_, how)| match how {
            ArgumentPassing::Param(at, ParameterRole::Data) => Some(*at),
            _ => None,
        })
    };
    let with = |at: usize, dtype: &str| {
        let mut run = first.clone();
        for place in data() {
            let Some(shape) = run[place].split(':').nth(1).map(str::to_owned) else { continue };
            let dtype = if place == at { dtype } else { "float32" };
            run[place] = format!("{dtype}:{shape}:rand{}", place + 11);
        }
        run
    };
    let types = ["float32", "float64", "int64", "uint8", "bool", "complex64"];
    let all = data().flat_map(|at| types.map(|dtype| with(at, dtype)));
    all.collect::<BTreeSet<_>>().into_iter().collect()
}

type MeasuredEntry = ((String, String, String), (ChangeEffect, String));

fn row(row: &OperatorRow) -> Vec<MeasuredEntry> {
    let steps = row.trajectory.steps.iter().map(|(_, step)| *step);
    let Some(step) = steps.filter(|step| *step != ChangeEffect::Works).min() else {
        return Vec::new();
    };
    let values: Vec<&str> = row.values.iter().copied().collect();
    // Most matrices that were tried are singular, of which the numbers are whatever rounding leaves.
    let is_free = |name: &str| {
        step == ChangeEffect::Values
            && ["linalg_", "matrix_"].iter().any(|one| name.starts_with(one))
    };
    let functions = row.operators.iter().map(|one| one.trim_start_matches("aten::"));
    let functions = functions.filter(|name| !is_free(name));
    let entry = |function: &str| {
        let key = (function.to_owned(), row.when.join(", "), values.join(" "));
        (key, (step, row.remark.clone()))
    };
    functions.map(entry).collect()
}

/// Converts a file; the function that takes the place of its call, if one does.
fn convert(path: &Path, to: &Path, runtime: &TorchRuntime) -> anyhow::Result<Option<String>> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let options = TorchConvertOptions::default();
    let Some((plan, ConvertedArtifact::File(result))) =
        unskew_torch::convert(&source, runtime, &options)?
    else {
        return Ok(None);
    };
    let by = |what: &str| what.rsplit_once(" is computed by ").map(|(_, name)| name.to_owned());
    let function = plan.rewrites.iter().find_map(|one| by(&one.what));
    if !plan.is_possible() || function.is_none() {
        return Ok(None);
    }
    let result: Arc<dyn Source> = result;
    fs::write(to, result.all()?)?;
    Ok(function)
}
