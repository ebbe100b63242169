//! Days and moments, for people and for what is asked "as of".
//!
//! They go by the clock of the database, which is one for all processes: what one of them publishes today is there today for
//! the others, and a token ends for all at once, whatever the clocks of their machines say. A process looks at that
//! clock when it begins and every time it sweeps, and goes on with its own and the difference.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Unit};
use unskew_core::Date;
use unskew_fleet::store::{Store, StoreError};

/// The clock of a database, as this machine knows it; a clone shows the same. Until it is set it is that of the machine.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// How many seconds the clock of the database is ahead of that of this machine.
    ahead: Arc<AtomicI64>,
}

impl Clock {
    /// The clock of a database.
    ///
    /// # Errors
    /// If the database does not answer.
    pub fn from_store(store: &mut Store) -> Result<Self, StoreError> {
        let clock = Self::default();
        clock.set(store.unix_seconds()?);
        Ok(clock)
    }

    /// Says what the clock of the database shows now; and how far this machine's clock is off, if that is news and more than
    /// what asking takes.
    pub(crate) fn set(&self, second: i64) -> Option<i64> {
        let ahead = second.saturating_sub(Timestamp::now().as_second());
        // A second of difference is what comes of cutting off the rest.
        let ahead = if ahead.abs() <= 1 { 0 } else { ahead };
        let before = self.ahead.swap(ahead, Ordering::Relaxed);
        (before.abs_diff(ahead) > 1).then_some(ahead)
    }

    fn moment(&self) -> Timestamp {
        let own = Timestamp::now();
        let ahead = SignedDuration::from_secs(self.ahead.load(Ordering::Relaxed));
        own.checked_add(ahead).unwrap_or(own)
    }

    /// The moment now, `2026-11-21T20:15:00Z`.
    pub fn now(&self) -> String {
        self.after(0)
    }

    /// The moment so many seconds from now.
    pub fn after(&self, seconds: i64) -> String {
        let now = self.moment();
        let then = now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(now);
        then.round(Unit::Second).unwrap_or(then).to_string()
    }

    /// Seconds since 1970-01-01 UTC, by the clock of the database.
    pub fn unix_seconds(&self) -> i64 {
        self.moment().as_second()
    }

    /// Today, where the day begins at midnight UTC.
    pub fn today(&self) -> Date {
        self.moment().to_zoned(TimeZone::UTC).date()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_by_what_it_was_told() {
        let clock = Clock::default();
        let shown = clock.clone();
        assert_eq!(clock.set(Timestamp::now().as_second()), None);
        let ahead = clock.set(1_000_000_000).unwrap();
        assert!(ahead < 0, "2001 is over: {ahead}");
        assert_eq!(shown.today().to_string(), "2001-09-09");
        assert!((1_000_000_000..1_000_000_060).contains(&shown.unix_seconds()));
        assert!(shown.after(24 * 3600).starts_with("2001-09-10T"));
        assert_eq!(clock.set(shown.unix_seconds()), None, "that is no news");
    }
}
