//! Quantized models that releases write for the occasion, judged for other releases, and loaded and run there with each engine.
//!
//! `lab/torch/probes/torch_quantized.py` makes them with random weights, with each engine of its release. What a release makes of a
//! file is held against the verdict; where a conversion rewrites the file, the result is run too, and has to give what the
//! writer gave with the same engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use unskew_core::{Context, Phase as VerdictPhase, Severity, Version, check};
use unskew_releases::Release;
use unskew_source::{FileSource, Source};
use unskew_torch::TorchRuntime;

use crate::models::{ModelKind, RequestedModel, made_by, write_for};
use crate::recorded::{difference, value};
use crate::{JobOutcome, ModuleLoader, RunJob, RunPhase, TorchHost};

/// Floats of one engine are the same but for the order of a sum.
const TOLERANCE: f64 = 1e-5;

/// The rule that names an engine.
const ENGINE: &str = "PT305";

/// What was said of a file and a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantizedPrediction {
    /// It fails, by these rules.
    Fails(Vec<String>),
    /// It is read, but not by these engines.
    Reads(BTreeSet<String>),
    /// That is not judged.
    Open,
}

/// What a release did with a file, with one of its engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuantizedOutcome {
    /// It gave what its writer gave.
    Equal,
    /// It gave something else; whether with the engine of its writer.
    Other(bool, String),
    /// It failed, with these words.
    Failed(String),
}

/// A file, on a release with one of its engines.
#[derive(Clone, Debug)]
pub struct QuantizedCell {
    /// The name of the model.
    pub name: String,
    /// The release that wrote it.
    pub writer: Version,
    /// The release that ran it.
    pub reader: Version,
    /// The engine with which it ran.
    pub engine: String,
    /// What was said of it.
    pub said: QuantizedPrediction,
    /// What came of it.
    pub did: QuantizedOutcome,
    /// What came of it converted; none if a conversion leaves it as it is. An error is why it has no exact form.
    pub converted: Option<Result<QuantizedOutcome, Vec<String>>>,
}

impl QuantizedCell {
    /// Whether the release did what was said; none if nothing was.
    pub fn is_right(&self) -> Option<bool> {
        let failed = matches!(self.did, QuantizedOutcome::Failed(_));
        match &self.said {
            QuantizedPrediction::Fails(_) => Some(failed),
            QuantizedPrediction::Reads(refusing) => Some(failed == refusing.contains(&self.engine)),
            QuantizedPrediction::Open => None,
        }
    }
}

/// Has a release write quantized models into `folder`, all that there are if none is named.
///
/// # Errors
/// If the release cannot be run, or ends before it is through.
pub fn write(
    host: &TorchHost,
    folder: &Path,
    names: &[String],
    limit: Duration,
) -> anyhow::Result<Vec<RequestedModel>> {
    let mut command = host.command();
    command.arg(unskew_peers::root().join("lab/torch/probes/torch_quantized.py"));
    command.arg(folder).args(names);
    made_by(&mut command, ModelKind::Scripted, limit)
}

/// The engines of a release.
///
/// # Errors
/// If it cannot be run.
pub fn engines(host: &TorchHost) -> anyhow::Result<Vec<String>> {
    let mut command = host.command();
    command
        .args(["-c", "import torch; print(' '.join(torch.backends.quantized.supported_engines))"]);
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let all = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(all.split_whitespace().filter(|one| *one != "none").map(str::to_owned).collect())
}

/// Judges models for a release, and runs them there with each of its engines, as they are and converted.
///
/// # Errors
/// If a file cannot be read or written, or the release not be run.
pub fn cells(
    writer: Version,
    made: &[RequestedModel],
    folder: &Path,
    host: &TorchHost,
    release: Release,
    limit: Duration,
) -> anyhow::Result<Vec<QuantizedCell>> {
    let runtime = unskew_releases::torch::runtime(release.row());
    let runtime = runtime.with_context(|| format!("no release of PyTorch: {release}"))?;
    let place = tempfile::tempdir_in(folder)?;
    let (engines, mut jobs, mut fates) = (engines(host)?, Vec::new(), Vec::new());
    for (n, one) in made.iter().enumerate() {
        let Ok(file) = &one.file else { continue };
        let path = folder.join(file);
        let said = said(&path, &runtime)?;
        let to = place.path().join(format!("{n}.pt"));
        // What stays as it is need not be run twice.
        let converted = match write_for(&path, &to, &runtime)? {
            Ok(written) => written.is_changed.then_some(Ok(())),
            Err(why) => Some(Err(why)),
        };
        for engine in &engines {
            let mut job = |suffix: &str, path: &Path| {
                let (name, path) = (format!("{n} {engine}{suffix}"), path.to_owned());
                let (inputs, engine) = (one.inputs.clone(), Some(engine.clone()));
                jobs.push(RunJob { name, path, loader: ModuleLoader::Script, inputs, engine });
            };
            job("", &path);
            if matches!(converted, Some(Ok(()))) {
                job(" converted", &to);
            }
        }
        fates.push((n, one, said, converted));
    }
    let outcomes = host.run(&jobs, limit)?;
    let mut all = Vec::new();
    for (n, one, said, converted) in fates {
        for engine in &engines {
            let did = |suffix: &str| did(one, engine, &format!("{n} {engine}{suffix}"), &outcomes);
            let converted = match &converted {
                None => None,
                Some(Err(why)) => Some(Err(why.clone())),
                Some(Ok(())) => Some(Ok(did(" converted")?)),
            };
            let (name, said, did) = (one.name.clone(), said.clone(), did("")?);
            let (reader, engine) = (host.version, engine.clone());
            all.push(QuantizedCell { name, writer, reader, engine, said, did, converted });
        }
    }
    Ok(all)
}

