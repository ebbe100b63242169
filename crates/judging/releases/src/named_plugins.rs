//! Packages with a PJRT plug-in, by name and version: `libtpu@0.0.30`, `jax-cuda12-pjrt@0.7.2`. They are no family of releases:
//! each is known by what its plug-in said when it was asked once.

use std::sync::Arc;

use unskew_core::Party;
use unskew_pjrt::{known_of_package, known_packages, party_of_known};

use crate::set_requirement;
use crate::vendor_docs::{NamedParties, NotStated};

/// The names of the packages.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let mut before = None;
    let names = known_packages().map(|(name, _)| name);
    names.filter(move |name| before.replace(*name) != Some(*name))
}

/// The plug-in of a release of a package, with what JAX declares of the package; none if the package is not in the table.
///
/// ```
/// let party = unskew_releases::named_plugin("xla-cpu-pjrt", "0.0.1").unwrap();
/// assert_eq!(party.name, "xla-cpu-pjrt 0.0.1");
/// ```
pub fn named_plugin(name: &str, version: &str) -> Option<Party> {
    let party = party_of_known(known_of_package(name, version)?);
    Some(set_requirement(name, version).into_iter().fold(party, Party::require))
}

/// The plug-ins that `text` names: one release of a package, of a shorter number (`libtpu@0.0`) the last one, or all of it
/// (`libtpu`); none if it names something else.
///
/// # Errors
/// If the package has no such release in the table.
pub(crate) fn select(text: &str) -> Option<Result<NamedParties, NotStated>> {
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (text, None),
    };
    let name = name.to_ascii_lowercase().replace('_', "-");
    let name = names().find(|known| *known == name)?;
    let mut versions: Vec<&str> =
        known_packages().filter(|(known, _)| *known == name).map(|(_, version)| version).collect();
    versions.sort_by_key(|version| crate::version_numbers(version));
    let found: Vec<&str> = match version {
        None => versions.clone(),
        Some(asked) => {
            let begins = |one: &&&str| {
                one.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let exact = versions.iter().find(|one| **one == asked);
            exact.or_else(|| versions.iter().rfind(begins)).copied().into_iter().collect()
        }
    };
    if found.is_empty() {
        let (name, known) = (name.to_owned(), versions.join(", "));
        return Some(Err(NotStated {
            name,
            version: version.unwrap_or_default().to_owned(),
            known,
        }));
    }
    let named =
        |version| Some((format!("{name}@{version}"), Arc::new(named_plugin(name, version)?)));
    Some(Ok(found.into_iter().filter_map(named).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        select(text).unwrap().unwrap().into_iter().map(|(label, _)| label).collect()
    }

    #[test]
    fn a_release_of_a_package_is_found_by_its_number() {
        assert_eq!(labels("jax-cuda12-pjrt@0.7.2"), ["jax-cuda12-pjrt@0.7.2"]);
        assert_eq!(labels("jax_cuda12_pjrt@0.6"), ["jax-cuda12-pjrt@0.6.2"]);
        assert!(labels("jax-cuda12-pjrt").len() > 2);
        assert!(select("jax-cuda12-pjrt@99").unwrap().is_err());
        assert!(select("torch@2.1").is_none());
    }

    /// What NVIDIA's plug-ins say of themselves, against what the table of JAX says of the release that they are made with.
    #[test]
    fn a_plug_in_that_is_made_with_a_jaxlib_has_the_version_of_its_jax() {
        let mut compared = 0;
        for (name, version) in known_packages().filter(|(name, _)| name.starts_with("jax-cuda")) {
            let jax = format!("jax {version}");
            let host = crate::jax::hosts().iter().find(|host| host.name == jax);
            let Some(minor) = host.and_then(|host| host.minor) else { continue };
            let known = known_of_package(name, version).unwrap();
            assert_eq!(known.probe.minor, minor, "{name} {version}");
            compared += 1;
        }
        assert!(compared > 40, "{compared}");
    }

    #[test]
    fn every_package_stands_together_and_has_a_party_for_each_of_its_releases() {
        let mut all: Vec<&str> = names().collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(known_packages().all(|(name, version)| named_plugin(name, version).is_some()));
    }
}
