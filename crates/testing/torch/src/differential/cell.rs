//! Cell of the differential test, one file on one release: what the verdict says, and what the release does.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use unskew_core::{Context, Severity, Verdict, Version, check};
use unskew_interpreter::ScalarValue;
use unskew_releases::Release;
use unskew_source::{ConvertedArtifact, FileSource, Source, SourceExt as _};
use unskew_torch::{TorchConvertOptions, TorchRuntime};

use super::CompiledModule;
use crate::recorded::{TOLERANCE, difference, is_rounding, loose_numbers, near, value};
use crate::{JobOutcome, ModuleLoader, RunJob, RunPhase, TorchHost};

/// What a verdict says goes wrong first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PredictedFailure {
    /// It is loaded and runs.
    Works,
    /// Nothing that was judged; other parts were not.
    Unjudged,
    /// It is not loaded.
    Load,
    /// It fails when it runs.
    FirstUse,
    /// It gives another answer.
    Silent,
    /// It may give another answer.
    Doubtful,
}

/// What a release does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseResult {
    /// It gives what was recorded.
    Works,
    /// It does not load the file.
    Load,
    /// It fails when it runs.
    FirstUse,
    /// It ends the process.
    Crash,
    /// It gives another answer.
    Silent,
}

/// One file on one release.
#[derive(Clone, Debug)]
pub struct DifferentialCell {
    /// The release that wrote it.
    pub writer: Version,
    /// The release that it was run on.
    pub reader: Version,
    /// The name of the file.
    pub file: String,
    /// What it is made of.
    pub pieces: Vec<String>,
    /// Whether it was converted for the reader.
    pub converted: bool,
    /// What the verdict said.
    pub said: PredictedFailure,
    /// What became of it.
    pub real: ReleaseResult,
    /// What the release said to a failure.
    pub words: String,
    /// The file as it was written, for as long as its folder is there.
    pub path: PathBuf,
}

impl DifferentialCell {
    /// Whether the verdict held.
    pub fn agrees(&self) -> bool {
        match (self.said, self.real) {
            (PredictedFailure::Unjudged, _) => true,
            (PredictedFailure::Works, real) => real == ReleaseResult::Works,
            (PredictedFailure::Load, real) => {
                matches!(real, ReleaseResult::Load | ReleaseResult::Crash)
            }
            (PredictedFailure::FirstUse, real) => {
                matches!(real, ReleaseResult::FirstUse | ReleaseResult::Crash)
            }
            (PredictedFailure::Silent, real) => real == ReleaseResult::Silent,
            (PredictedFailure::Doubtful, real) => {
                matches!(real, ReleaseResult::Silent | ReleaseResult::Works)
            }
        }
    }

    /// Whether it was converted and gives another answer, of which the verdict says nothing.
    pub fn is_wrong_conversion(&self) -> bool {
        self.converted && self.said == PredictedFailure::Works && self.real == ReleaseResult::Silent
    }
}

impl PredictedFailure {
    /// What a verdict says.
    pub fn from_verdict(verdict: &Verdict) -> Self {
        let errors = verdict.findings.iter().filter(|one| one.severity == Severity::Error);
        match errors.filter_map(|one| one.phase).min() {
            Some(unskew_core::Phase::Load) => Self::Load,
            Some(unskew_core::Phase::FirstUse) => Self::FirstUse,
            Some(unskew_core::Phase::Silent) => Self::Silent,
            None => {
                let silent = Some(unskew_core::Phase::Silent);
                let doubtful = verdict.findings.iter().any(|one| one.phase == silent);
                match (doubtful, verdict.unjudged.is_empty()) {
                    (true, _) => Self::Doubtful,
                    (false, false) => Self::Unjudged,
                    (false, true) => Self::Works,
                }
            }
        }
    }
}

/// Every file of these on a release, as it is and, where it is another release than its writer, converted.
///
/// # Errors
/// If a file cannot be read or written, or the release not be run.
pub fn cells(
    writer: Version,
    folder: &Path,
    all: &[CompiledModule],
    host: &TorchHost,
    release: Release,
    limit: Duration,
) -> anyhow::Result<Vec<DifferentialCell>> {
    let Some(runtime) = unskew_releases::torch::runtime(release.row()) else {
        anyhow::bail!("no release of PyTorch: {release}");
    };
    let place = folder.join(format!("for-{}", host.version));
    fs::create_dir_all(&place)?;
    let (mut cells, mut jobs, mut wanted) = (Vec::new(), Vec::new(), BTreeMap::new());
    for (material, file) in all.iter().flat_map(|one| one.files.iter().map(move |file| (one, file)))
    {
        let loader = match file.rsplit_once('.') {
            Some((_, "ptl")) => ModuleLoader::Mobile,
            Some((_, "pt2")) => ModuleLoader::Exported,
            _ => ModuleLoader::Script,
        };
        let path = folder.join(file);
        let converted = place.join(file);
        let mut made = vec![(false, path.clone(), said(&path, &runtime)?)];
        if host.version != writer
            && let Some(said) = convert(&path, Some(&converted), &runtime)?
        {
            made.push((true, converted, said));
        }
        for (converted, path, said) in made {
            let name = format!("{file} {converted}");
            let inputs = material.inputs.clone();
            jobs.push(RunJob { name: name.clone(), path, loader, inputs, engine: None });
            wanted.insert(name, (&material.outputs, cells.len()));
            cells.push(DifferentialCell {
                writer,
                reader: host.version,
                file: file.clone(),
                pieces: material.pieces.clone(),
                converted,
                said,
                real: ReleaseResult::Works,
                words: String::new(),
                path: folder.join(file),
            });
        }
    }
    let outcomes = host.run(&jobs, limit)?;
    let mut without_loader = Vec::new();
    for (name, (output, at)) in wanted {
        let (Some(outcome), Some(cell)) = (outcomes.get(&name), cells.get_mut(at)) else {
            continue;
        };
        match real(outcome, output)? {
            Some(real) => cell.real = real,
            None => without_loader.push(at),
        }
        cell.words.clone_from(&outcome.said);
    }
    let mut number = 0..;
    cells.retain(|_| !without_loader.contains(&number.next().unwrap_or(0)));
    Ok(cells)
}

