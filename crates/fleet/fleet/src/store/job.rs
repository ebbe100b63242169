//! Work in the background, shared by all processes on one database.
//!
//! Whoever works on a job raises its *beat* again and again. No clock is compared with another: a process that
//! waits for work notes the beats of the others, and a beat that stays the same for long on its own monotonic
//! clock is that of somebody who is gone. Then the job is taken over if owner and beat are still those that were seen,
//! in one step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audit::next;
use super::database::{Database, DatabaseRow, SqlValue, StoreError};
use super::{Act, Store};

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Nobody works on it.
    Waiting,
    /// Somebody works on it.
    Running,
    /// The job ended with a result.
    Done,
    /// It could not be done.
    Failed,
    /// Somebody wanted it no longer.
    Cancelled,
}

impl JobState {
    /// As the database and JSON have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing will happen any more.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    fn parse(text: &str) -> Option<Self> {
        let all = [Self::Waiting, Self::Running, Self::Done, Self::Failed, Self::Cancelled];
        all.into_iter().find(|state| state.as_str() == text)
    }
}

/// A decision or plan that is computed in the background.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number; later ones have higher numbers.
    pub number: i64,
    /// What is to be done, as JSON.
    pub ask: String,
    /// Who wanted it first.
    pub who: String,
    /// What became of it.
    pub state: JobState,
    /// The process that works on it.
    pub owner: Option<String>,
    /// Raised by whoever works on it.
    pub beat: i64,
    /// How often somebody began.
    pub attempts: i64,
    /// How many of its parts are done.
    pub done: u64,
    /// How many parts it has; 0 while that is not known.
    pub total: u64,
    /// Why it could not be done.
    pub problem: Option<String>,
    /// When it was asked for.
    pub created: String,
    /// When somebody last began.
    pub started: Option<String>,
    /// When it was over.
    pub finished: Option<String>,
}

/// A job as a process has seen another work on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunningJob {
    /// The number of the job.
    pub number: i64,
    /// Who works on it.
    pub owner: String,
    /// The last beat of whoever works on it.
    pub beat: i64,
}

const COLUMNS: &str = "number, ask, who, state, owner, beat, attempts, done, total, problem, \
                       created, started, finished";

impl Store {
    /// Adds a job, if fewer than `most` are waiting or running. One that asks for the same and is not over is
    /// found instead. None if there are too many.
    pub fn put_job(
        &mut self,
        ask: &str,
        who: &str,
        moment: &str,
        most: u64,
    ) -> Result<Option<Job>, StoreError> {
        let mut put = None;
        self.change(&Act { act: "job.begin", subject: ask }, &mut |database| {
            put = None;
            let sql = format!(
                "SELECT {COLUMNS} FROM jobs WHERE state IN ('waiting', 'running') AND ask = $1"
            );
            if let Some(row) = database.rows(&sql, &[ask.into()])?.first() {
                put = Some(kept(row)?);
                return Ok(None);
            }
            let open = "SELECT COUNT(*) FROM jobs WHERE state IN ('waiting', 'running')";
            let open = database.rows(open, &[])?.first().map_or(Ok(0), |row| row.count(0))?;
            if open >= most {
                return Ok(None);
            }
            let number = next(database, "SELECT COALESCE(MAX(number), 0) FROM jobs")?;
            database.run(
                "INSERT INTO jobs (number, ask, who, state, beat, attempts, done, total, created) \
                 VALUES ($1, $2, $3, 'waiting', 0, 0, 0, 0, $4)",
                &[number.into(), ask.into(), who.into(), moment.into()],
            )?;
            put = one(database, number)?;
            Ok(Some(format!("job {number}")))
        })?;
        Ok(put)
    }

    /// The job of this number.
    pub fn job(&mut self, number: i64) -> Result<Option<Job>, StoreError> {
        one(&mut *self.database, number)
    }

    /// The newest jobs below a number, newest first.
    pub fn jobs(&mut self, below: Option<i64>, most: u32) -> Result<Vec<Job>, StoreError> {
        let sql =
            format!("SELECT {COLUMNS} FROM jobs WHERE number < $1 ORDER BY number DESC LIMIT $2");
        let values = [below.unwrap_or(i64::MAX).into(), i64::from(most).into()];
        self.database.rows(&sql, &values)?.iter().map(kept).collect()
    }

