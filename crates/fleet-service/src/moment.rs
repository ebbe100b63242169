//! Days and moments, for people and for what is asked "as of".

use jiff::{Timestamp, Unit};

/// The moment now, `2026-11-21T20:15:00Z`.
pub(crate) fn now() -> String {
    after(0)
}

/// The moment so many seconds from now.
pub(crate) fn after(seconds: i64) -> String {
    let now = Timestamp::now();
    let then = now.checked_add(jiff::SignedDuration::from_secs(seconds)).unwrap_or(now);
    then.round(Unit::Second).unwrap_or(then).to_string()
}

/// The second since 1970.
pub(crate) fn second() -> i64 {
    Timestamp::now().as_second()
}

/// Today, `2026-11-21`, where the day begins at midnight UTC.
pub(crate) fn today() -> String {
    let mut moment = now();
    moment.truncate(10);
    moment
}
