//! The dated histories of this boundary.
//!
//! The files are part of this crate: a broken one ends the program.

use std::sync::LazyLock;

use unskew_core::{Date, History, Policy, Version, Window};
use unskew_tables::toml_table;

/// A history from a file of this crate, read once.
macro_rules! history {
    ($(#[$doc:meta])* $name:ident, $file:literal) => {
        $(#[$doc])*
        pub fn $name() -> Option<&'static History> {
            static HISTORY: LazyLock<History> = LazyLock::new(|| toml_table!($file));
            Some(&HISTORY)
        }
    };
}

history! {
    /// The protocol versions of the IFRT proxy, with the floors of its client.
    proxy, "data/proxy.history.toml"
}
history! {
    /// The lowest protocol version of the server, as a history of its own.
    server_minimum, "data/proxy.server_minimum.history.toml"
}
history! {
    /// The history of the SerDes versions.
    serdes, "data/serdes.history.toml"
}
history! {
    /// What the makers typed for `week_4_old`, as a history of its own.
    typed_week_4_old, "data/serdes.week_4_old.history.toml"
}

/// What the makers of IFRT SerDes promise.
pub fn policy() -> Option<&'static Policy> {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| toml_table!("data/policy.toml"));
    Some(&POLICY)
}

/// The window of the promise: four weeks.
fn window() -> Option<&'static Window> {
    policy()?.forward.as_ref()
}

/// The newest SerDes version that every build of the four weeks before `today` reads, computed from
/// the days on which versions landed. None before the first version was four weeks old.
///
/// ```
/// use unskew_core::{Date, Version};
/// let computed = unskew_ifrt::week_4_old(Date::constant(2026, 8, 7));
/// assert_eq!(computed, Some(Version::number(4)));
/// ```
pub fn week_4_old(today: Date) -> Option<Version> {
    serdes()?.at_least_old(window()?, today).ok()
}

/// A typed `week_4_old` that has fallen behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staleness {
    /// The version that stands in the source.
    pub typed: Version,
    /// What it should be.
    pub computed: Version,
    /// The day from which it should have been that.
    pub due: Date,
    /// For how many days it has not.
    pub days: i64,
}

/// Whether the typed `week_4_old` is behind the computed one on `today`.
pub fn staleness(today: Date) -> Option<Staleness> {
    let typed = typed_week_4_old()?.as_of(today)?;
    let computed = week_4_old(today)?;
    if typed >= computed {
        return None;
    }
    let due = window()?.end(serdes()?.landed(computed)?, &[]).ok()??;
    let late = jiff::Unit::Day;
    let days = due.until((late, today)).ok()?.get_days();
    Some(Staleness { typed, computed, due, days: days.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_history_and_the_policy_are_read() {
        assert_eq!(proxy().unwrap().current(), Version::number(25));
        assert_eq!(proxy().unwrap().minimum(), Version::number(16));
        assert_eq!(server_minimum().unwrap().current(), Version::number(16));
        assert_eq!(serdes().unwrap().current(), Version::number(6));
        assert_eq!(serdes().unwrap().minimum(), Version::number(2));
        assert_eq!(policy().unwrap().forward, Some(Window::weeks(4)));
    }

    /// The state of 2026-08-07: version 4 has been four weeks old since 07-13 (by the makers' own
    /// date, which precedes its landing, since 07-08), and 3 is still typed.
    #[test]
    fn a_typed_week_4_old_that_was_forgotten_is_found() {
        let stale = staleness(Date::constant(2026, 8, 7)).unwrap();
        assert_eq!((stale.typed, stale.computed), (Version::number(3), Version::number(4)));
        assert_eq!((stale.due, stale.days), (Date::constant(2026, 7, 13), 25));
        let header = serdes().unwrap().entries()[4].header.unwrap();
        let by_header = Window::weeks(4).end(header, &[]).unwrap().unwrap();
        assert_eq!(by_header, Date::constant(2026, 7, 8));
    }

    #[test]
    fn a_typed_week_4_old_that_is_in_time_is_none() {
        assert_eq!(staleness(Date::constant(2026, 5, 14)), None);
        assert_eq!(staleness(Date::constant(2025, 9, 1)), None);
    }

    #[test]
    fn programs_were_refused_below_a_version_as_the_history_says() {
        let floor = |y, m, d| typed_week_4_old().unwrap().as_of(Date::constant(y, m, d));
        assert_eq!(floor(2026, 6, 17), Some(Version::number(3)));
        assert_eq!(floor(2026, 3, 18), Some(Version::number(0)));
        assert_eq!(floor(2024, 3, 18), None);
    }
}
