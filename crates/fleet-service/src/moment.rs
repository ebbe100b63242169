//! Days and moments, for people and for what is asked "as of".
//!
//! They go by the clock of the database, which is one for all processes: what one of them publishes today is there today for
//! the others, and a token ends for all at once, whatever the clocks of their machines say. A process looks at that
//! clock when it begins and every time it sweeps, and goes on with its own and the difference.

use std::sync::atomic::{AtomicI64, Ordering};

use jiff::{SignedDuration, Timestamp, Unit};
use unskew_fleet::store::{Store, StoreError};

/// How many seconds the clock of the database is ahead of that of this machine.
static AHEAD: AtomicI64 = AtomicI64::new(0);

/// The moment now by the clock of a database, by which this process goes from here on.
///
/// # Errors
/// If the database does not answer.
pub fn now_by(store: &mut Store) -> Result<String, StoreError> {
    goes_by(store.second()?);
    Ok(now())
}

/// Says what the clock of the database shows now; and how far this machine's clock is off, if that is more than what asking
/// takes.
pub(crate) fn goes_by(second: i64) -> Option<i64> {
    let ahead = second.saturating_sub(Timestamp::now().as_second());
    // A second of difference is what comes of cutting off the rest.
    let ahead = if ahead.abs() <= 1 { 0 } else { ahead };
    let before = AHEAD.swap(ahead, Ordering::Relaxed);
    (before.abs_diff(ahead) > 1).then_some(ahead)
}

fn moment() -> Timestamp {
    let own = Timestamp::now();
    own.checked_add(SignedDuration::from_secs(AHEAD.load(Ordering::Relaxed))).unwrap_or(own)
}

/// The moment now, `2026-11-21T20:15:00Z`.
pub(crate) fn now() -> String {
    after(0)
}

/// The moment so many seconds from now.
pub(crate) fn after(seconds: i64) -> String {
    let now = moment();
    let then = now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(now);
    then.round(Unit::Second).unwrap_or(then).to_string()
}

/// The second since 1970.
pub(crate) fn second() -> i64 {
    moment().as_second()
}

/// Today, `2026-11-21`, where the day begins at midnight UTC.
pub(crate) fn today() -> String {
    let mut moment = now();
    moment.truncate(10);
    moment
}