fn did(
    one: &RequestedModel,
    engine: &str,
    name: &str,
    outcomes: &BTreeMap<String, JobOutcome>,
) -> anyhow::Result<QuantizedOutcome> {
    let outcome = outcomes.get(name).context("no outcome")?;
    Ok(match (&outcome.phase, &outcome.output) {
        (RunPhase::Ok, Some(found)) => {
            match difference(&value(&one.output)?, &value(found)?, TOLERANCE) {
                None => QuantizedOutcome::Equal,
                Some(how) => {
                    QuantizedOutcome::Other(one.name.split('-').nth(1) == Some(engine), how)
                }
            }
        }
        _ => QuantizedOutcome::Failed(outcome.said.clone()),
    })
}

fn said(path: &Path, runtime: &TorchRuntime) -> anyhow::Result<QuantizedPrediction> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let party = unskew_torch::party(&source)?.context("no PyTorch file")?;
    let verdict = check(&party, &runtime.party(), &Context::for_tests());
    if verdict.first_failure().is_some_and(|phase| phase != VerdictPhase::Silent) {
        let errors = verdict.findings.iter().filter(|one| one.severity == Severity::Error);
        return Ok(QuantizedPrediction::Fails(
            errors.map(|one| one.rule.code.to_owned()).collect(),
        ));
    }
    if !verdict.unjudged.is_empty() {
        return Ok(QuantizedPrediction::Open);
    }
    let named = verdict.findings.iter().filter(|one| one.rule.code == ENGINE);
    let engine = |one: &unskew_core::Finding| {
        let rest = one.message.split_once("the engine ")?.1;
        rest.split(' ').next().map(str::to_owned)
    };
    Ok(QuantizedPrediction::Reads(named.filter_map(engine).collect()))
}

/// A line for each writer and reader.
pub fn quantized_table(cells: &[QuantizedCell]) -> String {
    let mut rows: BTreeMap<(Version, Version), [usize; 9]> = BTreeMap::new();
    for cell in cells {
        let row = rows.entry((cell.writer, cell.reader)).or_default();
        let mut count = |at: usize, is: bool| {
            if let Some(count) = row.get_mut(at) {
                *count += usize::from(is);
            }
        };
        count(0, true);
        count(1, cell.is_right() == Some(true));
        count(2, cell.is_right() == Some(false));
        count(3, cell.is_right().is_none());
        count(4, matches!(cell.did, QuantizedOutcome::Failed(_)));
        count(5, matches!(cell.converted, Some(Ok(QuantizedOutcome::Equal))));
        count(6, matches!(cell.converted, Some(Ok(QuantizedOutcome::Other(..)))));
        count(7, matches!(cell.converted, Some(Ok(QuantizedOutcome::Failed(_)))));
        count(8, matches!(cell.converted, Some(Err(_))));
    }
    let mut text = String::from(
        "| by | on | files and engines | right | wrong | not judged | fail | converted: equal | other numbers | fail then | no exact form |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for ((writer, reader), row) in rows {
        let numbers: Vec<String> = row.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "| {writer} | {reader} | {} |", numbers.join(" | "));
    }
    text
}

/// What is wrong, a line each: the model, where, and why.
pub fn quantized_faults(cells: &[QuantizedCell]) -> String {
    let mut text = String::new();
    for cell in cells {
        let QuantizedCell { name, writer, reader, engine, said, did, converted, .. } = cell;
        let label = format!("{name} by {writer} on {reader} with {engine}");
        if cell.is_right() == Some(false) {
            let _ = writeln!(text, "{label}: said {said:?}, did {did:?}");
        }
        match converted {
            Some(Ok(QuantizedOutcome::Other(true, how))) => {
                let _ = writeln!(text, "{label}, converted: {how}");
            }
            Some(Ok(QuantizedOutcome::Failed(why)))
                if matches!(said, QuantizedPrediction::Fails(_)) =>
            {
                let _ = writeln!(text, "{label}, converted: {why}");
            }
            _ => {}
        }
    }
    text
}
