//! Store of models and runtimes, in a database.
//!
//! Everything that is known of a fleet stands here once, in statements that SQLite and PostgreSQL both take:
//! numbered parameters `$1, $2` in the order of their first use, `ON CONFLICT`, and types that both have. What differs
//! between the two is behind [`Database`], four calls wide. SQLite ([`Sqlite`]) needs nothing to be installed; PostgreSQL
//! ([`Postgres`]) is for several processes on several machines.
//!
//! The calls wait: an answer from SQLite takes microseconds, less than handing it to another thread. A
//! service calls them from its threads for work that waits.
//!
//! The database has versions with days, as every format of Unskew has (`migrations/`): an older one is brought up
//! when it is opened, each step in one transaction; one that is newer than this program is refused with both
//! numbers.

mod audit;
mod database;
mod job;
mod listing;
mod migrations;
mod postgres;
mod runtimes;
mod sqlite;
mod token;
mod unused;
mod upload;

use std::path::Path;
use std::sync::Arc;

pub use audit::{Act, AuditEntry, Signature};
pub use database::{Database, DatabaseRow, SqlValue, StoreError};
pub use job::{Job, JobState, RunningJob};
pub use listing::{ListQuery, ListSlice, Noted};
pub use migrations::history;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
pub use token::{KeptToken, TokenRole};
pub use unused::{Retire, Retired};
pub use upload::{PendingUpload, UploadChunk};

use crate::Digest;

/// A runtime as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRuntime {
    /// The name of the runtime in the fleet.
    pub name: String,
    /// The profile as JSON.
    pub profile: String,
    /// The digest of the profile.
    pub digest: Digest,
    /// How many devices have it.
    pub devices: u64,
    /// The day since when it is like this.
    pub since: String,
}

/// One version of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedVersion {
    /// Its number, from 1.
    pub number: i64,
    /// The content address (SHA-256) of the artifact.
    pub artifact: Digest,
    /// The day on which it was published.
    pub published: String,
    /// The name of the file or folder.
    pub file: String,
    /// The bytes of all its files.
    pub size: u64,
}

/// An answer as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The day for which it holds; none if it holds for every day.
    pub day: Option<String>,
    /// What it says, compressed.
    pub body: Vec<u8>,
}

/// An answer that names an artifact which a conversion made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The digest of the artifact that was converted.
    pub source: Digest,
    /// The profile that it was converted for.
    pub profile: Digest,
    /// The fingerprint of whoever judged.
    pub judge: String,
    /// The digest of the artifact that came out.
    pub result: Digest,
    /// Size of the result in bytes.
    pub size: u64,
}

/// Says whether an artifact is in the depot.
pub(crate) type Present = Arc<dyn Fn(&Digest) -> Result<bool, StoreError> + Send + Sync>;

/// The database of a fleet.
pub struct Store {
    database: Box<dyn Database>,
    signature: Option<Signature>,
    /// Asked before the database names an artifact; without it nobody is.
    present: Option<Present>,
}

impl Store {
    /// The database at an address: `postgres://USER@HOST/NAME`, `sqlite:PATH`, or a path, which is SQLite's.
    ///
    /// # Errors
    /// If the address is none, nobody answers there, or the database is newer than this program.
    pub fn open(address: &str) -> Result<Self, StoreError> {
        match address.split_once(':') {
            Some(("postgres" | "postgresql", _)) => Self::over(Box::new(Postgres::open(address)?)),
            Some(("sqlite", path)) => Self::sqlite(Path::new(path)),
            _ if address.contains("://") => Err(StoreError::Url(address.to_owned())),
            _ => Self::sqlite(Path::new(address)),
        }
    }

    /// The SQLite database at `path`, which is made if it is not there and brought up to date.
    ///
    /// # Errors
    /// If it cannot be opened, or is newer than this program.
    pub fn sqlite(path: &Path) -> Result<Self, StoreError> {
        Self::over(Box::new(Sqlite::open(path)?))
    }

    /// A store over any database, which is brought up to date.
    ///
    /// # Errors
    /// As [`Store::sqlite`].
    pub fn over(mut database: Box<dyn Database>) -> Result<Self, StoreError> {
        migrations::bring_up(&mut *database)?;
        Ok(Self { database, signature: None, present: None })
    }

