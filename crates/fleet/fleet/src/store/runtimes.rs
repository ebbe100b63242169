//! Runtimes in the store, as they are and as they were.

use super::database::{Database, DatabaseRow, SqlValue, StoreError};
use super::{KeptRuntime, Store, kept_runtime};

impl Store {
    /// The runtime as it was on a day: what was said of it last for that day or one before. Of a day before anything was
    /// said of it, what was said first: nobody knows better. None if it was taken out by then, or never there.
    ///
    /// # Errors
    /// What the database says.
    pub fn runtime_on(&mut self, name: &str, day: &str) -> Result<Option<KeptRuntime>, StoreError> {
        let sql = "SELECT name, profile, digest, devices, since FROM profiles \
                   WHERE name = $1 ORDER BY number DESC LIMIT 1";
        let mut rows = self.database.rows(sql, &[name.into()])?;
        let since = rows.first().map(|row| row.text(4)).transpose()?;
        if since.is_some_and(|since| since.as_str() > day) && !self.is_today(day)? {
            let sql = "SELECT name, profile, digest, devices, since FROM profiles WHERE name = $1 \
                       AND (since <= $2 OR number = 1) ORDER BY number DESC LIMIT 1";
            rows = self.database.rows(sql, &[name.into(), day.into()])?;
        }
        rows.iter().find(|row| !row.is_null(1)).map(kept_runtime).transpose()
    }

    /// All runtimes as they were on a day, by name.
    ///
    /// # Errors
    /// What the database says.
    pub fn runtimes_on(&mut self, day: &str) -> Result<Vec<KeptRuntime>, StoreError> {
        let sql = format!(
            "SELECT p.name, p.profile, p.digest, p.devices, p.since FROM profiles p WHERE {} \
             ORDER BY p.name",
            on_day(1)
        );
        let day = self.day_of_profiles(day)?;
        self.database.rows(&sql, &[day.as_str().into()])?.iter().map(kept_runtime).collect()
    }

    /// The day on which runtimes are looked at: on the day that the database has now, all that was said of them counts,
    /// whatever the clock showed then.
    pub(super) fn day_of_profiles(&mut self, day: &str) -> Result<String, StoreError> {
        let rows = self.database.rows("SELECT COALESCE(MAX(since), '') FROM profiles", &[])?;
        let last = rows.first().map_or(Ok(String::new()), |row| row.text(0))?;
        Ok(if last.as_str() > day && self.is_today(day)? { last } else { day.to_owned() })
    }

    /// Everything that was said of a runtime, newest first; a day without a profile is that on which it was taken out.
    ///
    /// # Errors
    /// What the database says.
    pub fn runtime_history(
        &mut self,
        name: &str,
    ) -> Result<Vec<(String, Option<KeptRuntime>)>, StoreError> {
        let sql = "SELECT name, profile, digest, devices, since FROM profiles \
                   WHERE name = $1 ORDER BY number DESC";
        let told = |row: &DatabaseRow| {
            let kept = if row.is_null(1) { None } else { Some(kept_runtime(row)?) };
            Ok((row.text(4)?, kept))
        };
        self.database.rows(sql, &[name.into()])?.iter().map(told).collect()
    }
}

/// That a row `p` of profiles is what a runtime was on the day of a parameter.
pub(super) fn on_day(parameter: u8) -> String {
    format!(
        "p.profile IS NOT NULL AND p.number = (SELECT MAX(q.number) FROM profiles q \
         WHERE q.name = p.name AND (q.since <= ${parameter} OR q.number = 1))"
    )
}

/// Notes, inside a step, what a runtime is from a day on; without a profile that it was taken out.
pub(super) fn note(
    database: &mut dyn Database,
    name: &str,
    runtime: Option<&KeptRuntime>,
    day: &str,
) -> Result<(), StoreError> {
    let sql = "SELECT COALESCE(MAX(number), 0) FROM profiles WHERE name = $1";
    let rows = database.rows(sql, &[name.into()])?;
    let number = rows.first().map_or(Ok(0), |row| row.integer(0))?.saturating_add(1);
    let (profile, digest, devices) = match runtime {
        Some(one) => {
            let devices = i64::try_from(one.devices).unwrap_or(i64::MAX);
            (one.profile.as_str().into(), (&one.digest).into(), devices)
        }
        None => (SqlValue::Null, SqlValue::Null, 0),
    };
    database.run(
        "INSERT INTO profiles (name, number, since, profile, digest, devices) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[name.into(), number.into(), day.into(), profile, digest, devices.into()],
    )?;
    Ok(())
}