/// What the verdict says of a file.
pub(super) fn said(path: &Path, runtime: &TorchRuntime) -> anyhow::Result<PredictedFailure> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let Some(party) = unskew_torch::party(&source)? else { anyhow::bail!("{}", path.display()) };
    Ok(PredictedFailure::from_verdict(&judged(&party, runtime)))
}

fn judged(party: &unskew_core::Party, runtime: &TorchRuntime) -> Verdict {
    check(party, &runtime.party(), &Context::for_tests())
}

/// Converts a file, into `to` if that is named; what the verdict says of the result, none if there is nothing to run.
pub(super) fn convert(
    path: &Path,
    to: Option<&Path>,
    runtime: &TorchRuntime,
) -> anyhow::Result<Option<PredictedFailure>> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let options = TorchConvertOptions::default();
    let converted = unskew_torch::convert_with_origin(&source, runtime, &options)?;
    let Some((plan, ConvertedArtifact::File(result), origin)) = converted else { return Ok(None) };
    if !plan.is_possible() || plan.changes_nothing() {
        return Ok(None);
    }
    let result: Arc<dyn Source> = result;
    let Some(party) = unskew_torch::party_converted(&result, &origin)? else { return Ok(None) };
    let verdict = judged(&party, runtime);
    // The command writes nothing of which the verdict has an error.
    if verdict.severity() == Some(Severity::Error) {
        return Ok(None);
    }
    if let Some(to) = to {
        fs::write(to, result.all()?)?;
    }
    Ok(Some(PredictedFailure::from_verdict(&verdict)))
}

/// What an outcome means; none if the release has no such loader.
pub(crate) fn real(
    outcome: &JobOutcome,
    wanted: &serde_json::Value,
) -> anyhow::Result<Option<ReleaseResult>> {
    Ok(Some(match (outcome.phase, &outcome.output) {
        (RunPhase::None, _) => return Ok(None),
        (RunPhase::Load, _) => ReleaseResult::Load,
        (RunPhase::Run, _) => ReleaseResult::FirstUse,
        (RunPhase::Crash, _) => ReleaseResult::Crash,
        (RunPhase::Ok, Some(found)) => {
            // Kernels of other releases add in another order.
            let tolerance = TOLERANCE * 10.0;
            let (loose, others) = (loose_numbers(wanted)?, loose_numbers(found)?);
            let is_near = |(a, b): (&ScalarValue, &ScalarValue)| near(*a, *b, tolerance);
            if loose.len() != others.len() || !loose.iter().zip(&others).all(is_near) {
                return Ok(Some(ReleaseResult::Silent));
            }
            let (wanted, found) = (value(wanted)?, value(found)?);
            match difference(&wanted, &found, tolerance) {
                None => ReleaseResult::Works,
                Some(_) if is_rounding(&wanted, &found, TOLERANCE) => ReleaseResult::Works,
                Some(_) => ReleaseResult::Silent,
            }
        }
        (RunPhase::Ok, None) => ReleaseResult::Silent,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(said: PredictedFailure, real: ReleaseResult) -> DifferentialCell {
        let version = Version::triple(1, 4, 0);
        let (file, pieces, words) = (String::new(), Vec::new(), String::new());
        let (writer, reader, path) = (version, version, PathBuf::new());
        DifferentialCell { writer, reader, file, pieces, converted: true, said, real, words, path }
    }

    #[test]
    fn a_verdict_holds_if_what_goes_wrong_is_what_it_says() {
        for (said, real, agrees) in [
            (PredictedFailure::Works, ReleaseResult::Works, true),
            (PredictedFailure::Works, ReleaseResult::Silent, false),
            (PredictedFailure::Works, ReleaseResult::Load, false),
            (PredictedFailure::Load, ReleaseResult::Works, false),
            (PredictedFailure::Load, ReleaseResult::FirstUse, false),
            (PredictedFailure::FirstUse, ReleaseResult::Crash, true),
            (PredictedFailure::Silent, ReleaseResult::Silent, true),
            (PredictedFailure::Doubtful, ReleaseResult::Load, false),
            (PredictedFailure::Unjudged, ReleaseResult::Silent, true),
        ] {
            assert_eq!(cell(said, real).agrees(), agrees, "{said:?} {real:?}");
        }
        assert!(cell(PredictedFailure::Works, ReleaseResult::Silent).is_wrong_conversion());
        assert!(!cell(PredictedFailure::Unjudged, ReleaseResult::Silent).is_wrong_conversion());
    }
}
