//! Programs that releases write with `torch.export`, and what each release does with those of all others.
//!
//! `lab/torch/probes/torch_export.py` writes them, one for each thing that such a file can hold, and
//! `torch_export_refusals.py` tells what a release refuses in files of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use unskew_core::Version;
use unskew_source::{Archive, FileSource};

use crate::answers::{AnswerLine, answers, lines};
use crate::differential::{ReleaseResult, outcome_of};
use crate::{JobOutcome, ModuleLoader, RunJob, TorchHost};

/// Programs whose files show between them what a release refuses, with few records.
const SHOWING: [&str; 7] =
    ["add", "conv", "buffer_mutation", "dynamic", "cond", "constant_tensor", "int_input"];

/// The last releases that write the two older containers: later ones are given a file of each to see what they need of it.
const LAST_OF_CONTAINER: [Version; 2] = [Version::triple(2, 7, 1), Version::triple(2, 8, 0)];

/// A program that a release wrote.
#[derive(Clone, Debug)]
pub struct ExportedProgram {
    /// The release that wrote it.
    pub writer: Version,
    /// Its name in the probe.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    inputs: Vec<serde_json::Value>,
    output: serde_json::Value,
}

impl TorchHost {
    /// Has this release write the programs into a folder; what it said, for [`written`].
    ///
    /// # Errors
    /// If it cannot be run, or ends before it is through.
    pub fn write_programs(&self, folder: &Path, limit: Duration) -> anyhow::Result<String> {
        answers(self.probe("torch_export.py").arg(folder), limit)
    }

    /// What this release says to changed files of its own, and to those of the last release with another container; for
    /// [`refusals`].
    ///
    /// # Errors
    /// If it cannot be run, or ends before it is through.
    pub fn refuse_programs(
        &self,
        all: &[ExportedProgram],
        limit: Duration,
    ) -> anyhow::Result<String> {
        let scratch = tempfile::tempdir()?;
        let is_showing = |one: &&ExportedProgram| SHOWING.contains(&&*one.name);
        let of =
            |writer: Version| all.iter().filter(is_showing).filter(move |one| one.writer == writer);
        let mut command = self.probe("torch_export_refusals.py");
        command.arg(scratch.path()).args(of(self.version).map(|one| &one.path));
        for last in LAST_OF_CONTAINER.into_iter().filter(|last| *last < self.version) {
            command.args(of(last).take(1).map(|one| &one.path));
        }
        answers(&mut command, limit)
    }

    /// What this release does with all of these programs; for [`results`].
    ///
    /// # Errors
    /// If it cannot be run, or ends before it is through.
    pub fn read_programs(
        &self,
        all: &[ExportedProgram],
        limit: Duration,
    ) -> anyhow::Result<String> {
        let job = |one: &ExportedProgram| RunJob {
            name: format!("{} {}", one.writer, one.name),
            path: one.path.clone(),
            loader: ModuleLoader::Exported,
            inputs: one.inputs.clone(),
            engine: None,
        };
        let jobs: Vec<RunJob> = all.iter().map(job).collect();
        let mut text = String::new();
        for (name, outcome) in self.run(&jobs, limit)? {
            let ok = outcome.phase == crate::RunPhase::Ok;
            let line = AnswerLine { step: name, ok, detail: serde_json::to_string(&outcome)? };
            writeln!(text, "{}", serde_json::to_string(&line)?)?;
        }
        Ok(text)
    }
}

/// The programs that a release wrote into a folder.
///
/// # Errors
/// If the text is not what [`TorchHost::write_programs`] gives.
pub fn written(writer: Version, folder: &Path, text: &str) -> anyhow::Result<Vec<ExportedProgram>> {
    #[derive(Deserialize)]
    struct Detail {
        file: Option<String>,
        inputs: Vec<serde_json::Value>,
        output: serde_json::Value,
    }
    let mut all = Vec::new();
    for line in lines(text) {
        let line = line?;
        let detail: Detail = serde_json::from_str(&line.detail)?;
        if let Some(file) = detail.file {
            let (inputs, output, path) = (detail.inputs, detail.output, folder.join(file));
            all.push(ExportedProgram { writer, name: line.step, path, inputs, output });
        }
    }
    Ok(all)
}

