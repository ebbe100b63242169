//! Files of models that one release writes and another loads: archives, HDF5, and weights alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use unskew_core::{Phase, Unjudged};
use unskew_keras::{KerasModel, KerasRelease, judge};
use unskew_lab_harness::Comparison;
use unskew_source::{FileSource, Source};

use super::python::{Answers, KerasPython, answers};

const PROBE: &str = "lab/tensorflow/probes/keras_files.py";

/// The endings of files, the longest first.
pub(super) const ENDINGS: [&str; 3] = [".weights.h5", ".keras", ".h5"];

/// A file on a release.
pub(super) struct FileOnRelease {
    pub(super) ending: &'static str,
    pub(super) came: String,
    pub(super) comparison: Comparison,
    pub(super) path: PathBuf,
}

/// The files that a release writes for what a seed draws.
pub(super) fn written(
    python: &KerasPython,
    folder: &Path,
    writer: &str,
    [seed, count]: [&str; 2],
) -> anyhow::Result<Vec<PathBuf>> {
    let place = folder.join(format!("files-{writer}-{seed}-{count}"));
    let to = place.display().to_string();
    let log = folder.join(format!("files-{writer}-{seed}-{count}.txt"));
    python.ask(writer, PROBE, &["write", &to, seed, count], &log)?;
    let mut all: Vec<PathBuf> = fs::read_dir(&place)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    all.retain(|path| ending(path).is_some());
    all.sort();
    Ok(all)
}

/// Which of the endings a file has.
pub(super) fn ending(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    ENDINGS.into_iter().find(|ending| name.ends_with(ending))
}

/// What a release makes of files; `name` is that of the list and of the answers.
pub(super) fn loaded(
    python: &KerasPython,
    folder: &Path,
    reader: &str,
    name: &str,
    files: &[PathBuf],
) -> anyhow::Result<Answers> {
    let list = folder.join(format!("{name}.txt"));
    let lines: String = files.iter().map(|path| format!("{}\n", path.display())).collect();
    let place = folder.join(format!("{name}-by-{reader}.tsv"));
    if fs::read_to_string(&list).ok().as_ref() != Some(&lines) {
        // Other files than last time.
        fs::write(&list, lines)?;
        let _ = fs::remove_file(&place);
    }
    python.ask(reader, PROBE, &["read", &format!("@{}", list.display())], &place)?;
    answers(&place)
}

/// What is said of files beside what a release does with them.
pub(super) fn compared(
    keras: &KerasRelease,
    files: &[PathBuf],
    answers: &BTreeMap<String, (String, String)>,
) -> anyhow::Result<Vec<FileOnRelease>> {
    let mut all = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let Some((came, error)) = answers.get(&name) else { continue };
        if came == "skipped" {
            continue;
        }
        let comparison = compare(keras, path, came, error)?;
        let ending = ending(path).context("no file of Keras")?;
        all.push(FileOnRelease { ending, came: came.clone(), comparison, path: path.clone() });
    }
    Ok(all)
}

fn compare(
    keras: &KerasRelease,
    path: &Path,
    outcome: &str,
    error: &str,
) -> anyhow::Result<Comparison> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let model = KerasModel::read(&source)?
        .with_context(|| format!("no file of Keras: {}", path.display()))?;
    let judged = judge(&model, keras);
    let has = |phase| judged.findings.iter().any(|one| one.rule.phase == Some(phase));
    let said = match (has(Phase::Load), has(Phase::FirstUse), has(Phase::Silent)) {
        (true, _, _) => "fails",
        (_, true, _) => "fails at the first call",
        (_, _, true) => "differs",
        _ => "ok",
    };
    let line = || {
        let codes: Vec<String> = judged
            .findings
            .iter()
            .map(|one| format!("{} {}", one.rule.code, one.message))
            .collect();
        format!(
            "{}\t{}\tsaid {said}\twas {outcome}\t{}\t{error}",
            keras.version,
            path.display(),
            codes.join("; ")
        )
    };
    let open = said == "ok" && !judged.unjudged.iter().all(Unjudged::is_common);
    Ok(match (said, outcome) {
        _ if open => Comparison::NotJudged,
        (said, outcome) if said == outcome => Comparison::Right,
        // What layers compute is not judged between releases, and a verdict says so.
        ("ok", "differs") => Comparison::Right,
        (_, "ok" | "differs") => Comparison::FalseRefused(line()),
        ("ok", _) => Comparison::FalseCompatible(line()),
        _ => Comparison::WrongPhase(line()),
    })
}