    /// Seconds since 1970-01-01 UTC, by the clock of the database, which is one for all who use it.
    pub fn unix_seconds(&mut self) -> Result<i64, StoreError> {
        self.database.unix_seconds()
    }

    /// Has somebody asked whether an artifact is in the depot before the database names it.
    pub(crate) fn ask_of_artifacts(&mut self, present: Present) {
        self.present = Some(present);
    }

    /// Adds a runtime, or puts it in place of one of the same name; what it was before stays in its history.
    pub fn put_runtime(&mut self, runtime: &KeptRuntime) -> Result<(), StoreError> {
        let devices = i64::try_from(runtime.devices).unwrap_or(i64::MAX);
        let act = Act { act: "runtime.put", subject: &runtime.name };
        self.change(&act, &mut |database| {
            let name: SqlValue = runtime.name.as_str().into();
            let known = "SELECT 1 FROM runtimes WHERE name = $1";
            let known = !database.rows(known, std::slice::from_ref(&name))?.is_empty();
            database.run(
                "INSERT INTO runtimes (name, profile, digest, devices, since) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (name) DO UPDATE SET profile = excluded.profile, digest = excluded.digest, \
                 devices = excluded.devices, since = excluded.since",
                &[
                    name,
                    runtime.profile.as_str().into(),
                    (&runtime.digest).into(),
                    devices.into(),
                    runtime.since.as_str().into(),
                ],
            )?;
            runtimes::note(database, &runtime.name, Some(runtime), &runtime.since)?;
            Ok(Some(if known { "replaced" } else { "added" }.to_owned()))
        })
    }

    /// Takes a runtime out from a day on; false if it was not there.
    pub fn remove_runtime(&mut self, name: &str, day: &str) -> Result<bool, StoreError> {
        let mut gone = 0;
        self.change(&Act { act: "runtime.remove", subject: name }, &mut |database| {
            gone = database.run("DELETE FROM runtimes WHERE name = $1", &[name.into()])?;
            if gone > 0 {
                runtimes::note(database, name, None, day)?;
            }
            Ok((gone > 0).then(|| "removed".to_owned()))
        })?;
        Ok(gone > 0)
    }

    /// The runtime of this name.
    pub fn runtime(&mut self, name: &str) -> Result<Option<KeptRuntime>, StoreError> {
        let sql = "SELECT name, profile, digest, devices, since FROM runtimes WHERE name = $1";
        self.database.rows(sql, &[name.into()])?.first().map(kept_runtime).transpose()
    }

    /// All runtimes, by name.
    pub fn runtimes(&mut self) -> Result<Vec<KeptRuntime>, StoreError> {
        let sql = "SELECT name, profile, digest, devices, since FROM runtimes ORDER BY name";
        self.database.rows(sql, &[])?.iter().map(kept_runtime).collect()
    }

    /// The size of an artifact in bytes, and what it was converted from.
    pub fn artifact(
        &mut self,
        digest: &Digest,
    ) -> Result<Option<(u64, Option<Digest>)>, StoreError> {
        let sql = "SELECT size, made_from FROM artifacts WHERE digest = $1";
        let rows = self.database.rows(sql, &[digest.into()])?;
        let artifact = |row: &DatabaseRow| {
            let made_from = if row.is_null(1) { None } else { Some(row.digest(1)?) };
            Ok((row.count(0)?, made_from))
        };
        rows.first().map(artifact).transpose()
    }

    /// Publishes an artifact as the next version of a model, in one step with the note about it. If it is the
    /// newest version already, nothing changes: then false comes with that version's number.
    pub fn publish(
        &mut self,
        model: &str,
        artifact: &Digest,
        file: &str,
        size: u64,
        day: &str,
    ) -> Result<(i64, bool), StoreError> {
        let mut result = (0, false);
        let present = self.present.clone();
        self.change(&Act { act: "model.publish", subject: model }, &mut |database| {
            let artifact = Coming { artifact, size, made_from: None, present: &present };
            result = publish(database, model, &artifact, file, day)?;
            Ok(result.1.then(|| format!("version {}", result.0)))
        })?;
        Ok(result)
    }