/// What a release did with each of these programs, and its words; none of one that it was not given.
///
/// # Errors
/// If the text is not what [`TorchHost::read_programs`] gives.
pub fn results(
    all: &[ExportedProgram],
    text: &str,
) -> anyhow::Result<Vec<Option<(ReleaseResult, String)>>> {
    let mut outcomes: BTreeMap<String, JobOutcome> = BTreeMap::new();
    for line in lines(text) {
        let line = line?;
        outcomes.insert(line.step, serde_json::from_str(&line.detail)?);
    }
    let result = |one: &ExportedProgram| {
        let Some(outcome) = outcomes.get(&format!("{} {}", one.writer, one.name)) else {
            return Ok(None);
        };
        let result = outcome_of(outcome, &one.output)?;
        Ok(result.map(|result| (result, outcome.said.clone())))
    };
    all.iter().map(result).collect()
}

/// What a release said to changed files: whether it loads them, and its words, by the change.
///
/// # Errors
/// If the text is not what [`TorchHost::refuse_programs`] gives.
pub fn refusals(text: &str) -> anyhow::Result<BTreeMap<String, (bool, String)>> {
    let mut all: BTreeMap<String, (bool, String)> = BTreeMap::new();
    for line in lines(text) {
        let AnswerLine { step, ok, detail } = line?;
        all.entry(step).or_insert((ok, detail));
    }
    Ok(all)
}

/// The records that every one of these programs has, with `*` for the name of the model.
///
/// # Errors
/// If a file cannot be read.
pub fn records(all: &[ExportedProgram]) -> anyhow::Result<BTreeSet<String>> {
    let mut common: Option<BTreeSet<String>> = None;
    for one in all {
        let archive = Archive::open(std::sync::Arc::new(FileSource::open(&one.path)?))?;
        let names: BTreeSet<String> =
            archive.entries().iter().map(|entry| record_name(&entry.name)).collect();
        common = Some(match common {
            None => names,
            Some(before) => before.intersection(&names).cloned().collect(),
        });
    }
    Ok(common.unwrap_or_default())
}

/// Whether the graph of a program has an operator of higher order of this name.
///
/// # Errors
/// If its file cannot be read.
pub fn has_region(program: &ExportedProgram, name: &str) -> anyhow::Result<bool> {
    let archive = Archive::open(std::sync::Arc::new(FileSource::open(&program.path)?))?;
    let end = format!(".{name}\"");
    for entry in archive.entries().iter().filter(|entry| entry.name.ends_with(".json")) {
        let text = archive.read(entry)?;
        if String::from_utf8_lossy(&text).contains(&end) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A record's name as `torch_export_refusals.py` has it.
fn record_name(name: &str) -> String {
    let known =
        ["models/", "data/", "extra/", ".data/", "version", "byteorder", "archive_", ".format"];
    let within = name.split_once('/').map(|(_, rest)| rest);
    let within = within.filter(|rest| known.iter().any(|start| rest.starts_with(start)));
    let name = within.unwrap_or(name).replace("/model_", "/*_");
    let name = name.replace("models/model.json", "models/*.json");
    let folders = ["weights", "constants", "sample_inputs"];
    let own = folders.iter().find(|folder| name.starts_with(&format!("data/{folder}/model")));
    if own.is_some() { name.replacen("/model", "/*", 1) } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_named_without_the_archive_and_the_model() {
        for (name, plain) in [
            ("add/models/model.json", "models/*.json"),
            ("add/data/weights/model.pt", "data/weights/*.pt"),
            ("add/data/weights/model_weights_config.json", "data/weights/*_weights_config.json"),
            ("add/.data/version", ".data/version"),
            ("serialized_state_dict.pt", "serialized_state_dict.pt"),
            ("version", "version"),
        ] {
            assert_eq!(record_name(name), plain);
        }
    }
}
