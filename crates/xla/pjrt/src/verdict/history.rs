//! The dated history of the PJRT C API, and what its makers promise.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{
    Date, History, HistoryError, Policy, Promise, PromiseState, Version, VersionRange, Window,
};
use unskew_tables::toml_table;

use crate::verdict::axes::API_AXIS;
use crate::verdict::host::ReleasedHost;

/// The dated history of axis `pjrt.api`, with the six times that the counter went backwards.
pub fn history() -> Option<&'static History> {
    static HISTORY: LazyLock<History> = LazyLock::new(|| toml_table!("data/api.history.toml"));
    Some(&HISTORY)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    policy: Vec<DatedPolicy>,
}

/// A policy and the day from which releases fall under it.
#[derive(Deserialize)]
struct DatedPolicy {
    since: Date,
    #[serde(flatten)]
    policy: Policy,
}

/// The policy under which a host that was released on `day` falls: the newest that was there, or the
/// first one for a host from before it.
pub fn policy(day: Date) -> Option<&'static Policy> {
    static POLICIES: LazyLock<Vec<(Date, Policy)>> = LazyLock::new(|| {
        let file: PolicyFile = toml_table!("data/policies.toml");
        let dated = |row: DatedPolicy| (row.since, row.policy);
        file.policy.into_iter().map(dated).collect()
    });
    let in_force = POLICIES.iter().rfind(|(since, _)| *since <= day);
    in_force.or_else(|| POLICIES.first()).map(|(_, policy)| policy)
}

/// The minors that a host must support, by the rule of the PJRT versioning document: "a release done
/// at time T should support all the versions between T - N weeks and T".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportedMinors {
    /// The first day of the window.
    pub from: Date,
    /// The day of the release, the last day of the window.
    pub until: Date,
    /// From the lowest to the highest version that was in force in the window.
    pub range: VersionRange,
    /// The minors that were in force on a day of the window, in the order in which they came. The
    /// counter went backwards six times, so one may stand here twice, and a number of the range that
    /// was skipped then does not.
    pub in_force: Vec<i32>,
}

/// The minors that a host released on `released` must support, with a window of `weeks`; without, with the
/// one of the policy that was in force on that day (6 weeks, later 12).
///
/// # Errors
/// If nothing had landed on that day, or the window begins before there were days.
pub fn supported_minors(
    released: Date,
    weeks: Option<u32>,
) -> Result<SupportedMinors, HistoryError> {
    let window = match weeks {
        Some(weeks) => Window::weeks(weeks),
        None => policy(released).and_then(|p| p.forward.clone()).unwrap_or(Window::weeks(12)),
    };
    let history = history().ok_or_else(|| HistoryError::Empty(API_AXIS.into()))?;
    let range = history.supported(released, &window)?;
    let from = window.start(released, &[])?;
    let entries = history.entries();
    // What was in force on the first day landed before it.
    let opening = entries.iter().rposition(|entry| entry.landed <= from).unwrap_or(0);
    let landed = entries.iter().skip(opening).take_while(|entry| entry.landed <= released);
    let in_force = landed.filter_map(|entry| i32::try_from(entry.version.minor()).ok()).collect();
    Ok(SupportedMinors { from, until: released, range, in_force })
}

/// What the makers of the PJRT C API promise about this host and a plug-in of version `plugin`.
pub(crate) fn promise(host: &ReleasedHost, plugin: Version) -> Option<Promise> {
    let policy = policy(host.released)?;
    let window = policy.forward.clone()?;
    let said = judge(host, plugin, &window);
    Some(Promise {
        policy: policy.name.clone(),
        state: said.0,
        window: Some(window.to_string()),
        from: window.start(host.released, &[]).ok(),
        until: Some(host.released),
        statement: said.1,
        reference: policy.reference.clone(),
    })
}

fn judge(host: &ReleasedHost, plugin: Version, window: &Window) -> (PromiseState, String) {
    let name = &host.name;
    let Some(own) = host.version() else {
        return (PromiseState::Unknown, format!("the PJRT version of {name} is not known"));
    };
    if plugin.major() < own.major() {
        let text =
            format!("{name} supports no plug-in of a lower major version than {own}: {plugin}");
        return (PromiseState::NotPromised, text);
    }
    if plugin > own {
        let text = format!(
            "plug-in {plugin} is newer than {name} of {} ({own}): what then happens, the plug-in's \
             makers define themselves",
            host.released
        );
        return (PromiseState::NotPromised, text);
    }
    match supported(host, own, window) {
        None => (PromiseState::Unknown, format!("{name} is older than the history of the API")),
        Some((range, from)) if range.contains(plugin) => {
            let text = format!(
                "{name} of {} supports {range} ({window} back to {from}): plug-in {plugin} is inside",
                host.released
            );
            (PromiseState::Promised, text)
        }
        Some((range, from)) => {
            let text = format!(
                "{name} of {} supports {range} ({window} back to {from}): plug-in {plugin} is older",
                host.released
            );
            (PromiseState::Expired, text)
        }
    }
}