    /// Whether the database answers.
    pub fn ping(&mut self) -> Result<(), StoreError> {
        self.database.rows("SELECT 1 FROM store_versions LIMIT 1", &[]).map(|_| ())
    }

    /// The name under which an artifact, or what it was converted from, was published first.
    pub fn file_of(&mut self, artifact: &Digest) -> Result<Option<String>, StoreError> {
        let sql = "SELECT v.file FROM versions v JOIN artifacts a \
                   ON a.digest = v.artifact OR a.made_from = v.artifact \
                   WHERE a.digest = $1 ORDER BY v.published, v.number LIMIT 1";
        self.database.rows(sql, &[artifact.into()])?.first().map(|row| row.text(0)).transpose()
    }

    /// The versions of a model that were published on `day` or before, newest first. On the day that the database has now,
    /// these are all: what is there was published, whatever the clock showed then.
    pub fn versions(
        &mut self,
        model: &str,
        day: &str,
    ) -> Result<Vec<PublishedVersion>, StoreError> {
        let sql = "SELECT v.number, v.artifact, v.published, v.file, a.size FROM versions v \
                   JOIN artifacts a ON a.digest = v.artifact \
                   WHERE v.model = $1 \
                   AND (v.retired IS NULL OR v.retired > $2) ORDER BY v.number DESC";
        let version = |row: &DatabaseRow| {
            Ok(PublishedVersion {
                number: row.integer(0)?,
                artifact: row.digest(1)?,
                published: row.text(2)?,
                file: row.text(3)?,
                size: row.count(4)?,
            })
        };
        let rows = self.database.rows(sql, &[model.into(), day.into()])?;
        let mut versions: Vec<PublishedVersion> =
            rows.iter().map(version).collect::<Result<_, StoreError>>()?;
        let later = |version: &PublishedVersion| version.published.as_str() > day;
        if versions.iter().any(later) && !self.is_today(day)? {
            versions.retain(|version| !later(version));
        }
        Ok(versions)
    }

    /// Whether it is this day by the clock of the database.
    fn is_today(&mut self, day: &str) -> Result<bool, StoreError> {
        let now = jiff::Timestamp::from_second(self.unix_seconds()?).ok();
        let today = now.map(|now| now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string());
        Ok(today.as_deref() == Some(day))
    }

    /// The models, by name, with their numbers of versions.
    pub fn models(&mut self) -> Result<Vec<(String, u64)>, StoreError> {
        let sql = "SELECT model, COUNT(*) FROM versions GROUP BY model ORDER BY model";
        let rows = self.database.rows(sql, &[])?;
        rows.iter().map(|row| Ok((row.text(0)?, row.count(1)?))).collect()
    }

    /// The answer of this key.
    pub fn answer(&mut self, key: &[u8]) -> Result<Option<KeptAnswer>, StoreError> {
        let sql = "SELECT a.day, b.text FROM answers a JOIN bodies b ON b.digest = a.body \
                   WHERE a.key = $1";
        let rows = self.database.rows(sql, &[SqlValue::Bytes(key.to_vec())])?;
        let answer =
            |row: &DatabaseRow| Ok(KeptAnswer { day: row.text_or_null(0)?, body: row.bytes(1)? });
        rows.first().map(answer).transpose()
    }

    /// Keeps answers by their keys, all or none.
    pub fn put_answers(&mut self, answers: &[(Vec<u8>, KeptAnswer)]) -> Result<(), StoreError> {
        self.database.in_one_step(&mut |database| {
            answers.iter().try_for_each(|(key, answer)| put_answer(database, key, answer))
        })
    }

