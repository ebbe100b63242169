//! Producer of a file, told by its layout where no record says so.
//!
//! A TorchScript archive has no record of its producer, and two files with the same bytes of code
//! can mean different things: `torch.arange(3)` gives floats if 1.3 wrote it and integers if 1.4 did.
//! What tells them apart are the records themselves: their dates, their names, how the debug records
//! are built. Each such sign bounds the releases; a [`ProducerReleases`] is what they leave together.

use std::fmt;

use unskew_core::Version;

/// The releases that can have written a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerReleases {
    /// The first minor release that can have, if there is a bound.
    pub since: Option<Version>,
    /// The last minor release that can have, if there is a bound.
    pub until: Option<Version>,
    /// The exact version, if the file says so.
    pub exact: Option<String>,
    /// What was told by, in words.
    pub signs: Vec<String>,
}

impl ProducerReleases {
    /// A writer that no record of the file shows.
    pub fn unknown() -> Self {
        Self { since: None, until: None, exact: None, signs: Vec::new() }
    }

    /// The file says which version wrote it: `2.15.0+cu132`, in this place.
    pub fn stated(version: &str, place: &str) -> Self {
        let plain = version.split(['+', 'a', 'r', 'd']).next().unwrap_or(version);
        let parsed: Option<Version> = plain.trim_end_matches('.').parse().ok();
        let minor = parsed.map(|v| Version::pair(v.major(), v.minor()));
        Self {
            since: minor,
            until: minor,
            exact: Some(version.to_owned()),
            signs: vec![place.to_owned()],
        }
    }

    /// One more sign: the writer is of `since` or later, and of `until` or earlier. A sign that
    /// contradicts the others is not counted, because archives are rewritten.
    pub fn narrow(&mut self, since: Option<Version>, until: Option<Version>, sign: &str) {
        let low = self.since.max(since);
        let high = match (self.until, until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let contradicts = matches!((low, high), (Some(low), Some(high)) if low > high);
        let tells = (low, high) != (self.since, self.until);
        if tells && !contradicts {
            (self.since, self.until) = (low, high);
            self.signs.push(sign.to_owned());
        }
    }

    /// Whether it was certainly written before release `change`.
    pub fn before(&self, change: Version) -> bool {
        self.until.is_some_and(|until| until < change)
    }

    /// Whether it was certainly written by release `change` or later.
    pub fn at_least(&self, change: Version) -> bool {
        self.since.is_some_and(|since| since >= change)
    }
}

impl fmt::Display for ProducerReleases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.exact, self.since, self.until) {
            (Some(exact), ..) => write!(f, "torch {exact}"),
            (None, Some(since), Some(until)) if since == until => write!(f, "torch {since}"),
            (None, Some(since), Some(until)) => write!(f, "torch {since} to {until}"),
            (None, Some(since), None) => write!(f, "torch {since} or later"),
            (None, None, Some(until)) => write!(f, "torch {until} or earlier"),
            (None, None, None) => f.write_str("an unknown torch"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_narrow_and_contradictions_are_left_out() {
        let mut producer = ProducerReleases::unknown();
        producer.narrow(Some(Version::pair(1, 6)), Some(Version::pair(2, 0)), "a");
        producer.narrow(Some(Version::pair(1, 12)), None, "b");
        producer.narrow(None, Some(Version::pair(1, 8)), "c");
        assert_eq!(producer.to_string(), "torch 1.12 to 2.0");
        assert_eq!(producer.signs, ["a", "b"]);
        assert!(producer.at_least(Version::pair(1, 12)) && producer.before(Version::pair(2, 1)));
        assert!(!producer.before(Version::pair(1, 13)) && !producer.at_least(Version::pair(1, 13)));
    }

    #[test]
    fn a_stated_version_is_kept_whole_and_compared_by_its_minor() {
        let producer = ProducerReleases::stated("2.15.0+cu132", "model.json");
        assert_eq!(producer.to_string(), "torch 2.15.0+cu132");
        assert_eq!(producer.since, Some(Version::pair(2, 15)));
        assert_eq!(
            ProducerReleases::stated("2.9.0a0+git123", "m").since,
            Some(Version::pair(2, 9))
        );
    }
}
