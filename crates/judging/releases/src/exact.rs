//! One exact version of a package, as an index lists it: `2.1.2`, `2.15.0.post1`, `2.16.0rc1`, `2.16.0.dev20261101`.

use std::fmt;
use std::str::FromStr;

use pep440_rs::PrereleaseKind;
use unskew_core::Version;

/// An exact version: its numbers, and how far along the way to them it was built.
///
/// Kept small and plain, so that a release can be copied. What comes after a plus sign (`+cu121`) says how
/// the package was built, not which release it is, and is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Exact {
    /// The numbers, as many as were written.
    pub numbers: Version,
    /// A pre-release and its number: `rc1` of `2.16.0rc1`.
    pub candidate: Option<(PreRelease, u64)>,
    /// The number of a post-release: `1` of `2.15.0.post1`.
    pub post: Option<u64>,
    /// The number of a nightly build: `20261101` of `2.16.0.dev20261101`.
    pub dev: Option<u64>,
}

/// What a release was called before it was one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PreRelease {
    /// An alpha, written `a1`.
    Alpha,
    /// A beta, written `b1`.
    Beta,
    /// A release candidate, written `rc1`.
    Release,
}

/// Why a text is not an [`Exact`] version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a version of a package: {0}")]
pub struct ExactError(pub String);

impl Exact {
    /// The final release of these numbers: no candidate, post or dev part.
    pub const fn from_numbers(numbers: Version) -> Self {
        Self { numbers, candidate: None, post: None, dev: None }
    }

    /// Whether it was built before the release whose numbers it has.
    pub const fn is_before_release(&self) -> bool {
        self.candidate.is_some() || self.dev.is_some()
    }

    /// Whether it is only numbers, which may be the beginning of others.
    pub const fn is_numbers(&self) -> bool {
        !self.is_before_release() && self.post.is_none()
    }

    /// From what the parser of package versions understood; none if a number is too large, or there are
    /// too many.
    pub(crate) fn from_pep440(version: &pep440_rs::Version) -> Option<Self> {
        if version.epoch() != 0 {
            return None;
        }
        let numbers: Vec<String> = version.release().iter().map(u64::to_string).collect();
        let candidate = version.pre().map(|pre| {
            let kind = match pre.kind {
                PrereleaseKind::Alpha => PreRelease::Alpha,
                PrereleaseKind::Beta => PreRelease::Beta,
                PrereleaseKind::Rc => PreRelease::Release,
            };
            (kind, pre.number)
        });
        let numbers = numbers.join(".").parse().ok()?;
        Some(Self { numbers, candidate, post: version.post(), dev: version.dev() })
    }

    /// As the parser of package versions has it, for comparing it with a range.
    pub(crate) fn to_pep440(self) -> Option<pep440_rs::Version> {
        self.to_string().parse().ok()
    }
}

impl FromStr for Exact {
    type Err = ExactError;

    fn from_str(text: &str) -> Result<Self, ExactError> {
        // Nearly all of them, and a table has hundreds.
        if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && let Ok(numbers) = text.parse()
        {
            return Ok(Self::from_numbers(numbers));
        }
        let error = || ExactError(text.to_owned());
        let version: pep440_rs::Version = text.parse().map_err(|_| error())?;
        Self::from_pep440(&version).ok_or_else(error)
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.numbers.to_string();
        if let Some((kind, number)) = self.candidate {
            let kind = match kind {
                PreRelease::Alpha => "a",
                PreRelease::Beta => "b",
                PreRelease::Release => "rc",
            };
            text.push_str(&format!("{kind}{number}"));
        }
        if let Some(number) = self.post {
            text.push_str(&format!(".post{number}"));
        }
        if let Some(day) = self.dev {
            text.push_str(&format!(".dev{day}"));
        }
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_index_lists_is_read_and_written_again() {
        for text in ["2.1.2", "2.15.0.post1", "2.16.0rc1", "0.4.32.dev20240901", "0.9.0.1", "2.1"] {
            assert_eq!(text.parse::<Exact>().unwrap().to_string(), text);
        }
        for (text, normal) in [
            ("v2.1", "2.1"),
            ("2.1.2+cu121", "2.1.2"),
            ("2.16.0-rc1", "2.16.0rc1"),
            ("2.0.0alpha0", "2.0.0a0"),
            ("2.4.0.dev20240601+cu124", "2.4.0.dev20240601"),
        ] {
            assert_eq!(text.parse::<Exact>().unwrap().to_string(), normal);
        }
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in ["", "two", "1!2.0", "1.2.3.4.5", "99999999999999999999", "2.1 2.2", "-1"] {
            assert!(text.parse::<Exact>().is_err(), "{text:?}");
        }
    }
}
