//! JAX releases in environments of the corpus.

use std::path::PathBuf;

use unskew_core::{Axis, Version};

/// A JAX release that can be run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host {
    /// The release.
    pub version: Version,
    /// The minor version of the PJRT C API that it was built with, where the database knows it.
    pub minor: Option<i32>,
    /// The interpreter of its environment.
    pub python: PathBuf,
}

/// Why a host cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// What was given is no version.
    #[error("not a version of JAX: {0}")]
    Version(String),
    /// Its environment was not made.
    #[error("`cargo xtask corpus --all-jax` makes the environment of this JAX release: {0}")]
    Missing(String),
}

impl Host {
    /// The host of this version, such as `0.10.2`.
    ///
    /// # Errors
    /// If the corpus has no environment with it.
    pub fn named(version: &str) -> Result<Self, HostError> {
        let parsed = version.parse().map_err(|_| HostError::Version(version.to_owned()))?;
        let python = crate::root().join(format!("corpus/python/jax-{version}/bin/python"));
        if !python.exists() {
            return Err(HostError::Missing(version.to_owned()));
        }
        Ok(Self { version: parsed, minor: minor(version), python })
    }

    /// Every host that the corpus has an environment for, oldest first.
    pub fn all() -> Vec<Self> {
        let folder = crate::root().join("corpus/python");
        let names = folder.read_dir().into_iter().flatten().flatten();
        let named = |name: String| Self::named(name.strip_prefix("jax-")?).ok();
        let mut all: Vec<Self> =
            names.filter_map(|entry| named(entry.file_name().into_string().ok()?)).collect();
        all.sort();
        all
    }
}

/// What the database of releases says.
fn minor(version: &str) -> Option<i32> {
    let release = unskew_releases::find(&format!("jax@{version}")).ok()?;
    let party = release.party();
    let api = party.provision(&Axis::new("pjrt.api"))?.versions.single()?;
    i32::try_from(*api.parts().get(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minor_of_a_release_is_known() {
        assert_eq!(minor("0.10.2"), Some(112));
        assert_eq!(minor("0.4.30"), Some(54));
        assert_eq!(minor("99.0.0"), None);
    }

    #[test]
    fn a_host_that_is_not_there_says_what_makes_it() {
        let error = Host::named("99.0.0").err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.contains("cargo xtask corpus --all-jax")));
    }
}
