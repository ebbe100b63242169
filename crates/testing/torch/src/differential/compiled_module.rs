//! Archives that a release writes at random.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use unskew_peers::{ProcessEnd, run_probe};

use crate::TorchHost;

/// A module that a release compiled, ran and wrote.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompiledModule {
    /// The stem of its files.
    pub name: String,
    /// What it is made of.
    pub pieces: Vec<String>,
    /// What it was given.
    #[serde(default)]
    pub inputs: Vec<serde_json::Value>,
    /// The outputs that its writer recorded.
    #[serde(default)]
    pub outputs: serde_json::Value,
    /// Its files; none if the release does not compile it, or it fails there.
    #[serde(default)]
    pub files: Vec<String>,
}

impl TorchHost {
    /// Has this release write `count` modules into a folder, by a seed; of these `pieces` alone if there are some.
    ///
    /// # Errors
    /// If the release cannot be started, or ended before it was through.
    pub fn write(
        &self,
        folder: &Path,
        (seed, count): (u32, u32),
        pieces: &[String],
        limit: Duration,
    ) -> io::Result<Vec<CompiledModule>> {
        let mut command = self.command();
        command.arg(unskew_peers::root().join("lab/torch/probes/torch_write.py")).arg(folder);
        command.arg(seed.to_string()).arg(count.to_string()).args(pieces);
        let outcome = run_probe(&mut command, limit)?;
        if outcome.end != ProcessEnd::Finished {
            let words = outcome.errors.lines().rev().take(5).collect::<Vec<_>>().join("\n");
            return Err(io::Error::other(format!("{}: {words}", outcome.end)));
        }
        let steps = outcome.steps.iter();
        steps.map(|step| serde_json::from_str(&step.detail).map_err(io::Error::other)).collect()
    }
}
