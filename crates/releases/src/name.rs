//! How releases are named.

use std::str::FromStr;

use unskew_core::Version;

use crate::{Family, Release};

/// How many known versions an error names on each side of an unknown one.
const NEIGHBOURS: usize = 2;

/// A name such as `torch@1.10`: a family and a version or the beginning of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The family.
    pub family: Family,
    /// The version, or its first numbers.
    pub version: Version,
}

/// Why a name is no release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not a family at all.
    #[error("no family of releases (torch, tensorflow or jax): {0}")]
    Family(String),
    /// A family without a version where one release is wanted.
    #[error("a release needs a version, as in `{0}@2.1`; got: {0}")]
    NoVersion(Family),
    /// A version that is none.
    #[error("not a version of {family} (numbers with dots between): {text}")]
    Version {
        /// The family.
        family: Family,
        /// What was written.
        text: String,
    },
    /// A version that the database does not have.
    #[error("no {family} release {version} in the database; nearest: {nearest}")]
    Unknown {
        /// The family.
        family: Family,
        /// The version asked for.
        version: Version,
        /// The releases around it.
        nearest: String,
    },
}

impl FromStr for Name {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let Some((family, version)) = text.split_once('@') else {
            return Err(NameError::NoVersion(text.parse()?));
        };
        let family: Family = family.parse()?;
        let version =
            version.parse().map_err(|_| NameError::Version { family, text: version.to_owned() })?;
        Ok(Self { family, version })
    }
}

/// The release of this name: the exact version if there is one, else the newest that starts with it.
///
/// # Errors
/// If the name is none, or the database has no such release; then the nearest ones are named.
pub fn find(name: &str) -> Result<Release, NameError> {
    let Name { family, version } = name.parse()?;
    // `0.10` is the beginning of 0.10.2, and not the release 0.10.0 alone, although they are equal.
    let exact = || Release::of(family).find(|r| r.row().version.parts() == version.parts());
    let newest =
        || Release::of(family).rfind(|release| release.row().version.starts_with(&version));
    exact().or_else(newest).ok_or_else(|| {
        let nearest = nearest(family, version);
        NameError::Unknown { family, version, nearest }
    })
}

/// The releases that `name` names: one, or all of a family, or all.
///
/// # Errors
/// As [`find`].
pub fn select(name: &str) -> Result<Vec<Release>, NameError> {
    if name == "all" {
        Ok(all().collect())
    } else if name.contains('@') {
        Ok(vec![find(name)?])
    } else {
        Ok(Release::of(name.parse()?).collect())
    }
}

/// Every release of the database, family by family, oldest first.
pub fn all() -> impl Iterator<Item = Release> {
    Family::ALL.into_iter().flat_map(Release::of)
}

/// The releases before and after `version`, in words.
fn nearest(family: Family, version: Version) -> String {
    let versions: Vec<Version> = family.rows().iter().map(|row| row.version).collect();
    let place = versions.partition_point(|known| *known < version);
    let from = place.saturating_sub(NEIGHBOURS);
    let to = (place + NEIGHBOURS).min(versions.len());
    let near: Vec<String> = versions[from..to].iter().map(Version::to_string).collect();
    near.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_version_is_the_newest_that_begins_with_it() {
        assert_eq!(find("jax@0.10").unwrap().to_string(), "jax@0.10.2");
        assert_eq!(find("jax@0.10.0").unwrap().to_string(), "jax@0.10.0");
        assert_eq!(find("pytorch@1.10").unwrap().to_string(), "torch@1.10.2");
        assert!(matches!(find("torch@1.10.0"), Err(NameError::Unknown { .. })));
        assert_eq!(select("torch").unwrap().len(), Family::Torch.rows().len());
    }

    #[test]
    fn a_name_says_what_is_wrong_with_it() {
        assert_eq!("torhc@2.1".parse::<Name>(), Err(NameError::Family("torhc".into())));
        assert_eq!("torch".parse::<Name>(), Err(NameError::NoVersion(Family::Torch)));
        assert_eq!(
            "tf@two".parse::<Name>().unwrap_err().to_string(),
            "not a version of tensorflow (numbers with dots between): two"
        );
    }
}
