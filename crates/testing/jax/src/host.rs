//! JAX releases in environments of the corpus.

use unskew_core::{Axis, Version};
use unskew_peers::{Peer, PeerError};

/// A JAX release that can be run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JaxHost {
    /// The release of JAX.
    pub version: Version,
    /// The minor version of the PJRT C API that it was built with, where the database knows it.
    pub minor: Option<i32>,
    /// The environment in which it runs.
    pub peer: Peer,
}

impl JaxHost {
    /// The host of this version, such as `0.10.2`.
    ///
    /// # Errors
    /// If the corpus has no environment with it.
    pub fn named(version: &str) -> Result<Self, PeerError> {
        let peer = Peer::named("jax", version)?;
        Ok(Self { version: peer.version, minor: minor(version), peer })
    }

    /// The hosts of these versions; every one that is here if none is named.
    ///
    /// # Errors
    /// If the corpus has no environment with one.
    pub fn chosen(versions: &[String]) -> Result<Vec<Self>, PeerError> {
        match versions {
            [] => Ok(Self::all()),
            named => named.iter().map(|version| Self::named(version)).collect(),
        }
    }

    /// Every host that the corpus has an environment for, oldest first.
    pub fn all() -> Vec<Self> {
        let versions = Peer::versions("jax");
        let mut all: Vec<Self> =
            versions.iter().filter_map(|version| Self::named(version).ok()).collect();
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
}
