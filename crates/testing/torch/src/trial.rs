//! The recorded files on one release, as they are and converted for it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use unskew_interpreter::ScriptValue;
use unskew_releases::Release;
use unskew_source::{ConvertedArtifact, SourceExt as _};
use unskew_torch::TorchConvertOptions;

use crate::recorded::{self, RecordedModel, TOLERANCE, difference};
use crate::run::{JobOutcome, RunPhase};
use crate::{ModuleLoader, RunJob, TorchHost};

/// The kinds of files, by what their names end in.
const KINDS: [(&str, ModuleLoader); 4] = [
    ("pt", ModuleLoader::Script),
    ("ptl", ModuleLoader::Mobile),
    ("ff", ModuleLoader::Mobile),
    ("pt2", ModuleLoader::Exported),
];

/// What conversion does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversionPrediction {
    /// It stays byte for byte as it is.
    Unchanged,
    /// It was rewritten, and is run so.
    Rewritten,
    /// It has no exact form, for this reason.
    Blocked(String),
}

/// What a release did with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialOutcome {
    /// It gave what was recorded, or refused what its writer refused.
    Equal,
    /// It gave a result, where its writer refused to.
    Accepted,
    /// It was not loaded, or stopped, with these words.
    Refused(String),
    /// It killed the process.
    Crashed(String),
    /// It gave something else.
    Differs(String),
    /// The release has no loader for such files that Python can call.
    NoLoader,
}

/// A recorded file on a release.
#[derive(Clone, Debug)]
pub struct ReleaseTrial {
    /// The writer and the file: `1.10.2/linspace.ptl`.
    pub file: String,
    /// What conversion does to it.
    pub fate: ConversionPrediction,
    /// What the release did with the file as it is, if it was tried.
    pub before: Option<TrialOutcome>,
    /// What it did with the converted file; the same as before if conversion leaves it as it is.
    pub after: Option<TrialOutcome>,
}

impl ReleaseTrial {
    /// The kind of the file: what its name ends in.
    pub fn kind(&self) -> &str {
        self.file.rsplit('.').next().unwrap_or_default()
    }

    /// The model without its release: `linspace`.
    pub fn model(&self) -> &str {
        let name = self.file.split_once('/').map_or(&*self.file, |(_, name)| name);
        name.split('.').next().unwrap_or_default()
    }
}

/// Which files are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSelection {
    /// All, as they are and converted.
    All,
    /// Those that a conversion rewrites, converted.
    Rewritten,
}

/// A file, what it has to give, and the names of its jobs.
struct PlannedTrial {
    trial: ReleaseTrial,
    wanted: Option<ScriptValue>,
}

/// Every recorded file on a release. `runtime` is that release in the database.
///
/// # Errors
/// If a file cannot be converted or written, or the release not be run.
pub fn trials(
    host: &TorchHost,
    runtime: Release,
    selection: FileSelection,
    limit: Duration,
) -> anyhow::Result<Vec<ReleaseTrial>> {
    let folder = tempfile::tempdir()?;
    let (files, mut planned, mut jobs) = (recorded::files()?, Vec::new(), Vec::new());
    for one in recorded::all()? {
        for (kind, loader) in KINDS {
            let file = format!("{}.{kind}", one.model);
            let Some(bytes) = files.get(&file) else { continue };
            let before = folder.path().join(&file);
            fs::create_dir_all(before.parent().unwrap_or(folder.path()))?;
            fs::write(&before, bytes)?;
            let after = before.with_extension(format!("converted.{kind}"));
            let fate = convert(&file, bytes, runtime, &after)?;
            let job = |name: String, path: &Path| RunJob {
                name,
                path: path.to_owned(),
                loader,
                inputs: one.inputs.clone(),
                engine: None,
            };
            if fate == ConversionPrediction::Rewritten {
                jobs.push(job(converted(&file), &after));
            }
            if selection == FileSelection::All {
                jobs.push(job(file.clone(), &before));
            }
            // A flatbuffer has no code that could be run here; the archive of the same module has.
            let twin = files.get(&format!("{}.pt", one.model)).filter(|_| kind == "ff");
            planned.push(plan(&one, file, twin.unwrap_or(bytes), fate)?);
        }
    }
    let outcomes = host.run(&jobs, limit)?;
    let came = |name: &str, wanted: &Option<ScriptValue>| {
        outcomes.get(name).map(|outcome| came(outcome, wanted.as_ref())).transpose()
    };
    let mut trials = Vec::new();
    for PlannedTrial { mut trial, wanted } in planned {
        trial.before = came(&trial.file, &wanted)?;
        trial.after = match trial.fate {
            ConversionPrediction::Unchanged => trial.before.clone(),
            ConversionPrediction::Rewritten => came(&converted(&trial.file), &wanted)?,
            ConversionPrediction::Blocked(_) => None,
        };
        trials.push(trial);
    }
    Ok(trials)
}

