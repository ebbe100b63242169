//! Versions: up to four numbers with dots between them.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The most numbers that one version has (`0.12.0.1`, a JAX release, has four).
const MAX_PARTS: usize = 4;

/// A version on an axis: `1395`, `0.115`, `1.13.7`, `0.12.0.1`.
///
/// A missing number counts as zero, so `8` equals `8.0`; what was written is kept for display.
/// Numbers are signed because files in the field carry negative ones (a GraphDef may say
/// `producer: -5`) and a checker must be able to say so.
///
/// ```
/// use unskew_core::Version;
/// let shipped: Version = "1.13.7".parse().unwrap();
/// assert!(shipped > Version::pair(1, 9));
/// assert_eq!(Version::number(8), "8.0".parse().unwrap());
/// ```
#[derive(Clone, Copy)]
pub struct Version {
    parts: [i64; MAX_PARTS],
    len: u8,
}

/// Why a text is not a [`Version`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a version (one to four numbers with dots between): {0:?}")]
pub struct VersionError(pub String);

impl Version {
    /// A version of one number.
    pub const fn number(n: i64) -> Self {
        Self { parts: [n, 0, 0, 0], len: 1 }
    }

    /// A version of two numbers, `major.minor`.
    pub const fn pair(major: i64, minor: i64) -> Self {
        Self { parts: [major, minor, 0, 0], len: 2 }
    }

    /// A version of three numbers, `major.minor.patch`.
    pub const fn triple(major: i64, minor: i64, patch: i64) -> Self {
        Self { parts: [major, minor, patch, 0], len: 3 }
    }

    /// The number before the first dot.
    pub const fn major(self) -> i64 {
        self.parts[0]
    }

    /// The second number, zero if there is none.
    pub const fn minor(self) -> i64 {
        self.parts[1]
    }

    /// The third number, zero if there is none.
    pub const fn patch(self) -> i64 {
        self.parts[2]
    }

    /// The numbers as they were written.
    pub fn parts(&self) -> &[i64] {
        &self.parts[..usize::from(self.len)]
    }

    /// Whether this version starts with all numbers of `prefix`: `1.10.2` starts with `1.10`.
    pub fn starts_with(&self, prefix: &Version) -> bool {
        self.parts().starts_with(prefix.parts())
    }

    /// The highest version whose first number is `major`: the upper end of "any minor".
    pub(crate) const fn top_of_major(major: i64) -> Self {
        Self { parts: [major, i64::MAX, 0, 0], len: 2 }
    }

    pub(crate) const fn is_top_of_major(&self) -> bool {
        self.parts[1] == i64::MAX
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.parts().iter().map(i64::to_string).collect::<Vec<_>>().join(".");
        f.pad(&text)
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || VersionError(text.to_owned());
        let mut version = Self { parts: [0; MAX_PARTS], len: 0 };
        // An array as the pattern: for a few bytes, a search for a single character is slower.
        for piece in text.split(['.']) {
            let slot = version.parts.get_mut(usize::from(version.len)).ok_or_else(error)?;
            if piece.starts_with('+') {
                return Err(error());
            }
            *slot = piece.parse().map_err(|_| error())?;
            version.len += 1;
        }
        Ok(version)
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for Version {}

impl Hash for Version {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts.hash(state);
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts.cmp(&other.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_what_is_shown() {
        for text in ["0", "-5", "0.115", "1.13.7", "0.12.0.1"] {
            assert_eq!(text.parse::<Version>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn texts_that_are_no_versions_are_refused_with_the_text() {
        for text in ["", "1.", "1.2.3.4.5", "1.x", "+1", "99999999999999999999"] {
            assert_eq!(text.parse::<Version>(), Err(VersionError(text.to_owned())));
        }
    }

    #[test]
    fn order_is_by_number_not_by_text() {
        assert!("0.9".parse::<Version>().unwrap() < "0.115".parse().unwrap());
        assert!("1.15.0".parse::<Version>().unwrap() < "2.0.4".parse().unwrap());
    }
}
