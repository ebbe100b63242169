//! Ranges of versions, both ends included.

use std::fmt;

use crate::Version;

/// All versions between two ends, both included; an end that is not given is open.
///
/// A range may be empty (its lower end above its upper one): "supports 5 up to 3" is what a broken
/// build says, and it must be representable to be reported.
///
/// ```
/// use unskew_core::{Version, VersionRange};
/// let reads = VersionRange::between(Version::number(4), Version::number(9));
/// assert!(reads.contains(Version::number(8)));
/// assert_eq!(reads.intersection(VersionRange::at_least(Version::number(9))).to_string(), "9");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VersionRange {
    /// The lowest version, if there is one.
    pub min: Option<Version>,
    /// The highest version, if there is one.
    pub max: Option<Version>,
}

impl VersionRange {
    /// The range without bounds.
    pub const ANY: Self = Self { min: None, max: None };

    /// The range from a version to itself, both inclusive.
    pub const fn exactly(version: Version) -> Self {
        Self { min: Some(version), max: Some(version) }
    }

    /// From `min` to `max`, both included.
    pub const fn between(min: Version, max: Version) -> Self {
        Self { min: Some(min), max: Some(max) }
    }

    /// `min` and everything above.
    pub const fn at_least(min: Version) -> Self {
        Self { min: Some(min), max: None }
    }

    /// `max` and everything below.
    pub const fn at_most(max: Version) -> Self {
        Self { min: None, max: Some(max) }
    }

    /// Every version whose first number is `major`: a format that breaks with its major only.
    pub const fn same_major(major: i64) -> Self {
        Self { min: Some(Version::pair(major, 0)), max: Some(Version::top_of_major(major)) }
    }

    /// Whether `version` lies in this range.
    pub fn contains(&self, version: Version) -> bool {
        self.min.is_none_or(|min| min <= version) && self.max.is_none_or(|max| version <= max)
    }

    /// Whether no version lies in this range.
    pub fn is_empty(&self) -> bool {
        matches!((self.min, self.max), (Some(min), Some(max)) if min > max)
    }

    /// The one version of this range, if it has just one.
    pub fn single(&self) -> Option<Version> {
        self.min.filter(|_| self.min == self.max)
    }

    /// The versions that lie in both, possibly none.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self {
            min: self.min.max(other.min),
            max: match (self.max, other.max) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => min.to_string(),
            (Some(min), Some(max)) if max.is_top_of_major() => format!("{}.x", min.major()),
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("{min} and above"),
            (None, Some(max)) => format!("{max} and below"),
            (None, None) => "any".to_owned(),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_end_reaches_everything() {
        assert!(VersionRange::ANY.contains(Version::number(-5)));
        assert!(VersionRange::at_least(Version::number(3)).contains(Version::number(i64::MAX)));
        assert!(!VersionRange::at_most(Version::number(3)).contains(Version::number(4)));
    }

    #[test]
    fn any_minor_of_a_major_is_in_and_the_next_major_is_out() {
        let eight = VersionRange::same_major(8);
        assert!(eight.contains(Version::pair(8, 20)));
        assert!(!eight.contains(Version::pair(7, 3)));
        assert!(!eight.contains(Version::pair(9, 0)));
        assert_eq!(eight.to_string(), "8.x");
    }

    #[test]
    fn ranges_that_do_not_meet_intersect_in_nothing() {
        let low = VersionRange::between(Version::number(1), Version::number(3));
        let high = VersionRange::between(Version::number(5), Version::number(9));
        assert!(low.intersection(high).is_empty());
    }
}
