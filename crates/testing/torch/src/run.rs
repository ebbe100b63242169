//! Jobs for a real PyTorch, and what became of them.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use unskew_peers::{ProcessEnd, run_probe};

use crate::TorchHost;

/// How a file is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModuleLoader {
    /// By `torch.jit.load`, a TorchScript archive.
    Script,
    /// By the mobile interpreter, a file with bytecode.
    Mobile,
    /// By `torch.export.load`, an exported program.
    Exported,
}

/// A file to be loaded and run.
#[derive(Clone, Debug, Serialize)]
pub struct RunJob {
    /// The name, by which its result is found.
    pub name: String,
    /// The path of the file.
    pub path: PathBuf,
    /// How it is loaded.
    pub loader: ModuleLoader,
    /// What it is given, as [`crate::recorded::RecordedModel`] has it.
    pub inputs: Vec<serde_json::Value>,
    /// The engine of its quantized operators; none for that which the release takes by itself.
    pub engine: Option<String>,
}

/// How far a job came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunPhase {
    /// It was loaded and ran.
    Ok,
    /// The release has no such loader.
    None,
    /// It could not be loaded.
    Load,
    /// It was loaded, and running it failed.
    Run,
    /// The process ended on the way.
    Crash,
}

/// What became of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobOutcome {
    /// How far it came.
    pub phase: RunPhase,
    /// The output, as JSON; none where it failed.
    pub output: Option<serde_json::Value>,
    /// What PyTorch said to a failure.
    pub said: String,
}

impl TorchHost {
    /// Loads and runs all of these, each in a process of its own.
    ///
    /// # Errors
    /// If PyTorch cannot be started, or ended before it was through: with its last words.
    pub fn run(
        &self,
        jobs: &[RunJob],
        limit: Duration,
    ) -> io::Result<BTreeMap<String, JobOutcome>> {
        let mut list = tempfile::NamedTempFile::new()?;
        serde_json::to_writer(&mut list, jobs)?;
        list.flush()?;
        let mut command = self.command();
        command.arg(unskew_peers::root().join("lab/torch/probes/torch_run.py")).arg(list.path());
        let outcome = run_probe(&mut command, limit)?;
        let mut found = BTreeMap::new();
        for step in &outcome.steps {
            found.insert(step.step.clone(), serde_json::from_str(&step.detail)?);
        }
        if outcome.end != ProcessEnd::Finished || found.len() < jobs.len() {
            let words = outcome.errors.lines().rev().take(5).collect::<Vec<_>>().join("\n");
            let what =
                format!("{} after {} of {} jobs: {words}", outcome.end, found.len(), jobs.len());
            return Err(io::Error::other(what));
        }
        Ok(found)
    }
}