    /// Keeps an answer, in one step with the note of the artifact that a conversion made for it.
    pub fn put_answer(
        &mut self,
        key: &[u8],
        answer: &KeptAnswer,
        made: Option<&Made>,
    ) -> Result<(), StoreError> {
        let present = self.present.clone();
        self.database.in_one_step(&mut |database| {
            if let Some(made) = made {
                let (artifact, size, made_from) = (&made.result, made.size, Some(&made.source));
                put_artifact(database, &Coming { artifact, size, made_from, present: &present })?;
                database.run(
                    "INSERT INTO made (key, source, profile, judge, result) \
                     VALUES ($1, $2, $3, $4, $5) \
                     ON CONFLICT (key) DO UPDATE SET result = excluded.result",
                    &[
                        SqlValue::Bytes(key.to_vec()),
                        (&made.source).into(),
                        (&made.profile).into(),
                        made.judge.as_str().into(),
                        (&made.result).into(),
                    ],
                )?;
            }
            put_answer(database, key, answer)
        })
    }
}

/// An artifact that the database is about to name.
struct Coming<'a> {
    artifact: &'a Digest,
    size: u64,
    /// What it was converted from.
    made_from: Option<&'a Digest>,
    /// Says whether it is in the depot.
    present: &'a Option<Present>,
}

fn put_answer(
    database: &mut dyn Database,
    key: &[u8],
    answer: &KeptAnswer,
) -> Result<(), StoreError> {
    let digest = Digest::sha256(&answer.body);
    let body = SqlValue::Bytes(digest.as_bytes()[..16].to_vec());
    database.run(
        "INSERT INTO bodies (digest, text) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
        &[body.clone(), SqlValue::Bytes(answer.body.clone())],
    )?;
    let day = answer.day.as_deref().map_or(SqlValue::Null, SqlValue::from);
    database.run(
        "INSERT INTO answers (key, day, body) VALUES ($1, $2, $3) \
         ON CONFLICT (key) DO UPDATE SET day = excluded.day, body = excluded.body",
        &[SqlValue::Bytes(key.to_vec()), day, body],
    )?;
    Ok(())
}

/// Publishes an artifact, inside a step. The day is never before that of the version before: a clock that went
/// back makes no version disappear.
fn publish(
    database: &mut dyn Database,
    model: &str,
    coming: &Coming<'_>,
    file: &str,
    day: &str,
) -> Result<(i64, bool), StoreError> {
    let artifact = coming.artifact;
    let sql = "SELECT number, artifact, published FROM versions WHERE model = $1 \
               ORDER BY number DESC LIMIT 1";
    let newest = database.rows(sql, &[model.into()])?;
    let (mut number, mut day) = (1, day.to_owned());
    if let Some(row) = newest.first() {
        if row.digest(1)? == *artifact {
            return Ok((row.integer(0)?, false));
        }
        number = row.integer(0)?.saturating_add(1);
        day = day.max(row.text(2)?);
    }
    put_artifact(database, coming)?;
    database.run(
        "INSERT INTO versions (model, number, artifact, file, published) VALUES ($1, $2, $3, $4, $5)",
        &[model.into(), number.into(), artifact.into(), file.into(), day.as_str().into()],
    )?;
    Ok((number, true))
}

/// Names an artifact, inside a step; an error if it is not in the depot.
fn put_artifact(database: &mut dyn Database, coming: &Coming<'_>) -> Result<(), StoreError> {
    let digest = coming.artifact;
    let size = i64::try_from(coming.size).unwrap_or(i64::MAX);
    let made_from = coming.made_from.map_or(SqlValue::Null, SqlValue::from);
    database.run(
        "INSERT INTO artifacts (digest, size, made_from) VALUES ($1, $2, $3) \
         ON CONFLICT (digest) DO UPDATE SET gone = NULL",
        &[digest.into(), size.into(), made_from],
    )?;
    // Whatever was about to be taken away is wanted again.
    database.run("DELETE FROM doomed WHERE digest = $1", &[digest.into()])?;
    // Asked last: whoever takes it away right now holds the row above until it is gone.
    match coming.present {
        Some(present) if !present(digest)? => Err(StoreError::Absent(*digest)),
        _ => Ok(()),
    }
}

fn kept_runtime(row: &DatabaseRow) -> Result<KeptRuntime, StoreError> {
    Ok(KeptRuntime {
        name: row.text(0)?,
        profile: row.text(1)?,
        digest: row.digest(2)?,
        devices: row.count(3)?,
        since: row.text(4)?,
    })
}
