//! The versions of the database, and the steps between them.

use unskew_core::History;

use super::database::{Database, StoreError};

/// The steps, each from the version before to its own.
const STEPS: [&str; 1] = [include_str!("../../migrations/0001-first.sql")];

/// The dated history of the database, axis `fleet.store`.
///
/// # Errors
/// If the file in this program is none; a test reads it.
pub fn history() -> Result<History, StoreError> {
    let text = include_str!("../../migrations/store.history.toml");
    History::from_toml(text).map_err(|error| StoreError::Versions(error.to_string()))
}

/// Brings a database up to the newest version.
pub(super) fn bring_up(database: &mut dyn Database) -> Result<(), StoreError> {
    let newest = STEPS.len() as i64;
    let found = version(database)?;
    if found > newest {
        return Err(StoreError::Newer { found, newest });
    }
    for number in found + 1..=newest {
        database.in_one_step(&mut |database| step(database, number))?;
    }
    Ok(())
}

/// One step, unless somebody else made it meanwhile.
fn step(database: &mut dyn Database, number: i64) -> Result<(), StoreError> {
    if version(database)? >= number {
        return Ok(());
    }
    let Some(sql) = usize::try_from(number - 1).ok().and_then(|at| STEPS.get(at)) else {
        return Ok(());
    };
    database.run_all(sql)?;
    let insert = "INSERT INTO store_versions (number) VALUES ($1)";
    database.run(insert, &[number.into()])?;
    Ok(())
}

/// The version that a database has; 0 if it is new.
fn version(database: &mut dyn Database) -> Result<i64, StoreError> {
    database.run_all(
        "CREATE TABLE IF NOT EXISTS store_versions (number BIGINT NOT NULL PRIMARY KEY)",
    )?;
    let rows = database.rows("SELECT COALESCE(MAX(number), 0) FROM store_versions", &[])?;
    rows.first().map_or(Ok(0), |row| row.integer(0))
}

#[cfg(test)]
mod tests {
    use super::super::{Sqlite, Store};
    use super::*;
    use unskew_core::Version;

    #[test]
    fn every_step_has_its_day_in_the_history_and_in_its_file() {
        let history = history().unwrap();
        assert_eq!(history.current(), Version::number(STEPS.len() as i64));
        for (entry, sql) in history.entries().iter().zip(STEPS) {
            assert!(sql.starts_with(&format!("-- {}: {}", entry.landed, entry.change)), "{sql}");
        }
    }

    #[test]
    fn a_database_of_a_newer_program_is_refused_with_both_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fleet.db");
        drop(Store::sqlite(&path).unwrap());
        let mut database = Sqlite::open(&path).unwrap();
        database.run("INSERT INTO store_versions (number) VALUES ($1)", &[99.into()]).unwrap();
        let error = Store::sqlite(&path).err().unwrap().to_string();
        assert!(error.contains("99") && error.contains("up to 1"), "{error}");
    }

    #[test]
    fn a_database_is_brought_up_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fleet.db");
        for _ in 0..2 {
            let mut store = Store::sqlite(&path).unwrap();
            assert!(store.runtimes().unwrap().is_empty());
        }
    }
}
