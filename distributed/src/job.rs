//! What is to be scanned, and one shard of it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use unskew_scan::{
    Allowance, ArtifactJudge, Inventory, JudgeProcesses, Question, ScanError, ScanSettings,
    ScanShard, Summary, VerdictTable,
};

/// The program that judges artifacts.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// From now on artifacts are read by processes of `program`, each within the budgets of a check: it has to come to
/// [`unskew_scan::judge_process_main`] with the arguments `__judge MEMORY SECONDS`. A program that does not say so reads them
/// itself, and trusts them.
pub fn judge_in_processes_of(program: PathBuf) {
    // Who says it twice has said it.
    let _ = PROGRAM.set(program);
}

fn judge(question: &Question) -> Result<ArtifactJudge, ScanError> {
    let Some(program) = PROGRAM.get() else { return ArtifactJudge::new(question) };
    // Runtimes may lie in stores, whose settings stand in the environment.
    let processes = JudgeProcesses::new(move |allowance| {
        let Allowance { memory, seconds } = allowance;
        let mut command = Command::new(program);
        command.args(["__judge", &memory.to_string(), &seconds.to_string()]);
        command.envs(std::env::vars_os());
        command
    });
    ArtifactJudge::in_processes(question, processes)
}

/// A scan in shards: what `unskew scan` is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Where artifacts lie. Every executor must see the same there.
    pub uris: Vec<String>,
    /// The runtimes with which every artifact is judged.
    pub with: Vec<String>,
    /// The day on which promises are judged, `YYYY-MM-DD`: one for all executors, whatever their clocks say.
    pub as_of: String,
    /// The folder or prefix that rows go to. Every executor must reach it.
    pub table: String,
    /// In how many shards, from 1.
    pub shards: u32,
    /// How many artifacts of a shard are judged at once; none means as many as the executor has processors.
    pub jobs: Option<usize>,
}

impl Job {
    /// What is asked of every artifact.
    ///
    /// # Errors
    /// If the day is none, or a runtime is unknown.
    pub fn question(&self) -> Result<Question, ScanError> {
        let day = self.as_of.parse().map_err(|error| {
            ScanError::Runtime(format!(
                "the day is not written YYYY-MM-DD ({error}): {}",
                self.as_of
            ))
        })?;
        Question::new(&self.with, day)
    }

    /// Begins the table, or finds that it was begun with the same question.
    ///
    /// # Errors
    /// As [`VerdictTable::open`].
    pub fn begin(&self) -> Result<VerdictTable, ScanError> {
        VerdictTable::open(&self.table, &self.question()?)
    }

    /// Scans one shard, counted from 1; what the table has of it already is not done again.
    ///
    /// # Errors
    /// If there is no such shard, an inventory does not say what it has, or the table cannot be read or written.
    pub fn run(&self, shard: u32) -> Result<Summary, ScanError> {
        let named = || ScanError::Shard(format!("{shard}/{}", self.shards));
        let shard = ScanShard::new(shard, self.shards).ok_or_else(named)?;
        let judge = judge(&self.question()?)?;
        let sources: Vec<Box<dyn Inventory>> =
            self.uris.iter().map(|uri| unskew_scan::inventory(uri)).collect::<Result<_, _>>()?;
        let settings = ScanSettings { shard, jobs: self.jobs, ..ScanSettings::default() };
        unskew_scan::scan(&sources, &judge, &self.begin()?, &settings, &|_| {})
    }
}
