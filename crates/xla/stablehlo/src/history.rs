//! The dated versions of StableHLO, and what its makers promise.
//!
//! The files are part of this crate: a broken one ends the program.

use std::sync::LazyLock;

use unskew_core::{Date, History, Policy, Version};
use unskew_tables::toml_table;

/// The StableHLO versions in which something changed.
pub fn history() -> Option<&'static History> {
    static HISTORY: LazyLock<History> =
        LazyLock::new(|| toml_table!("data/stablehlo.history.toml"));
    Some(&HISTORY)
}

/// What the makers of StableHLO promise.
pub fn policy() -> Option<&'static Policy> {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| toml_table!("data/policy.toml"));
    Some(&POLICY)
}

/// The day on which `version`, or the one that it is a patch of, landed; none above the newest that
/// is known.
pub fn landed(version: Version) -> Option<Date> {
    let history = history()?;
    let minor = minor(version);
    if minor > history.current() {
        return None;
    }
    let before = history.entries().iter().rev().find(|entry| entry.version <= minor)?;
    Some(before.landed)
}

/// The version without its patch, which changes nothing that is written.
pub(crate) const fn minor(version: Version) -> Version {
    Version::triple(version.major(), version.minor(), 0)
}

#[cfg(test)]
mod tests {
    use unskew_core::Window;

    use super::*;

    #[test]
    fn history_and_policy_are_read() {
        assert_eq!(history().unwrap().current(), Version::triple(1, 22, 0));
        assert_eq!(history().unwrap().minimum(), Version::triple(0, 9, 0));
        let five: Window = "5 years".parse().unwrap();
        assert_eq!(policy().unwrap().backward, Some(five));
    }

    #[test]
    fn a_patch_is_as_old_as_its_minor_and_the_future_has_no_day() {
        assert_eq!(landed(Version::triple(1, 7, 8)), Some(Date::constant(2024, 9, 4)));
        assert_eq!(landed(Version::triple(1, 22, 3)), Some(Date::constant(2026, 10, 19)));
        assert_eq!(landed(Version::triple(1, 23, 0)), None);
        assert_eq!(landed(Version::triple(0, 8, 0)), None);
    }

    /// Against what the table of JAX releases says of each.
    #[test]
    fn no_release_carries_a_version_from_its_future() {
        let table = include_str!("../../../judging/releases/data/jax/releases.toml");
        let mut count = 0;
        for release in table.split("[[release]]").skip(1) {
            let cell = |key| {
                let line = release.lines().find_map(|line| line.strip_prefix(key));
                Some(line?.trim_start_matches([' ', '=']).trim_matches('"'))
            };
            let Some(version) = cell("stablehlo") else { continue };
            let version: Version = version.parse().unwrap();
            let released: Date = cell("released").unwrap().parse().unwrap();
            assert!(landed(version).unwrap() <= released, "{release}");
            count += 1;
        }
        println!("agreement {count}/{count} releases");
        assert!(count >= 40);
    }
}
