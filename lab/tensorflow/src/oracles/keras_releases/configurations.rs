//! Configurations of models that one release writes and another reads, without weights.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use unskew_core::Phase;
use unskew_keras::{KerasFormat, KerasModel, KerasRelease, judge};
use unskew_lab_harness::Comparison;

use super::python::{KerasPython, answers};

const PROBE: &str = "lab/tensorflow/probes/keras_configs.py";

/// Which models are written: one for everything that a release has (`every`), or as many as are drawn by a seed.
pub(super) struct DrawnConfigurations {
    pub(super) name: String,
    pub(super) arguments: [String; 2],
}

impl DrawnConfigurations {
    /// The configurations that these releases write, each once, in one file.
    pub(super) fn written(
        &self,
        python: &KerasPython,
        folder: &Path,
        writers: &[String],
    ) -> anyhow::Result<PathBuf> {
        let mut known = BTreeSet::new();
        let mut all = String::new();
        for writer in writers {
            let place = folder.join(format!("written-{writer}-{}.jsonl", self.name));
            let [what, count] = &self.arguments;
            python.ask(writer, PROBE, &["write", what, count], &place)?;
            for line in fs::read_to_string(&place)?.lines() {
                let mut told: Value = serde_json::from_str(line)?;
                // Another release that writes the same has asked nothing new.
                if known.insert(told["config"].take().to_string()) {
                    all.push_str(line);
                    all.push('\n');
                }
            }
        }
        let place = folder.join(format!("written-{}-{}.jsonl", writers.join("-"), self.name));
        fs::write(&place, all)?;
        Ok(place)
    }

    /// What is said of each configuration of a file beside what a release does with it.
    pub(super) fn compared(
        &self,
        python: &KerasPython,
        keras: &KerasRelease,
        written: &Path,
    ) -> anyhow::Result<Vec<Comparison>> {
        let stem = written.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let reader = keras.version.to_string();
        let place = written.with_file_name(format!("read-by-{reader}-{stem}.tsv"));
        python.ask(&reader, PROBE, &["read", &written.display().to_string()], &place)?;
        let answers = answers(&place)?;
        let mut compared = Vec::new();
        for (number, line) in fs::read_to_string(written)?.lines().enumerate() {
            let Some((came, error)) = answers.get(&number.to_string()) else { continue };
            compared.push(compare(serde_json::from_str(line)?, keras, came, error));
        }
        Ok(compared)
    }
}

fn compare(mut told: Value, keras: &KerasRelease, came: &str, error: &str) -> Comparison {
    let mut config = told["config"].take();
    let training = config.get_mut("compile_config").map(Value::take);
    let writer = told["writer"].as_str();
    let model = KerasModel {
        form: KerasFormat::Archive,
        keras: writer.map(str::to_owned),
        backend: None,
        config: Some(config),
        training: training.filter(|training| !training.is_null()),
        weights: (0, 0),
        optimizer_variables: 0,
        weight_paths: None,
        unread: Vec::new(),
    };
    let judged = judge(&model, keras);
    let fails = judged.findings.iter().any(|one| one.rule.phase == Some(Phase::Load));
    let line = || {
        let said: Vec<String> = judged
            .findings
            .iter()
            .map(|one| format!("{} {}", one.rule.code, one.message))
            .collect();
        let (reader, writer) = (keras.version, writer.unwrap_or_default());
        let name = told["name"].as_str().unwrap_or_default();
        format!("{reader}\t{writer}\t{name}\t{}\t{error}", said.join("; "))
    };
    match (fails, came) {
        (true, "fails") | (false, "ok") => Comparison::Right,
        (false, _) => Comparison::FalseCompatible(line()),
        (true, _) => Comparison::FalseRefused(line()),
    }
}
