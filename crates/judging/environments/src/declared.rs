//! Facts of releases that are not installed, by the table of what releases declare ([`declared_requirements`]).

use std::str::FromStr as _;

use pep440_rs::Version as Pep440;
use unskew_core::Version;
use unskew_definitions::SpanTable;
use unskew_releases::declared_requirements;

use crate::InstalledPackage;

/// The first jaxlib that refuses modules for CUDA of another version: the comparison is in its `plugin_support.py`.
const COMPARES_PLUGINS: Version = Version::triple(0, 5, 3);

/// The name under which the table has `Requires-Python`.
pub(crate) const PYTHON: &str = "python";

/// Fills in what a release declares, and what follows from that; false if the table lacks the release.
pub(crate) fn fill(package: &mut InstalledPackage) -> bool {
    let key = package.key();
    let Some(declared) =
        declared_requirements(&key).and_then(|table| release(&table, package.public_version()))
    else {
        return false;
    };
    let of_python = |text: &String| {
        text.strip_prefix(PYTHON).is_some_and(|rest| rest.starts_with(['<', '>', '=', '!', '~']))
    };
    package.requires = declared.into_iter().filter(|text| !of_python(text)).collect();
    if key == "jax" {
        package.least_jaxlib = package.requires.iter().find_map(|text| least_jaxlib(text));
    }
    package.compares_plugins =
        key == "jaxlib" && package.numbers().is_some_and(|one| one >= COMPARES_PLUGINS);
    true
}

/// What a release of a table declares, however its version is written: `1.0` is `1.0.0`.
fn release(table: &SpanTable, version: &str) -> Option<Vec<String>> {
    let same = || {
        let version = Pep440::from_str(version).ok()?;
        table.releases.iter().find(|one| Pep440::from_str(one).is_ok_and(|one| one == version))
    };
    let declared = match table.of_release(version) {
        Some(declared) => declared,
        None => table.of_release(same()?)?,
    };
    Some(declared.into_iter().map(str::to_owned).collect())
}

/// The number in `jaxlib==0.4.14 ; extra == 'minimum-jaxlib'`, or in `jaxlib<=0.7.2,>=0.7.2`.
fn least_jaxlib(requirement: &str) -> Option<String> {
    let rest = requirement.strip_prefix("jaxlib")?;
    let range = rest.split(';').next().unwrap_or(rest).trim();
    let bounds =
        range.split(',').find_map(|one| one.strip_prefix(">=").or_else(|| one.strip_prefix("==")));
    bounds.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(name: &str, version: &str) -> Option<InstalledPackage> {
        let (name, version) = (name.to_owned(), version.to_owned());
        let mut package = InstalledPackage { name, version, ..InstalledPackage::default() };
        fill(&mut package).then_some(package)
    }

    #[test]
    fn a_release_declares_what_it_declares_however_it_is_written() {
        for version in ["2.4.0", "2.4", "2.4.0+cu121"] {
            let torch = filled("torch", version).unwrap();
            assert!(torch.requires.iter().any(|one| one == "sympy"), "{version}: {torch:?}");
            assert!(!torch.requires.iter().any(|one| one.starts_with("python")), "{torch:?}");
        }
        assert!(filled("torch", "99.0").is_none());
        assert!(filled("no-such-package", "1.0").is_none());
    }

    #[test]
    fn the_least_jaxlib_of_a_jax_follows_from_what_it_declares() {
        let least = |version: &str| filled("jax", version).unwrap().least_jaxlib;
        assert_eq!(least("0.4.20").as_deref(), Some("0.4.14"));
        assert_eq!(least("0.4.30").as_deref(), Some("0.4.27"));
        assert!(filled("jaxlib", "0.5.3").unwrap().compares_plugins);
        assert!(!filled("jaxlib", "0.5.1").unwrap().compares_plugins);
    }
}
