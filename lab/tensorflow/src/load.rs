//! Loading of graphs and SavedModels by real releases.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use unskew_peers::{ProcessEnd, run_probe};

use crate::TensorFlowHost;

/// How something is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphLoader {
    /// A GraphDef is imported.
    Graph,
    /// A GraphDef is imported, and its node `asked` is placed on a device; it does not run.
    Place,
    /// A MetaGraphDef is imported.
    Meta,
    /// A SavedModel is loaded for a session.
    Session,
    /// A SavedModel is loaded as the objects of TensorFlow 2.
    Objects,
    /// The fingerprint of a SavedModel is read and computed anew: each hash has the value `True` if both are the
    /// same.
    Fingerprint,
}

/// Something to be loaded.
#[derive(Clone, Debug, Serialize)]
pub struct LoadJob {
    /// The name, by which its result is found.
    pub name: String,
    /// A file, or the folder of a SavedModel.
    pub path: PathBuf,
    /// How it is loaded.
    pub loader: GraphLoader,
    /// Whether every failure of a run is the graph's fault; else only those that no input could mend.
    pub strict: bool,
}

/// How far something came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoadStage {
    /// It was loaded and ran.
    Ok,
    /// It could not be loaded.
    Import,
    /// It was loaded, and its first run failed.
    Run,
}

/// A value that was computed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum ComputedValue {
    /// A number of any type.
    Number(f64),
    /// Text, or a number that JSON does not have.
    Text(String),
}

/// What came of a job.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct LoadOutcome {
    /// How far it came.
    pub phase: LoadStage,
    /// The first values of each output.
    pub values: BTreeMap<String, Vec<ComputedValue>>,
    /// What TensorFlow said to a failure.
    pub said: String,
}

impl LoadOutcome {
    /// Whether the outputs that both computed are the same: texts letter by letter, numbers up to `tolerance`.
    /// Without an output in common they are not.
    pub fn computes_what(&self, other: &Self, tolerance: f64) -> bool {
        let close = |(a, b): (&ComputedValue, &ComputedValue)| match (a, b) {
            (ComputedValue::Number(a), ComputedValue::Number(b)) => {
                (a - b).abs() <= tolerance * b.abs().max(1.0)
            }
            (a, b) => a == b,
        };
        let mut both =
            self.values.iter().filter_map(|(name, values)| Some((values, other.values.get(name)?)));
        let mut any = false;
        let same = both.all(|(a, b)| {
            any = true;
            a.len() == b.len() && a.iter().zip(b).all(close)
        });
        any && same
    }
}

impl TensorFlowHost {
    /// Loads all of these in one process.
    ///
    /// # Errors
    /// If the process cannot be started, or ended before it was through: with its last words.
    pub fn load(
        &self,
        jobs: &[LoadJob],
        limit: Duration,
    ) -> io::Result<BTreeMap<String, LoadOutcome>> {
        self.load_by("tf_load.py", jobs, limit)
    }

    /// Loads these SavedModels with the C++ library of this release, in a process without its Python.
    ///
    /// # Errors
    /// If the process cannot be started, or ended before it was through: with its last words.
    pub fn load_by_library(
        &self,
        jobs: &[LoadJob],
        limit: Duration,
    ) -> io::Result<BTreeMap<String, LoadOutcome>> {
        self.load_by("tf_library.py", jobs, limit)
    }

    fn load_by(
        &self,
        script: &str,
        jobs: &[LoadJob],
        limit: Duration,
    ) -> io::Result<BTreeMap<String, LoadOutcome>> {
        let mut list = tempfile::NamedTempFile::new()?;
        serde_json::to_writer(&mut list, jobs)?;
        list.flush()?;
        let outcome = run_probe(&mut self.probe(script, &[list.path()]), limit)?;
        let mut loaded = BTreeMap::new();
        for step in &outcome.steps {
            loaded.insert(step.step.clone(), serde_json::from_str(&step.detail)?);
        }
        if outcome.end != ProcessEnd::Finished || loaded.len() < jobs.len() {
            let words = outcome.errors.lines().rev().take(5).collect::<Vec<_>>().join("\n");
            let what =
                format!("{} after {} of {} jobs: {words}", outcome.end, loaded.len(), jobs.len());
            return Err(io::Error::other(what));
        }
        Ok(loaded)
    }

    /// Loads these, in as many processes as it takes: what ends its process counts as failed when it ran, and the
    /// others are loaded in another one.
    ///
    /// # Errors
    /// If a process cannot be started, or ended before it said anything of its first job twice.
    pub fn load_each(
        &self,
        jobs: &[LoadJob],
        limit: Duration,
    ) -> io::Result<BTreeMap<String, LoadOutcome>> {
        let mut loaded = BTreeMap::new();
        let mut rest = jobs;
        while let [first, ..] = rest {
            let mut list = tempfile::NamedTempFile::new()?;
            serde_json::to_writer(&mut list, rest)?;
            list.flush()?;
            let outcome = run_probe(&mut self.probe("tf_load.py", &[list.path()]), limit)?;
            let before = loaded.len();
            for step in &outcome.steps {
                loaded.insert(step.step.clone(), serde_json::from_str(&step.detail)?);
            }
            let through = loaded.len().saturating_sub(before);
            let died = rest.get(through).unwrap_or(first);
            if through < rest.len() {
                let said = format!("the process ended: {}", outcome.end);
                let dead = LoadOutcome { phase: LoadStage::Run, values: BTreeMap::new(), said };
                loaded.insert(died.name.clone(), dead);
            }
            rest = rest.get(through.saturating_add(1)..).unwrap_or(&[]);
        }
        Ok(loaded)
    }

    /// Lets this release write the models that older ones are tried on into `folder`.
    ///
    /// # Errors
    /// If it did not; with its last words.
    pub fn write_models(&self, folder: &Path) -> io::Result<()> {
        self.write("tf_write.py", folder)
    }

    /// Lets this release write SavedModels that one loader takes and another refuses into `folder`.
    ///
    /// # Errors
    /// If it did not; with its last words.
    pub fn write_models_for_loaders(&self, folder: &Path) -> io::Result<()> {
        self.write("tf_write_loaders.py", folder)
    }

    fn write(&self, script: &str, folder: &Path) -> io::Result<()> {
        let output = self.probe(script, &[folder]).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// A command that runs a probe in the environment of this release.
    pub(crate) fn probe(&self, script: &str, arguments: &[&Path]) -> Command {
        let mut command = self.peer.probe("tensorflow", script);
        command.args(arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_the_same_up_to_the_tolerance_and_only_if_there_are_any() {
        let loaded = |value: f64| LoadOutcome {
            phase: LoadStage::Ok,
            values: BTreeMap::from([("y".to_owned(), vec![ComputedValue::Number(value)])]),
            said: String::new(),
        };
        assert!(loaded(1.0).computes_what(&loaded(1.000_001), 1e-5));
        assert!(!loaded(1.0).computes_what(&loaded(1.1), 1e-5));
        let none =
            LoadOutcome { phase: LoadStage::Ok, values: BTreeMap::new(), said: String::new() };
        assert!(!none.computes_what(&loaded(1.0), 1e-5));
    }
}
