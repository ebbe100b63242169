//! Table of behavior that a machine measured: operators that do something else under the definition that they have.
//!
//! A table has a row for some operators under one condition: their names, the condition, and the releases in which
//! something changed, [`Turns`]. `unskew-rules-build` makes an index of the names, so that only the rows of operators that
//! are asked for are read.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use unskew_core::Version;

use crate::Rows;

/// How a release differs from those before, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeEffect {
    /// It raises an error where there was a result.
    Raises,
    /// It gives a result where there was an error.
    Works,
    /// The result has another type.
    Dtype,
    /// The result has another shape.
    Shape,
    /// The result has other values.
    Values,
}

impl fmt::Display for ChangeEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Raises => "raises",
            Self::Works => "works",
            Self::Dtype => "dtype",
            Self::Shape => "shape",
            Self::Values => "values",
        })
    }
}

impl FromStr for ChangeEffect {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "raises" => Self::Raises,
            "works" => Self::Works,
            "dtype" => Self::Dtype,
            "shape" => Self::Shape,
            "values" => Self::Values,
            _ => return Err(()),
        })
    }
}

/// A change by a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BehaviorChange {
    /// The newest measured release without it, if the table says it: releases in between may be either.
    pub before: Option<Version>,
    /// The first measured release with it.
    pub since: Version,
    /// In which way it differs from `before`.
    pub step: ChangeEffect,
}

/// The changes of one row, oldest first: `1.6 raises, 1.7 works`, or `2.4-2.9 raises`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns(Vec<BehaviorChange>);

/// What something of one release meets in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// An error, since this release or up to it.
    Raises(Version),
    /// A result of another type, shape or value.
    Differs(Version, ChangeEffect),
}

impl Effect {
    /// The release that made the difference.
    pub fn since(self) -> Version {
        match self {
            Self::Raises(since) | Self::Differs(since, _) => since,
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Raises(_) => "raises an error",
            Self::Differs(_, ChangeEffect::Dtype) => "gives another type",
            Self::Differs(_, ChangeEffect::Shape) => "gives another shape",
            Self::Differs(..) => "gives other values",
        })
    }
}

impl FromStr for Turns {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let turn = |text: &str| {
            let (releases, step) = text.split_once(' ')?;
            let (before, since) = match releases.split_once('-') {
                Some((before, since)) => (Some(before.parse().ok()?), since),
                None => (None, releases),
            };
            Some(BehaviorChange { before, since: since.parse().ok()?, step: step.parse().ok()? })
        };
        text.split(", ").map(turn).collect::<Option<_>>().map(Self).ok_or(())
    }
}

impl Turns {
    /// Each change, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &BehaviorChange> + Clone {
        self.0.iter()
    }

    /// Whether a release raises an error, and which one changed that.
    fn raises(&self, release: Version) -> Option<Version> {
        let mut turns = self.iter().filter(|turn| turn.step <= ChangeEffect::Works);
        let before = turns.clone().rev().find(|turn| turn.since <= release);
        match (before.map(|turn| (turn.step, turn.since)), turns.next()) {
            (Some((ChangeEffect::Raises, since)), _) => Some(since),
            (None, Some(turn)) if turn.step == ChangeEffect::Works => Some(turn.since),
            _ => None,
        }
    }

    /// What becomes in a release of what another wrote.
    pub fn effect(&self, writer: Version, runtime: Version) -> Option<Effect> {
        if self.raises(writer).is_some() {
            // What raised for its writer gives nothing that could change.
            return None;
        }
        if let Some(since) = self.raises(runtime) {
            return Some(Effect::Raises(since));
        }
        let (low, high) = (writer.min(runtime), writer.max(runtime));
        let between = self.iter().filter(|turn| low < turn.since && turn.since <= high);
        let silent = between.filter(|turn| turn.step > ChangeEffect::Works);
        let first = silent.min_by_key(|turn| (turn.step, turn.since))?;
        Some(Effect::Differs(first.since, first.step))
    }
}

/// A table of rows, each read when it is first asked for. It is part of a program; a fault in it leaves rows out, which a
/// test of that program finds.
#[derive(Debug)]
pub struct MeasuredTable<R> {
    text: &'static str,
    starts: &'static [u32],
    names: Option<Rows>,
    rows: Vec<OnceLock<Option<R>>>,
    read: fn(&'static str) -> Option<R>,
}

impl<R> MeasuredTable<R> {
    /// The table in `text`; `starts` is where its rows begin, and `index` their numbers by names, as
    /// `unskew_rules_build::index` makes them. `read` makes a row of a line.
    pub fn new(
        text: &'static str,
        starts: &'static [u32],
        index: &'static str,
        read: fn(&'static str) -> Option<R>,
    ) -> Self {
        let rows = starts.iter().map(|_| OnceLock::new()).collect();
        Self { text, starts, names: Rows::from_text(index).ok(), rows, read }
    }

    /// The minor releases that were measured, oldest first.
    pub fn releases(&self) -> impl Iterator<Item = Version> {
        let releases = self.names.iter().flat_map(Rows::releases);
        releases.map(|one| Version::pair(one.major(), one.minor()))
    }

    /// The rows of an operator, by its name with its overload; `base` is the name without it.
    pub fn rows_of(&self, base: &str, name: &str) -> Vec<&R> {
        let key = format!("{name}(");
        let Some(names) = &self.names else { return Vec::new() };
        let all = names.named(base).filter(|(one, _)| *one == key);
        let numbers = all.flat_map(|(_, numbers)| numbers.split(' '));
        numbers.filter_map(|number| self.row(number)).collect()
    }

    /// Whether there are rows of an operator, under any overload.
    pub fn has(&self, base: &str) -> bool {
        self.names.as_ref().is_some_and(|rows| rows.named(base).next().is_some())
    }

    fn row(&self, number: &str) -> Option<&R> {
        let number: usize = number.parse().ok()?;
        let start = usize::try_from(*self.starts.get(number)?).ok()?;
        let read = || (self.read)(self.text.get(start..)?.lines().next()?);
        self.rows.get(number)?.get_or_init(read).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_is_what_lies_between_the_two_releases() {
        let turns: Turns = "1.6 raises, 1.7 works, 1.7 dtype".parse().unwrap();
        let v = |minor| Version::pair(1, minor);
        assert_eq!(turns.effect(v(5), v(6)), Some(Effect::Raises(v(6))));
        assert_eq!(turns.effect(v(5), v(8)), Some(Effect::Differs(v(7), ChangeEffect::Dtype)));
        assert_eq!(turns.effect(v(8), v(5)), Some(Effect::Differs(v(7), ChangeEffect::Dtype)));
        assert_eq!(turns.effect(v(6), v(8)), None);
        assert_eq!(turns.effect(v(8), v(9)), None);
        let turns: Turns = "1.8 works".parse().unwrap();
        assert_eq!(turns.effect(v(9), v(7)), Some(Effect::Raises(v(8))));
        assert_eq!(turns.effect(v(7), v(9)), None);
    }

    #[test]
    fn a_change_is_between_two_releases_or_by_one_and_anything_else_is_refused() {
        let turns: Turns = "2.4-2.9 raises".parse().unwrap();
        let turn = turns.iter().next().unwrap();
        assert_eq!(turn.before, Some(Version::pair(2, 4)));
        assert_eq!(turn.since, Version::pair(2, 9));
        for text in ["", "2.4", "2.4 breaks", "x raises", "2.4- raises"] {
            assert!(text.parse::<Turns>().is_err(), "{text}");
        }
    }
}
