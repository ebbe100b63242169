//! Children that wait for questions.

use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::reader_process::{ReaderProcess, Stopped};
use crate::{Allowance, Cause, ReaderEnding};

/// After how many questions a child is ended.
const MOST_QUESTIONS: u32 = 512;

/// For how long a child is kept that nobody asks.
const IDLE: Duration = Duration::from_secs(60);

type Start = Arc<dyn Fn(&Allowance) -> Command + Send + Sync>;

/// Children that read artifacts.
pub struct Readers {
    start: Start,
    allowance: Allowance,
    fingerprint: String,
    idle: Mutex<Vec<ReaderProcess>>,
    most_idle: usize,
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Readers").field("allowance", &self.allowance).finish_non_exhaustive()
    }
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no child. That says nothing about the artifact.
    #[error("no process to read artifacts in: {0}")]
    NotStarted(String),
    /// The child ended over the artifact.
    #[error("{}", .0.why)]
    Ended(ReaderEnding),
    /// The parent could not read the artifact, or not keep the result.
    #[error(transparent)]
    Unread(io::Error),
}

impl Readers {
    /// Children that are started by a command; it has to come to [`crate::serve`] with the same allowance, in the same
    /// version of the program, which `fingerprint` names. At most `most_idle` wait for questions.
    pub fn new(
        allowance: Allowance,
        fingerprint: String,
        most_idle: usize,
        start: impl Fn(&Allowance) -> Command + Send + Sync + 'static,
    ) -> Self {
        let start = Arc::new(start);
        Self { start, allowance, fingerprint, idle: Mutex::new(Vec::new()), most_idle }
    }

    /// What each of them may use.
    pub fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    /// Ends those that nobody has asked for a while.
    pub fn rest(&self) {
        let resting: Vec<ReaderProcess> = {
            let mut idle = self.idle();
            let (rest, busy) = idle.drain(..).partition(|one| one.last.elapsed() > IDLE);
            *idle = busy;
            rest
        };
        drop(resting);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ReaderProcess>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that has the artifact open, or else any that is idle, or else a new one.
    fn lend(&self, wanted: Option<&str>) -> Result<ReaderProcess, Failure> {
        let known = {
            let mut idle = self.idle();
            let has = |one: &ReaderProcess| wanted.is_some() && one.opened.as_deref() == wanted;
            let at = idle.iter().position(has).or_else(|| idle.len().checked_sub(1));
            at.map(|at| idle.remove(at))
        };
        known.map_or_else(|| self.begin(), Ok)
    }

    fn begin(&self) -> Result<ReaderProcess, Failure> {
        let begun =
            ReaderProcess::start((self.start)(&self.allowance), self.allowance, &self.fingerprint);
        begun.map_err(Failure::NotStarted)
    }

    fn give_back(&self, reader: ReaderProcess) {
        if reader.is_over || reader.asked >= MOST_QUESTIONS || reader.is_bloated() {
            return;
        }
        let mut idle = self.idle();
        if idle.len() < self.most_idle {
            idle.push(reader);
        }
    }

    /// Has `work` ask a child; if that ends and was asked before, then a new one. `artifact` names what it then has open.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn with<T>(
        &self,
        artifact: Option<&str>,
        mut work: impl FnMut(&mut ReaderProcess) -> Result<T, Stopped>,
    ) -> Result<T, Failure> {
        let mut reader = self.lend(artifact)?;
        loop {
            let fresh = reader.asked == 0;
            match work(&mut reader) {
                Ok(done) => {
                    reader.opened = artifact.map(str::to_owned);
                    self.give_back(reader);
                    return Ok(done);
                }
                // The time of a question is its own, whatever was before.
                Err(Stopped::Ended(ended)) if fresh || ended.cause == Cause::Time => {
                    return Err(Failure::Ended(ended));
                }
                Err(Stopped::Ended(_)) => reader = self.begin()?,
                Err(Stopped::Unread(error)) => return Err(Failure::Unread(error)),
            }
        }
    }
}
