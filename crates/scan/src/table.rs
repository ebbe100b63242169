//! The folder or prefix that rows go to.
//!
//! ```text
//! table/
//!   scan.json                            the question, written by whoever comes first
//!   part-0001-of-0016-000000.parquet     rows of shard 1 of 16
//! ```

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};

use unskew_objects::{ObjectPlace, Objects, StoreSettings};

use crate::parts::{self, ArtifactState};
use crate::{Question, ScanError, ScanShard, VerdictRow};

const QUESTION: &str = "scan.json";

/// The folder or prefix that rows go to.
#[derive(Debug)]
pub struct VerdictTable {
    objects: Objects,
    question: Question,
    next: AtomicU32,
}

impl VerdictTable {
    /// The table at a path or URI, which is begun if nothing is there.
    ///
    /// # Errors
    /// [`ScanError::OtherQuestion`] if it was begun with another question; or if it cannot be read or written.
    pub fn open(uri: &str, question: &Question) -> Result<Self, ScanError> {
        Self::at(Objects::at(&ObjectPlace::parse(uri)?, &StoreSettings::from_env())?, question)
    }

    /// The table at the place of `objects`, which is begun if nothing is there.
    ///
    /// # Errors
    /// As [`VerdictTable::open`].
    pub fn at(objects: Objects, question: &Question) -> Result<Self, ScanError> {
        let text = serde_json::to_string_pretty(question)
            .map_err(|error| ScanError::Part { part: QUESTION.into(), why: error.to_string() })?;
        if objects.stat(QUESTION)?.is_none() {
            objects.put_new(QUESTION, text)?;
        }
        // Whoever was first has asked, and that may have been somebody else just now.
        let was = Self::question(&objects)?;
        differs(&objects.uri(""), &was, question)?;
        Ok(Self { objects, question: question.clone(), next: AtomicU32::new(0) })
    }

    /// The question of the table at a path or URI; none if nothing is there.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn asked(uri: &str) -> Result<Option<Question>, ScanError> {
        let objects = Objects::at(&ObjectPlace::parse(uri)?, &StoreSettings::from_env())?;
        match objects.stat(QUESTION)? {
            Some(_) => Self::question(&objects).map(Some),
            None => Ok(None),
        }
    }

    fn question(objects: &Objects) -> Result<Question, ScanError> {
        let broken = |error: serde_json::Error| ScanError::Part {
            part: objects.uri(QUESTION),
            why: error.to_string(),
        };
        serde_json::from_slice(&objects.get(QUESTION)?).map_err(broken)
    }

    /// How users name it.
    pub fn uri(&self) -> String {
        self.objects.uri("")
    }

    /// The artifacts whose rows it has, from whatever shard; and gets ready to write parts of `shard`.
    ///
    /// # Errors
    /// If a part cannot be read.
    pub(crate) fn done(&self, shard: ScanShard) -> Result<HashSet<ArtifactState>, ScanError> {
        let mut done = HashSet::new();
        let prefix = shard.prefix();
        for listed in self.objects.list("") {
            let key = listed?.key;
            let Some(name) = key.strip_suffix(".parquet") else { continue };
            let broken = |why: String| ScanError::Part { part: self.objects.uri(&key), why };
            done.extend(parts::states(self.objects.get(&key)?).map_err(|e| broken(e.to_string()))?);
            if let Some(number) =
                name.strip_prefix(&prefix).and_then(|rest| rest.parse::<u32>().ok())
            {
                self.next.fetch_max(number.saturating_add(1), Ordering::Relaxed);
            }
        }
        Ok(done)
    }

    /// Writes a part, whole or not at all.
    ///
    /// # Errors
    /// [`ScanError::Taken`] if somebody else has written one of this name; or if the store does not take it.
    pub(crate) fn add(&self, shard: ScanShard, rows: &[VerdictRow]) -> Result<(), ScanError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}{number:06}.parquet", shard.prefix());
        let bytes = parts::write(rows, &self.question)?;
        match self.objects.put_new(&name, bytes)? {
            true => Ok(()),
            false => Err(ScanError::Taken(self.objects.uri(&name))),
        }
    }
}

/// What two questions differ in, as an error.
fn differs(table: &str, was: &Question, now: &Question) -> Result<(), ScanError> {
    let pairs = [
        ("runtimes", was.runtimes.join(", "), now.runtimes.join(", ")),
        ("the day", was.as_of.to_string(), now.as_of.to_string()),
        ("the version of Unskew", was.unskew.clone(), now.unskew.clone()),
    ];
    match pairs.into_iter().find(|(_, was, now)| was != now) {
        Some((what, was, now)) => {
            Err(ScanError::OtherQuestion { table: table.to_owned(), what, was, now })
        }
        None => Ok(()),
    }
}
