//! Runs of consecutive releases that have something.

use std::fmt;
use std::str::FromStr;

use smallvec::SmallVec;
use unskew_core::{Version, VersionError};

/// Consecutive releases that have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseRun {
    /// The first of them.
    pub since: Version,
    /// The last of them; none if the newest release has it.
    pub until: Option<Version>,
}

/// Runs of releases, oldest first: `1.3.1-1.9.1,2.0.1-`.
///
/// ```
/// use unskew_definitions::Runs;
/// let runs: Runs = "1.3.1-1.9.1,2.0.1-".parse().unwrap();
/// assert!(runs.contains("1.8.1".parse().unwrap()));
/// assert!(!runs.contains("1.10.2".parse().unwrap()));
/// assert_eq!(runs.to_string(), "1.3.1-1.9.1,2.0.1-");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs(
    // Most things were there in one run.
    SmallVec<[ReleaseRun; 1]>,
);

impl Runs {
    /// The runs of the releases in which `has` is true; `releases` are all there are, oldest first.
    pub fn from_releases(releases: &[Version], has: impl Fn(Version) -> bool) -> Self {
        let mut runs: SmallVec<[ReleaseRun; 1]> = SmallVec::new();
        let mut before = false;
        for release in releases {
            match (has(*release), before, runs.last_mut()) {
                (true, true, Some(run)) => run.until = Some(*release),
                (true, _, _) => runs.push(ReleaseRun { since: *release, until: Some(*release) }),
                (false, _, _) => {}
            }
            before = has(*release);
        }
        if let (true, Some(run)) = (before, runs.last_mut()) {
            run.until = None;
        }
        Self(runs)
    }

    /// The releases as a person reads them: `2.4.1`, `2.4.1 to 2.6.0, or 2.10.0 or later`; none if there are none.
    pub fn in_words(&self) -> Option<String> {
        let run = |run: &ReleaseRun| match run.until {
            None => format!("{} or later", run.since),
            Some(until) if until == run.since => format!("{until}"),
            Some(until) => format!("{} to {until}", run.since),
        };
        let all: Vec<String> = self.iter().map(run).collect();
        (!all.is_empty()).then(|| all.join(", or "))
    }

    /// Each run, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &ReleaseRun> {
        self.0.iter()
    }

    /// Whether `release` lies in one of the runs.
    pub fn contains(&self, release: Version) -> bool {
        self.0.iter().any(|run| run.since <= release && run.until.is_none_or(|u| release <= u))
    }

    /// The run that `release` lies in.
    pub fn run_of(&self, release: Version) -> Option<&ReleaseRun> {
        self.0.iter().find(|run| run.since <= release && run.until.is_none_or(|u| release <= u))
    }
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, ReleaseRun { since, until }) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "," })?;
            match until {
                Some(until) if until == since => write!(f, "{since}")?,
                Some(until) => write!(f, "{since}-{until}")?,
                None => write!(f, "{since}-")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Runs {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Arrays as patterns: for a few bytes, a search for a single character is slower.
        let run = |piece: &str| {
            let (since, until) = match piece.split_once(['-']) {
                Some((since, "")) => (since.parse()?, None),
                Some((since, until)) => (since.parse()?, Some(until.parse()?)),
                None => (piece.parse()?, Some(piece.parse()?)),
            };
            Ok(ReleaseRun { since, until })
        };
        let mut runs = SmallVec::new();
        for piece in text.split([',']) {
            runs.push(run(piece)?);
        }
        Ok(Self(runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn runs_are_written_for_people() {
        for (runs, words) in
            [("2.4.1", "2.4.1"), ("2.4.1-2.6.0,2.10.0-", "2.4.1 to 2.6.0, or 2.10.0 or later")]
        {
            assert_eq!(runs.parse::<Runs>().unwrap().in_words().as_deref(), Some(words));
        }
        assert_eq!(Runs::default().in_words(), None);
    }

    proptest! {
        #[test]
        fn runs_hold_exactly_the_releases_that_they_were_made_of(has in prop::collection::vec(any::<bool>(), 1..30)) {
            let releases: Vec<Version> = (0..has.len() as i64).map(|n| Version::pair(n, 1)).collect();
            let runs = Runs::from_releases(&releases, |v| has[v.major() as usize]);
            if has.contains(&true) {
                let read: Runs = runs.to_string().parse().unwrap();
                prop_assert_eq!(&read, &runs);
            }
            for release in &releases {
                prop_assert_eq!(runs.contains(*release), has[release.major() as usize]);
            }
        }
    }
}