    /// How many jobs are waiting, and how many somebody works on.
    pub fn job_counts(&mut self) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT COUNT(*), COALESCE(SUM(CASE WHEN state = 'running' THEN 1 ELSE 0 END), 0) \
                   FROM jobs WHERE state IN ('waiting', 'running')";
        let rows = self.database.rows(sql, &[])?;
        let Some(row) = rows.first() else { return Ok((0, 0)) };
        let (all, running) = (row.count(0)?, row.count(1)?);
        Ok((all.saturating_sub(running), running))
    }

    /// Who works on what.
    pub fn running_jobs(&mut self) -> Result<Vec<RunningJob>, StoreError> {
        let sql = "SELECT number, owner, beat FROM jobs WHERE state = 'running' ORDER BY number";
        let running = |row: &DatabaseRow| {
            Ok(RunningJob { number: row.integer(0)?, owner: row.text(1)?, beat: row.integer(2)? })
        };
        self.database.rows(sql, &[])?.iter().map(running).collect()
    }

    /// Takes the oldest job that waits, or one whose owner is `gone`, in one step.
    pub fn claim_job(
        &mut self,
        owner: &str,
        gone: &[RunningJob],
        moment: &str,
    ) -> Result<Option<Job>, StoreError> {
        let mut claimed = None;
        self.database.in_one_step(&mut |database| {
            let sql = "SELECT number FROM jobs WHERE state = 'waiting' ORDER BY number LIMIT 1";
            let waiting = database.rows(sql, &[])?;
            let mut number = waiting.first().map(|row| row.integer(0)).transpose()?;
            if let Some(number) = number {
                let sql = "UPDATE jobs SET state = 'running', owner = $1, started = $2, \
                           beat = beat + 1, attempts = attempts + 1 \
                           WHERE number = $3 AND state = 'waiting'";
                database.run(sql, &[owner.into(), moment.into(), number.into()])?;
            }
            for seen in gone {
                if number.is_some() {
                    break;
                }
                let sql = "UPDATE jobs SET owner = $1, started = $2, beat = beat + 1, \
                           attempts = attempts + 1 \
                           WHERE number = $3 AND owner = $4 AND beat = $5 AND state = 'running'";
                let values = [
                    owner.into(),
                    moment.into(),
                    seen.number.into(),
                    seen.owner.as_str().into(),
                    seen.beat.into(),
                ];
                number = (database.run(sql, &values)? == 1).then_some(seen.number);
            }
            claimed = match number {
                Some(number) => one(database, number)?,
                None => None,
            };
            Ok(())
        })?;
        Ok(claimed)
    }

    /// Says that the owner of a job is there; false if the job is no longer his.
    pub fn beat_job(&mut self, number: i64, owner: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE jobs SET beat = beat + 1 \
                   WHERE number = $1 AND owner = $2 AND state = 'running'";
        Ok(self.database.run(sql, &[number.into(), owner.into()])? == 1)
    }

    /// Notes how far a job is; false if the job is no longer the owner's.
    pub fn advance_job(
        &mut self,
        number: i64,
        owner: &str,
        done: u64,
        total: u64,
    ) -> Result<bool, StoreError> {
        let count = |count: u64| SqlValue::from(i64::try_from(count).unwrap_or(i64::MAX));
        let sql = "UPDATE jobs SET beat = beat + 1, done = $1, total = $2 \
                   WHERE number = $3 AND owner = $4 AND state = 'running'";
        let values = [count(done), count(total), number.into(), owner.into()];
        Ok(self.database.run(sql, &values)? == 1)
    }

    /// Ends a job of an owner; false if it is no longer his.
    pub fn end_job(
        &mut self,
        number: i64,
        owner: &str,
        state: JobState,
        problem: Option<&str>,
        moment: &str,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE jobs SET state = $1, problem = $2, finished = $3, owner = NULL \
                   WHERE number = $4 AND owner = $5 AND state = 'running'";
        let values =
            [state.as_str().into(), problem.into(), moment.into(), number.into(), owner.into()];
        Ok(self.database.run(sql, &values)? == 1)
    }

    /// Gives one job back, as if its owner had not begun; false if it is not his.
    pub fn give_back_job(&mut self, number: i64, owner: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE jobs SET state = 'waiting', owner = NULL, attempts = attempts - 1 \
                   WHERE number = $1 AND owner = $2 AND state = 'running'";
        Ok(self.database.run(sql, &[number.into(), owner.into()])? == 1)
    }

    /// Gives everything back that an owner works on, as if he had not begun.
    pub fn give_back_jobs(&mut self, owner: &str) -> Result<u64, StoreError> {
        let sql = "UPDATE jobs SET state = 'waiting', owner = NULL, attempts = attempts - 1 \
                   WHERE owner = $1 AND state = 'running'";
        self.database.run(sql, &[owner.into()])
    }

    /// Cancels a job that is not over; false if there is none.
    pub fn cancel_job(&mut self, number: i64, moment: &str) -> Result<bool, StoreError> {
        let mut gone = 0;
        let subject = number.to_string();
        self.change(&Act { act: "job.cancel", subject: &subject }, &mut |database| {
            let sql = "UPDATE jobs SET state = 'cancelled', owner = NULL, finished = $1 \
                       WHERE number = $2 AND state IN ('waiting', 'running')";
            gone = database.run(sql, &[moment.into(), number.into()])?;
            Ok((gone > 0).then(|| "cancelled".to_owned()))
        })?;
        Ok(gone > 0)
    }

    /// Forgets jobs that were over before a moment.
    pub fn forget_jobs(&mut self, before: &str) -> Result<u64, StoreError> {
        let sql = "DELETE FROM jobs WHERE finished IS NOT NULL AND finished < $1 \
                   AND number < (SELECT MAX(number) FROM jobs)";
        self.database.run(sql, &[before.into()])
    }
}

fn one(database: &mut dyn Database, number: i64) -> Result<Option<Job>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM jobs WHERE number = $1");
    database.rows(&sql, &[number.into()])?.first().map(kept).transpose()
}

fn kept(row: &DatabaseRow) -> Result<Job, StoreError> {
    let state = JobState::parse(&row.text(3)?);
    Ok(Job {
        number: row.integer(0)?,
        ask: row.text(1)?,
        who: row.text(2)?,
        state: state.ok_or(StoreError::Damaged { column: 3, wanted: "state" })?,
        owner: row.text_or_null(4)?,
        beat: row.integer(5)?,
        attempts: row.integer(6)?,
        done: row.count(7)?,
        total: row.count(8)?,
        problem: row.text_or_null(9)?,
        created: row.text(10)?,
        started: row.text_or_null(11)?,
        finished: row.text_or_null(12)?,
    })
}
