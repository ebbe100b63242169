//! Adapter between a host and a plug-in: what it fixes.

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Finding;
use unskew_tables::toml_table;

use crate::layout::{FLOOR, SIZED_EXTENSIONS};
use crate::verdict::host::ReleasedHost;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    fixes: Vec<Fix>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fix {
    rule: String,
    host: Option<Hosts>,
}

/// The hosts for which findings of a rule go away, if not for all.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Hosts {
    /// Those that are not newer than the plug-in.
    NotNewer,
    /// Those that walk the chain of extensions as the table is laid out that they get.
    OfItsChain,
}

impl Hosts {
    fn has(self, host: i32, plugin: i32) -> bool {
        match self {
            Self::NotNewer => host <= plugin,
            Self::OfItsChain => host < SIZED_EXTENSIONS || plugin >= SIZED_EXTENSIONS,
        }
    }
}

static FIXES: LazyLock<Vec<Fix>> = LazyLock::new(|| {
    let table: Table = toml_table!("data/adapter.toml");
    table.fixes
});

/// Names the adaptation on every finding that an adapter in front of a plug-in of this minor removes.
pub(crate) fn name_adaptations(findings: &mut [Finding], host: &ReleasedHost, plugin: i32) {
    let Some(minor) = host.minor.filter(|minor| *minor >= FLOOR && plugin >= FLOOR) else { return };
    if !host.framework.takes_adapters() || !host.is_release() {
        return;
    }
    for finding in findings {
        let fixes = |fix: &&Fix| {
            let is_for = fix.host.is_none_or(|hosts| hosts.has(minor, plugin));
            fix.rule == finding.rule.code && is_for
        };
        if FIXES.iter().any(|fix| fixes(&fix)) {
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
        assert!(!FIXES.is_empty());
        for fix in FIXES.iter() {
            assert!(rules::RULES.iter().any(|rule| rule.code == fix.rule), "{}", fix.rule);
        }
    }

    #[test]
    fn an_old_host_is_helped_and_one_that_the_plug_in_does_not_reach_is_not() {
        let plugin = Probe { minor: 81, version_size: 24, table_size: 984, ..Probe::default() };
        let left = |host: &ReleasedHost| {
            let mut findings = predict(host, &plugin);
            assert!(findings.iter().any(|finding| finding.severity == Severity::Error));
            name_adaptations(&mut findings, host, 81);
            let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
            errors.filter(|finding| finding.adaptation.is_none()).count()
        };
        assert_eq!(left(&ReleasedHost::jax("0.6.2", Date::constant(2025, 6, 17), 70)), 0);
        assert_eq!(left(&ReleasedHost::jax("0.4.28", Date::constant(2024, 5, 9), 51)), 0);
        // Before the floor nothing can be presented.
        assert_ne!(left(&ReleasedHost::jax("0.4.13", Date::constant(2023, 6, 23), 2)), 0);
        // It wants exactly its own version, which the plug-in has not reached.
        assert_ne!(left(&ReleasedHost::jax("exact", Date::constant(2024, 5, 9), 90)), 0);
    }
}
