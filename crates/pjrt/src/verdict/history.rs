//! The dated history of the PJRT C API, and what its makers promise.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::{Date, History, Policy, Promise, PromiseState, Version, VersionRange, Window};

use crate::verdict::host::Host;

/// The dated history of axis `pjrt.api`, with the six times that the counter went backwards.
///
/// None never happens: the file is part of this crate, and a test reads it.
pub fn history() -> Option<&'static History> {
    static HISTORY: LazyLock<Option<History>> =
        LazyLock::new(|| History::from_toml(include_str!("../../data/api.history.toml")).ok());
    HISTORY.as_ref()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    policy: Vec<DatedPolicy>,
}

/// A policy and the day from which releases fall under it.
#[derive(Deserialize)]
struct DatedPolicy {
    since: toml::value::Datetime,
    #[serde(flatten)]
    policy: Policy,
}

/// The policy under which a host that was released on `day` falls: the newest that was there, or the
/// first one for a host from before it.
pub fn policy(day: Date) -> Option<&'static Policy> {
    static POLICIES: LazyLock<Vec<(Date, Policy)>> = LazyLock::new(|| {
        let file: Option<PolicyFile> =
            toml::from_str(include_str!("../../data/policies.toml")).ok();
        let dated = |row: DatedPolicy| Some((row.since.to_string().parse().ok()?, row.policy));
        file.map(|file| file.policy.into_iter().filter_map(dated).collect()).unwrap_or_default()
    });
    let in_force = POLICIES.iter().rfind(|(since, _)| *since <= day);
    in_force.or_else(|| POLICIES.first()).map(|(_, policy)| policy)
}

/// What the makers of the PJRT C API promise about this host and a plug-in of version `plugin`.
pub(crate) fn promise(host: &Host, plugin: Version) -> Option<Promise> {
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

fn judge(host: &Host, plugin: Version, window: &Window) -> (PromiseState, String) {
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
fn supported(host: &Host, own: Version, window: &Window) -> Option<(VersionRange, Date)> {
    let in_force = history()?.supported(host.released, window).ok()?;
    let lowest = in_force.min?.min(own);
    Some((VersionRange::between(lowest, own), window.start(host.released, &[]).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jax_062() -> Host {
        Host::jax("0.6.2", Date::constant(2025, 6, 17), 70)
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
    fn older_newer_and_lower_major_are_not_promised_each_with_its_reason() {
        let said = |major, minor| promise(&jax_062(), Version::pair(major, minor)).unwrap();
        assert_eq!(said(0, 54).state, PromiseState::Expired);
        let newer = said(0, 81);
        assert_eq!(newer.state, PromiseState::NotPromised);
        assert!(newer.statement.contains("define themselves"), "{}", newer.statement);
        assert!(said(-1, 70).statement.contains("lower major"));
    }
}
