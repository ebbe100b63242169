//! From an item to its rows.

use unskew_artifact::OpenError;

use crate::judge_process::JudgeProcesses;
use crate::runtimes::{Runtimes, failure};
use crate::{InventoryItem, Question, ScanError, VerdictRow};

/// Judges artifacts.
pub struct ArtifactJudge(Where);

/// Where artifacts are read.
enum Where {
    Here(Runtimes),
    InProcesses(JudgeProcesses, Question),
}

impl ArtifactJudge {
    /// The judge of this question, which reads artifacts in this process: for artifacts that are trusted. Readers have
    /// budgets, but a fault of one of them is a fault of this process.
    ///
    /// # Errors
    /// If one of the runtimes cannot be found or read.
    pub fn new(question: &Question) -> Result<Self, ScanError> {
        Ok(Self(Where::Here(Runtimes::for_question(question)?)))
    }

    /// The judge of this question, which has artifacts read by other processes, each within the budgets of a check.
    ///
    /// # Errors
    /// If there are no such processes, or one of the runtimes cannot be read in them.
    pub fn in_processes(question: &Question, processes: JudgeProcesses) -> Result<Self, ScanError> {
        processes.begin(question)?;
        Ok(Self(Where::InProcesses(processes, question.clone())))
    }

    /// All rows of an artifact; never none.
    ///
    /// # Errors
    /// If there is no process that could read it, which says nothing about the artifact.
    pub fn rows(&self, item: &InventoryItem) -> Result<Vec<VerdictRow>, ScanError> {
        let mut rows = match (item.open)() {
            Ok(content) => match &self.0 {
                Where::Here(runtimes) => runtimes.rows(content),
                Where::InProcesses(processes, question) => processes.rows(&content, question)?,
            },
            Err(error) => unopened(&error),
        };
        for row in &mut rows {
            let InventoryItem { uri, collection, revision, etag, sha256, size, .. } = item.clone();
            *row =
                VerdictRow { uri, collection, revision, etag, sha256, size, ..std::mem::take(row) };
        }
        Ok(rows)
    }
}

fn unopened(error: &OpenError) -> Vec<VerdictRow> {
    vec![failure(error)]
}
