//! The versions of the database, and the steps between them.

use unskew_core::History;
use unskew_tables::toml_as_json;

use super::database::{Database, StoreError};

/// The steps, each from the version before to its own.
const STEPS: [&str; 3] = [
    include_str!("../../migrations/0001-first.sql"),
    include_str!("../../migrations/0002-service.sql"),
    include_str!("../../migrations/0003-pruning.sql"),
];

/// The dated history of the database, axis `fleet.store`.
///
/// # Errors
/// If the file in this program is none; a test reads it.
pub fn history() -> Result<History, StoreError> {
    let text = toml_as_json!("migrations/store.history.toml");
    serde_json::from_str(text).map_err(|error| StoreError::Versions(error.to_string()))
}

/// Brings a database up to the newest version, in one step. One that is up to date is only read.
pub(super) fn bring_up(database: &mut dyn Database) -> Result<(), StoreError> {
    let newest = STEPS.len() as i64;
    match version(database) {
        Ok(found) if found == newest => return Ok(()),
        Ok(found) if found > newest => return Err(StoreError::Newer { found, newest }),
        Err(away @ StoreError::Away(_)) => return Err(away),
        // Behind, or new and without the table that is asked.
        _ => {}
    }
    database.in_one_step(&mut |database| {
        database.run_all(
            "CREATE TABLE IF NOT EXISTS store_versions (number BIGINT NOT NULL PRIMARY KEY)",
        )?;
        // Somebody else may have been faster.
        let found = version(database)?;
        let steps = (1_i64..).zip(STEPS).filter(|(number, _)| *number > found);
        for (number, sql) in steps {
            database.run_all(sql)?;
            let insert = "INSERT INTO store_versions (number) VALUES ($1)";
            database.run(insert, &[number.into()])?;
        }
        Ok(())
    })
}

/// The version that a database has; 0 if it is new.
fn version(database: &mut dyn Database) -> Result<i64, StoreError> {
    let rows = database.rows("SELECT COALESCE(MAX(number), 0) FROM store_versions", &[])?;
    rows.first().map_or(Ok(0), |row| row.integer(0))
}

#[cfg(test)]
mod tests {
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
}
