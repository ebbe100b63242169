//! Models that releases write for the occasion, converted for other releases and run there.
//!
//! `lab/torch/probes/torch_models.py` makes them with random weights: families of torchvision and blocks as people write
//! them. What their writer gave is what they have to give on every other release.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use unskew_core::{Context, Finding, Phase as VerdictPhase, Severity, Verdict, Version, check};
use unskew_peers::{Peer, ProcessEnd, run_probe};
use unskew_releases::Release;
use unskew_source::{Assembly, ConvertedArtifact, FileSource, Source};
use unskew_torch::{TorchConvertOptions, TorchRuntime};

use crate::recorded::{difference, value};
use crate::{JobOutcome, ModuleLoader, RunJob, RunPhase, TorchHost};

/// Types and shapes are exact; through tens of layers, of which each release adds in an order of its own, floats drift
/// further apart than through one operator.
pub const MODEL_TOLERANCE: f64 = 1e-4;

/// What a model is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelKind {
    /// By `torch.export`.
    Exported,
    /// By `torch.jit.script`.
    Scripted,
    /// By `torch.jit.trace`.
    Traced,
}

impl ModelKind {
    /// The word that the probe has for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exported => "exported",
            Self::Scripted => "scripted",
            Self::Traced => "traced",
        }
    }

    fn loader(self) -> ModuleLoader {
        match self {
            Self::Exported => ModuleLoader::Exported,
            Self::Scripted | Self::Traced => ModuleLoader::Script,
        }
    }
}

/// A model that was asked for.
#[derive(Clone, Debug)]
pub struct RequestedModel {
    /// Its name in the probe.
    pub name: String,
    /// What it is written as.
    pub kind: ModelKind,
    /// The file in the folder, or why its own release does not write it.
    pub file: Result<String, String>,
    pub(crate) inputs: Vec<serde_json::Value>,
    pub(crate) output: serde_json::Value,
}

/// What became of a model on a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelOutcome {
    /// Its writer did not write it, for this reason.
    NotWritten(String),
    /// It has no exact form, for these reasons.
    Blocked(Vec<String>),
    /// The release refused it, with these words.
    Refused(String),
    /// It gave something else.
    Differs(String),
    /// It gave something else, and the verdict of the result says that it may.
    Doubtful(String),
    /// It gave what its writer gave.
    Equal,
}

/// A model on a release.
#[derive(Clone, Debug)]
pub struct ModelCell {
    /// The name of the model.
    pub name: String,
    /// What it is written as.
    pub kind: ModelKind,
    /// The release that wrote it.
    pub writer: Version,
    /// The release that it was converted for.
    pub reader: Version,
    /// What became of it there.
    pub fared: ModelOutcome,
}

/// Has a release write models of a kind into `folder`, all that there are if none is named. Families of torchvision need
/// `torchvision`, an environment that has it and no PyTorch.
///
/// # Errors
/// If the release cannot be run, or ends before it is through.
pub fn write(
    host: &TorchHost,
    torchvision: Option<&Peer>,
    folder: &Path,
    kind: ModelKind,
    names: &[String],
    limit: Duration,
) -> anyhow::Result<Vec<RequestedModel>> {
    let mut command = host.command();
    if let Some(packages) = torchvision.and_then(packages) {
        command.env("PYTHONPATH", packages);
    }
    command.arg(unskew_peers::root().join("lab/torch/probes/torch_models.py"));
    command.arg(folder).arg(kind.word()).args(names);
    made_by(&mut command, kind, limit)
}

pub(crate) fn made_by(
    command: &mut Command,
    kind: ModelKind,
    limit: Duration,
) -> anyhow::Result<Vec<RequestedModel>> {
    #[derive(Deserialize)]
    struct Detail {
        file: Option<String>,
        inputs: Vec<serde_json::Value>,
        output: serde_json::Value,
        said: String,
    }
    let outcome = run_probe(command, limit)?;
    let words = || outcome.errors.lines().rev().take(5).collect::<Vec<_>>().join("\n");
    ensure!(outcome.end == ProcessEnd::Finished, "{}: {}", outcome.end, words());
    let made = outcome.steps.iter().map(|step| {
        let detail: Detail = serde_json::from_str(&step.detail)?;
        let file = detail.file.ok_or(detail.said);
        let (name, inputs, output) = (step.step.clone(), detail.inputs, detail.output);
        Ok(RequestedModel { name, kind, file, inputs, output })
    });
    made.collect()
}