/// From the lowest version that was in force in the window before the host's release to the host's
/// own, and the first day of the window.
fn supported(host: &ReleasedHost, own: Version, window: &Window) -> Option<(VersionRange, Date)> {
    let in_force = history()?.supported(host.released, window).ok()?;
    let lowest = in_force.min?.min(own);
    Some((VersionRange::between(lowest, own), window.start(host.released, &[]).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jax_062() -> ReleasedHost {
        ReleasedHost::jax("0.6.2", Date::constant(2025, 6, 17), 70)
    }

    #[test]
    fn the_counter_went_backwards_six_times() {
        let entries = history().unwrap().entries();
        let back = entries.windows(2).filter(|pair| pair[1].version < pair[0].version).count();
        assert_eq!(back, 6);
        assert_eq!(history().unwrap().current(), Version::pair(0, 116));
    }

    #[test]
    fn the_window_begins_as_many_weeks_before_the_release_as_the_policy_of_its_day_says() {
        assert_eq!(policy(Date::constant(2023, 10, 1)).unwrap().forward, Some(Window::weeks(6)));
        assert_eq!(policy(Date::constant(2025, 10, 1)).unwrap().forward, Some(Window::weeks(12)));
        let promise = promise(&jax_062(), Version::pair(0, 68)).unwrap();
        assert_eq!(promise.state, PromiseState::Promised);
        assert_eq!(promise.from, Some(Date::constant(2025, 3, 25)));
        assert!(promise.statement.contains("supports 0.67 to 0.70"), "{}", promise.statement);
    }

    #[test]
    fn a_window_over_a_step_back_holds_both_sides_of_it() {
        let minors = |day, weeks| supported_minors(day, weeks).unwrap();
        // 0.61 landed on 2024-12-18, was taken back twice, and came for good on 2025-01-07.
        let short = minors(Date::constant(2025, 1, 8), Some(4));
        assert_eq!(short.in_force, [57, 58, 59, 60, 61, 60, 61, 60, 61]);
        assert_eq!(short.range, VersionRange::between(Version::pair(0, 57), Version::pair(0, 61)));
        // In two weeks lie the last step back and the return, in none the return alone.
        assert_eq!(minors(Date::constant(2025, 1, 8), Some(2)).in_force, [60, 61]);
        assert_eq!(minors(Date::constant(2025, 1, 8), Some(0)).in_force, [61]);
        // JAX 0.6.2 falls under 12 weeks and 2025-06-17, the day on which 0.70 went back to 0.69.
        let jax = minors(Date::constant(2025, 6, 17), None);
        assert_eq!(jax.from, Date::constant(2025, 3, 25));
        assert_eq!(jax.in_force, [67, 68, 69, 70, 69, 70]);
        assert!(supported_minors(Date::constant(2023, 1, 1), None).is_err());
    }

    #[test]
    fn a_window_holds_what_was_in_force_at_its_end_and_nothing_outside_of_its_range() {
        for entry in history().unwrap().entries() {
            if history().unwrap().as_of(entry.landed) != Some(entry.version) {
                continue; // Another one landed on the same day.
            }
            let there = supported_minors(entry.landed, Some(0)).unwrap();
            let minor = i32::try_from(entry.version.minor()).unwrap();
            assert_eq!(there.in_force, [minor]);
            let wider = supported_minors(entry.landed, Some(6)).unwrap();
            assert!(wider.in_force.ends_with(&there.in_force));
            for minor in wider.in_force {
                assert!(wider.range.contains(Version::pair(0, minor.into())), "{minor}");
            }
        }
    }

    #[test]
    fn older_newer_and_lower_major_are_not_promised_each_with_its_reason() {
        let said = |major, minor| promise(&jax_062(), Version::pair(major, minor)).unwrap();
        assert_eq!(said(0, 54).state, PromiseState::Expired);
        let newer = said(0, 81);
        assert_eq!(newer.state, PromiseState::NotPromised);
        assert!(newer.statement.contains("define themselves"), "{}", newer.statement);
        assert!(said(-1, 70).statement.contains("lower major"));
    }
}