/// The name of the job of a converted file.
fn converted(file: &str) -> String {
    format!("{file} (converted)")
}

fn plan(
    one: &RecordedModel,
    file: String,
    bytes: &[u8],
    fate: ConversionPrediction,
) -> anyhow::Result<PlannedTrial> {
    let wanted = one.wanted(&file, &recorded::source(&file, bytes))?;
    Ok(PlannedTrial { trial: ReleaseTrial { file, fate, before: None, after: None }, wanted })
}

/// Converts a file for a release, into `to` if that rewrites it.
fn convert(
    file: &str,
    bytes: &[u8],
    release: Release,
    to: &Path,
) -> anyhow::Result<ConversionPrediction> {
    let options =
        TorchConvertOptions { written_by: writer(file)?, ..TorchConvertOptions::default() };
    let Some(runtime) = unskew_releases::torch::runtime(release.row()) else {
        anyhow::bail!("no release of PyTorch: {release}");
    };
    let source = recorded::source(file, bytes);
    let Some((plan, output)) = unskew_torch::convert(&source, &runtime, &options)? else {
        anyhow::bail!("no PyTorch file: {file}");
    };
    if let Some(blocker) = plan.blockers.first() {
        let why = blocker.message.split_once(": ").map_or(&*blocker.message, |(_, why)| why);
        return Ok(ConversionPrediction::Blocked(format!("{} {why}", blocker.rule.code)));
    }
    let ConvertedArtifact::File(result) = output else { anyhow::bail!("{file}: became a folder") };
    if plan.changes_nothing() {
        return Ok(ConversionPrediction::Unchanged);
    }
    fs::write(to, result.all()?)?;
    Ok(ConversionPrediction::Rewritten)
}

/// The writer of the files that do not show on which side of a change they were written: 1.12 and 1.13 write alike, and
/// `floor_divide` rounds otherwise since 1.13.
fn writer(file: &str) -> anyhow::Result<Option<unskew_core::Version>> {
    let stated = file.starts_with("1.12.1/qdiv.");
    Ok(if stated { Some(recorded::release(file)?) } else { None })
}

/// What an outcome means for a file that has to give `wanted`.
fn came(outcome: &JobOutcome, wanted: Option<&ScriptValue>) -> anyhow::Result<TrialOutcome> {
    Ok(match (outcome.phase, wanted, &outcome.output) {
        (RunPhase::None, ..) => TrialOutcome::NoLoader,
        (RunPhase::Crash, ..) => TrialOutcome::Crashed(outcome.said.clone()),
        (RunPhase::Run, None, _) => TrialOutcome::Equal,
        (RunPhase::Load | RunPhase::Run, ..) => TrialOutcome::Refused(outcome.said.clone()),
        (RunPhase::Ok, Some(wanted), Some(found)) => {
            let found = recorded::value(found)?;
            difference(wanted, &found, TOLERANCE).map_or(TrialOutcome::Equal, TrialOutcome::Differs)
        }
        (RunPhase::Ok, None, _) => TrialOutcome::Accepted,
        (RunPhase::Ok, ..) => TrialOutcome::Differs("no output".to_owned()),
    })
}
