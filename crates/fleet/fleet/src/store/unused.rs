//! Unused rows: what nothing refers to any more.
//!
//! An artifact is referred to by a version that is not retired, or by an answer that may be given again: of this judge,
//! about such a version, for the profile of a runtime of today. What is not is *doomed* first, with everything that
//! names it gone from the database in the same step, and taken out of the depot some days later: until then whoever
//! was told of it can still read it. Publishing it again, or making it again, saves it.
//!
//! The order is such that a process may end anywhere:
//!
//! * What comes is in the depot before the database names it; what goes is out of the database before it leaves the depot.
//!   So nothing that is named is missing.
//! * A doomed artifact leaves the depot inside the step that strikes it from the list of the doomed. Saving it strikes it
//!   from the same list, and looks whether it is there in the same step. So of the two that come at the same time one is
//!   first, and the other sees it.

use super::Store;
use super::database::{Database, DatabaseRow, SqlValue, StoreError};
use crate::Digest;

/// A version that is retired: the model and the number.
pub type Retired = (String, i64);

/// Which versions are delivered no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retire {
    /// All but so many of the newest of a model.
    pub keep: Option<usize>,
    /// Those that were published before this day. The newest of a model never is.
    pub before: Option<String>,
}

impl Store {
    /// Retires versions, and says which. The newest version of a model stays.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) fn retire(
        &mut self,
        which: &Retire,
        day: &str,
        dry: bool,
    ) -> Result<Vec<Retired>, StoreError> {
        let mut retired = Vec::new();
        self.rehearsed(dry, &mut |database| {
            retired = retirable(database, which)?;
            for (model, number) in &retired {
                let sql = "UPDATE versions SET retired = $1 WHERE model = $2 AND number = $3";
                database.run(sql, &[day.into(), model.as_str().into(), (*number).into()])?;
            }
            Ok(())
        })?;
        Ok(retired)
    }

    /// Dooms the artifacts that nothing refers to, and those of `stray` that the database does not know; and says
    /// which. Retires versions before, in the same step, if it is only rehearsed.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) fn doom(
        &mut self,
        judge: &str,
        stray: &[Digest],
        day: &str,
        dry: Option<&Retire>,
    ) -> Result<Vec<(Digest, u64)>, StoreError> {
        let mut doomed = Vec::new();
        self.rehearsed(dry.is_some(), &mut |database| {
            for (model, number) in dry.map_or(Ok(Vec::new()), |which| retirable(database, which))? {
                let sql = "UPDATE versions SET retired = $1 WHERE model = $2 AND number = $3";
                database.run(sql, &[day.into(), model.as_str().into(), number.into()])?;
            }
            doomed = unreferred(database, judge)?;
            for digest in stray {
                let sql = "SELECT 1 FROM artifacts WHERE digest = $1 AND gone IS NULL \
                           UNION ALL SELECT 1 FROM doomed WHERE digest = $1";
                if database.rows(sql, &[digest.into()])?.is_empty() {
                    doomed.push((*digest, 0));
                }
            }
            for (digest, size) in &doomed {
                forget(database, digest, day)?;
                let size = i64::try_from(*size).unwrap_or(i64::MAX);
                database.run(
                    "INSERT INTO doomed (digest, size, day) VALUES ($1, $2, $3) \
                     ON CONFLICT (digest) DO NOTHING",
                    &[digest.into(), size.into(), day.into()],
                )?;
            }
            Ok(())
        })?;
        Ok(doomed)
    }

    /// The artifacts that were doomed on `day` or before, and how many there are in all.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) fn doomed(&mut self, day: &str) -> Result<(Vec<(Digest, u64)>, usize), StoreError> {
        let rows =
            self.database.rows("SELECT digest, size, day FROM doomed ORDER BY digest", &[])?;
        let mut due = Vec::new();
        for row in &rows {
            if row.text(2)?.as_str() <= day {
                due.push((row.digest(0)?, row.count(1)?));
            }
        }
        Ok((due, rows.len()))
    }

    /// Takes a doomed artifact out of the depot by `remove`, in the step that strikes it from the list; false if it was
    /// saved meanwhile.
    ///
    /// # Errors
    /// What the database says, or `remove`: then it stays doomed.
    pub(crate) fn execute(
        &mut self,
        digest: &Digest,
        remove: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<bool, StoreError> {
        let mut removed = false;
        self.database.in_one_step(&mut |database| {
            removed = database.run("DELETE FROM doomed WHERE digest = $1", &[digest.into()])? > 0;
            if removed { remove() } else { Ok(()) }
        })?;
        Ok(removed)
    }

    /// A step, or what it would do: then nothing of it stays.
    fn rehearsed(
        &mut self,
        dry: bool,
        step: &mut dyn FnMut(&mut dyn Database) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut done = false;
        let result = self.database.in_one_step(&mut |database| {
            done = false;
            step(database)?;
            done = true;
            if dry { Err(StoreError::Database("rehearsed".into())) } else { Ok(()) }
        });
        if dry && done { Ok(()) } else { result }
    }
}

fn retirable(database: &mut dyn Database, which: &Retire) -> Result<Vec<Retired>, StoreError> {
    let sql = "SELECT model, number, published FROM versions WHERE retired IS NULL \
               ORDER BY model, number DESC";
    let mut retired = Vec::new();
    let (mut current, mut rank) = (String::new(), 0_usize);
    for row in &database.rows(sql, &[])? {
        let (model, number, published) = (row.text(0)?, row.integer(1)?, row.text(2)?);
        rank = if model == current { rank.saturating_add(1) } else { 0 };
        current.clone_from(&model);
        let beyond = which.keep.is_some_and(|keep| rank >= keep.max(1));
        let old = which.before.as_ref().is_some_and(|day| published < *day);
        if rank > 0 && (beyond || old) {
            retired.push((model, number));
        }
    }
    Ok(retired)
}

/// The artifacts that nothing refers to.
fn unreferred(database: &mut dyn Database, judge: &str) -> Result<Vec<(Digest, u64)>, StoreError> {
    let sql = "SELECT a.digest, a.size FROM artifacts a WHERE a.gone IS NULL AND NOT EXISTS (\
               SELECT 1 FROM versions v WHERE v.artifact = a.digest AND v.retired IS NULL) \
               AND NOT EXISTS (SELECT 1 FROM made m \
               JOIN versions v ON v.artifact = m.source AND v.retired IS NULL \
               JOIN runtimes r ON r.digest = m.profile \
               WHERE m.result = a.digest AND m.judge = $1) ORDER BY a.digest";
    let pair = |row: &DatabaseRow| Ok((row.digest(0)?, row.count(1)?));
    database.rows(sql, &[judge.into()])?.iter().map(pair).collect()
}

/// Takes out everything that names an artifact as something that can be delivered.
fn forget(database: &mut dyn Database, digest: &Digest, day: &str) -> Result<(), StoreError> {
    let digest: SqlValue = digest.into();
    let by = std::slice::from_ref(&digest);
    database
        .run("DELETE FROM answers WHERE key IN (SELECT key FROM made WHERE result = $1)", by)?;
    database.run("DELETE FROM made WHERE result = $1", by)?;
    let gone = "UPDATE artifacts SET gone = $1 WHERE digest = $2";
    database.run(gone, &[day.into(), digest.clone()])?;
    Ok(())
}
