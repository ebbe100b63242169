//! What an adapter between a host and a plug-in mends.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Finding;

use crate::layout::FLOOR;
use crate::verdict::host::Host;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    mends: Vec<Mend>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mend {
    rule: String,
    host: Option<Hosts>,
}

/// The hosts for which a rule is mended, if not all.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Hosts {
    /// Those that are not newer than the plug-in.
    NotNewer,
}

/// The file is part of this crate, and a test reads it.
static MENDS: LazyLock<Vec<Mend>> = LazyLock::new(|| {
    let table: Result<Table, _> = toml::from_str(include_str!("../../data/adapter.toml"));
    table.map(|table| table.mends).unwrap_or_default()
});

/// Names the adaptation on every finding that an adapter in front of a plug-in of this minor removes.
pub(crate) fn name_adaptations(findings: &mut [Finding], host: &Host, plugin: i32) {
    let Some(minor) = host.minor.filter(|minor| *minor >= FLOOR && plugin >= FLOOR) else { return };
    for finding in findings {
        let mends = |mend: &&Mend| {
            mend.rule == finding.rule.code && (mend.host.is_none() || minor <= plugin)
        };
        if MENDS.iter().any(|mend| mends(&mend)) {
            let release = host.name.replacen(' ', "@", 1);
            finding.adaptation = Some(format!("unskew adapt --for {release}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use unskew_core::{Date, Severity};

    use super::*;
    use crate::{Probe, predict, rules};

    #[test]
    fn the_data_name_rules_that_exist() {
        assert!(!MENDS.is_empty());
        for mend in MENDS.iter() {
            assert!(rules::RULES.iter().any(|rule| rule.code == mend.rule), "{}", mend.rule);
        }
    }

    #[test]
    fn an_old_host_is_helped_and_one_that_the_plug_in_does_not_reach_is_not() {
        let plugin = Probe { minor: 81, version_size: 24, table_size: 984, ..Probe::default() };
        let left = |host: &Host| {
            let mut findings = predict(host, &plugin);
            assert!(findings.iter().any(|finding| finding.severity == Severity::Error));
            name_adaptations(&mut findings, host, 81);
            let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
            errors.filter(|finding| finding.adaptation.is_none()).count()
        };
        assert_eq!(left(&Host::jax("0.6.2", Date::constant(2025, 6, 17), 70)), 0);
        assert_eq!(left(&Host::jax("0.4.28", Date::constant(2024, 5, 9), 51)), 0);
        // Before the floor nothing can be presented.
        assert_ne!(left(&Host::jax("0.4.13", Date::constant(2023, 6, 23), 2)), 0);
        // It wants exactly its own version, which the plug-in has not reached.
        assert_ne!(left(&Host::jax("exact", Date::constant(2024, 5, 9), 90)), 0);
    }
}