fn packages(peer: &Peer) -> Option<PathBuf> {
    let mut pythons = peer.folder().join("lib").read_dir().ok()?.flatten();
    pythons.find_map(|entry| Some(entry.path().join("site-packages")).filter(|path| path.is_dir()))
}

/// Converts models for a release and runs them there.
///
/// # Errors
/// If a file cannot be read or written, or the release not be run.
pub fn fare(
    writer: Version,
    made: &[RequestedModel],
    folder: &Path,
    host: &TorchHost,
    release: Release,
    limit: Duration,
) -> anyhow::Result<Vec<ModelCell>> {
    let runtime = unskew_releases::torch::runtime(release.row());
    let runtime = runtime.with_context(|| format!("no release of PyTorch: {release}"))?;
    let place = tempfile::tempdir_in(folder)?;
    let (mut jobs, mut fates) = (Vec::new(), Vec::new());
    for (n, one) in made.iter().enumerate() {
        let fate = match &one.file {
            Err(why) => ModelPrediction::Over(ModelOutcome::NotWritten(why.clone())),
            Ok(file) => {
                let to = place.path().join(format!("{n}-{file}"));
                convert(&folder.join(file), to, &runtime)?
            }
        };
        if let ModelPrediction::Runs { to, .. } = &fate {
            let (name, inputs) = (n.to_string(), one.inputs.clone());
            let (path, loader) = (to.clone(), one.kind.loader());
            jobs.push(RunJob { name, path, loader, inputs, engine: None });
        }
        fates.push(fate);
    }
    let outcomes = host.run(&jobs, limit)?;
    let cell = |(n, (one, fate)): (usize, (&RequestedModel, ModelPrediction))| {
        let fared = match fate {
            ModelPrediction::Over(fared) => fared,
            ModelPrediction::Runs { may_differ, .. } => {
                let outcome = outcomes.get(&n.to_string()).context("no outcome")?;
                fared(one, outcome, may_differ)?
            }
        };
        let (name, kind, reader) = (one.name.clone(), one.kind, host.version);
        Ok(ModelCell { name, kind, writer, reader, fared })
    };
    made.iter().zip(fates).enumerate().map(cell).collect()
}

/// What becomes of a model before it is run.
enum ModelPrediction {
    Over(ModelOutcome),
    /// It was converted, and the verdict of the result may say that it gives something else.
    Runs {
        to: PathBuf,
        may_differ: bool,
    },
}

/// A file as a conversion writes it, which may change nothing, and the verdict of the result.
pub(crate) struct ConvertedFile {
    pub(crate) is_changed: bool,
    pub(crate) verdict: Verdict,
}

/// Writes the file `path` for a release; an error inside is why the command writes none.
///
/// # Errors
/// If the file cannot be read or the result not be written.
pub(crate) fn write_for(
    path: &Path,
    to: &Path,
    runtime: &TorchRuntime,
) -> anyhow::Result<Result<ConvertedFile, Vec<String>>> {
    let none = || format!("no PyTorch file: {}", path.display());
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let converted =
        unskew_torch::convert_with_origin(&source, runtime, &TorchConvertOptions::default())?;
    let (plan, output, origin) = converted.with_context(none)?;
    if !plan.is_possible() {
        return Ok(Err(plan.blockers.iter().map(words).collect()));
    }
    let ConvertedArtifact::File(result) = &output else {
        anyhow::bail!("{}: a folder", path.display())
    };
    let result: Arc<dyn Source> = Arc::<Assembly>::clone(result);
    let party = unskew_torch::party_converted(&result, &origin)?.with_context(none)?;
    let day = Context::for_tests();
    let verdict = check(&party, &runtime.party(), &day);
    // The command writes nothing of which the verdict has an error.
    if verdict.severity() == Some(Severity::Error) {
        let errors = verdict.findings.iter().filter(|one| one.severity == Severity::Error);
        return Ok(Err(errors.map(words).collect()));
    }
    output.write(to)?;
    Ok(Ok(ConvertedFile { is_changed: !plan.changes_nothing(), verdict }))
}

