//! Checkpoints and whole modules that releases write with `torch.save`, and what each release does with those of others.
//!
//! `lab/torch/probes/torch_pickles.py` writes, loads and calls them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use unskew_core::Version;

use crate::TorchHost;
use crate::answers::{answers, lines};

/// A file that a release wrote.
#[derive(Clone, Debug)]
pub struct PickledFile {
    /// The release that wrote it.
    pub writer: Version,
    /// The name of its object in the probe.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
}

/// Where a release failed with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PickledPhase {
    /// It did not.
    Ok,
    /// When it was loaded.
    Load,
    /// When the module in it was called.
    Call,
    /// The process ended, by either.
    Crash,
}

/// What a release did with a file.
#[derive(Clone, Debug, Deserialize)]
pub struct PickledAnswer {
    /// Where it failed.
    pub phase: PickledPhase,
    /// Its words.
    pub said: String,
}

impl TorchHost {
    /// Has this release write objects into a folder; what it said, for [`written`].
    ///
    /// # Errors
    /// If it cannot be run, or ends before it is through.
    pub fn write_pickles(&self, folder: &Path, limit: Duration) -> anyhow::Result<String> {
        answers(self.probe("torch_pickles.py").arg("write").arg(folder), limit)
    }

    /// Has this release load files and call what is a module; what it said, for [`read`].
    ///
    /// # Errors
    /// As [`TorchHost::write_pickles`].
    pub fn read_pickles(&self, files: &[PickledFile], limit: Duration) -> anyhow::Result<String> {
        let paths = files.iter().map(|one| &one.path);
        answers(self.probe("torch_pickles.py").arg("read").args(paths), limit)
    }
}

/// The files that a release wrote into a folder.
///
/// # Errors
/// If the text is not what [`TorchHost::write_pickles`] gives.
pub fn written(writer: Version, folder: &Path, text: &str) -> anyhow::Result<Vec<PickledFile>> {
    #[derive(Deserialize)]
    struct Detail {
        file: Option<String>,
    }
    let mut all = Vec::new();
    for line in lines(text) {
        let line = line?;
        let detail: Detail = serde_json::from_str(&line.detail)?;
        if let Some(file) = detail.file {
            all.push(PickledFile { writer, name: line.step, path: folder.join(file) });
        }
    }
    Ok(all)
}

/// What a release did with each of these files; none of one that it was not given.
///
/// # Errors
/// If the text is not what [`TorchHost::read_pickles`] gives.
pub fn read(files: &[PickledFile], text: &str) -> anyhow::Result<Vec<Option<PickledAnswer>>> {
    let mut answers = std::collections::BTreeMap::new();
    for line in lines(text) {
        let line = line?;
        let answer: PickledAnswer = serde_json::from_str(&line.detail)?;
        answers.insert(line.step, answer);
    }
    Ok(files.iter().map(|one| answers.get(&*one.path.to_string_lossy()).cloned()).collect())
}
