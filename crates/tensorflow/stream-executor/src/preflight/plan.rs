//! Plan of the hosts that are simulated, and their order.

use super::release_groups::{eras, eras_of};
use super::trial::{HostScript, PluginEntry, Skew};
use crate::layout::NEWEST;

/// Every host that a plug-in with these entries is tried with: those of all eras, the newest first, then hosts
/// that no release is, with the structs of the newest, and then what comes after the registration of a platform.
pub(crate) fn plan(has: impl Fn(&str) -> bool) -> Vec<HostScript> {
    let mut scripts: Vec<HostScript> =
        eras().iter().rev().map(|era| HostScript::for_minor(era.first.minor)).collect();
    let skews = [
        Skew::Major(1),
        Skew::Major(99),
        Skew::Announces(0),
        Skew::Announces(1),
        Skew::Announces(1 << 40),
        Skew::Longer(64),
        Skew::Shorter,
        Skew::Twice,
        Skew::NoStructs,
    ];
    scripts.extend(skews.map(|skew| HostScript { skew, ..HostScript::for_minor(NEWEST.minor) }));
    for entry in PluginEntry::OTHERS.into_iter().filter(|entry| has(entry.function())) {
        let hosts = eras_of(entry).into_iter().rev();
        scripts.extend(hosts.map(|era| HostScript::through(era.first.minor, entry)));
    }
    scripts
}