fn convert(path: &Path, to: PathBuf, runtime: &TorchRuntime) -> anyhow::Result<ModelPrediction> {
    Ok(match write_for(path, &to, runtime)? {
        Err(why) => ModelPrediction::Over(ModelOutcome::Blocked(why)),
        Ok(ConvertedFile { verdict, .. }) => {
            let silent = |one: &Finding| one.phase == Some(VerdictPhase::Silent);
            ModelPrediction::Runs { to, may_differ: verdict.findings.iter().any(silent) }
        }
    })
}

fn fared(
    one: &RequestedModel,
    outcome: &JobOutcome,
    may_differ: bool,
) -> anyhow::Result<ModelOutcome> {
    Ok(match (&outcome.phase, &outcome.output) {
        (RunPhase::Ok, Some(found)) => {
            let (wanted, found) = (value(&one.output)?, value(found)?);
            match difference(&wanted, &found, MODEL_TOLERANCE) {
                None => ModelOutcome::Equal,
                Some(how) if may_differ => ModelOutcome::Doubtful(how),
                Some(how) => ModelOutcome::Differs(how),
            }
        }
        (RunPhase::Ok, None) => ModelOutcome::Differs("no output".to_owned()),
        _ => ModelOutcome::Refused(outcome.said.clone()),
    })
}

fn words(finding: &Finding) -> String {
    let said = finding.message.split_once(": ").map_or(&*finding.message, |(_, why)| why);
    format!("{} {said}", finding.rule.code)
}

/// A line for each kind, writer and reader.
pub fn models_table(cells: &[ModelCell]) -> String {
    let mut text = String::from(
        "| written as | by | on | models | converted | equal | no exact form | refused | said to differ | differ unsaid |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut rows: BTreeMap<(ModelKind, Version, Version), [usize; 5]> = BTreeMap::new();
    for cell in cells {
        let row = rows.entry((cell.kind, cell.writer, cell.reader)).or_default();
        let at = match cell.fared {
            ModelOutcome::NotWritten(_) => continue,
            ModelOutcome::Equal => 0,
            ModelOutcome::Blocked(_) => 1,
            ModelOutcome::Refused(_) => 2,
            ModelOutcome::Doubtful(_) => 3,
            ModelOutcome::Differs(_) => 4,
        };
        if let Some(count) = row.get_mut(at) {
            *count += 1;
        }
    }
    for ((kind, writer, reader), [equal, blocked, refused, doubtful, differs]) in rows {
        let (all, kind) = (equal + blocked + refused + doubtful + differs, kind.word());
        let _ = writeln!(
            text,
            "| {kind} | {writer} | {reader} | {all} | {} | {equal} | {blocked} | {refused} | {doubtful} | {differs} |",
            all - blocked
        );
    }
    text
}

/// What is not equal, a line each: the model, where, and why.
pub fn models_reasons(cells: &[ModelCell]) -> String {
    let mut text = String::new();
    for cell in cells {
        let why = match &cell.fared {
            ModelOutcome::Equal => continue,
            ModelOutcome::NotWritten(why) => format!("not written: {why}"),
            ModelOutcome::Blocked(all) => format!("no exact form: {}", all.join("; ")),
            ModelOutcome::Refused(words) => format!("refused: {words}"),
            ModelOutcome::Doubtful(how) => format!("differs, and it is said that it may: {how}"),
            ModelOutcome::Differs(how) => format!("differs: {how}"),
        };
        let (name, kind) = (&cell.name, cell.kind.word());
        let _ = writeln!(text, "{name} {kind} by {} on {}: {why}", cell.writer, cell.reader);
    }
    text
}
