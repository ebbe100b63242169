//! Measured behaviours: ops that do something else under the definition that they have, `data/behaviour.tsv`.
//!
//! `cargo lab tf-behaviour` writes it: nodes of every op, made from its definition, run by the releases that its second line
//! names. A row is some ops, attributes with the values of which they must have one, what must hold of the values (which no
//! graph tells), the releases in which something changed, and the error.

use std::sync::LazyLock;

use unskew_core::Version;
use unskew_definitions::{Effect, Turns};

use crate::AttrValue;
use crate::behaviour::{self, Behaviour, Presence};

/// Some ops under one condition.
#[derive(Debug)]
pub(crate) struct MeasuredBehaviour {
    /// Attributes, and the values of which they must have one.
    when: Vec<(&'static str, Vec<&'static str>)>,
    /// What must hold of values; empty if nothing must.
    values: &'static str,
    turns: Turns,
}

impl MeasuredBehaviour {
    /// A row, and the ops that it is of.
    fn read(line: &'static str) -> Option<(Vec<&'static str>, Self)> {
        let mut columns = line.split('\t');
        let mut next = || columns.next();
        let (ops, when, values, steps) = (next()?, next()?, next()?, next()?);
        let condition = |text: &'static str| {
            let mut words = text.split(' ');
            Some((words.next()?, words.collect()))
        };
        let when: Option<Vec<_>> =
            when.split(", ").filter(|one| !one.is_empty()).map(condition).collect();
        let row = Self { when: when?, values, turns: steps.parse().ok()? };
        Some((ops.split(' ').collect(), row))
    }

    /// The conditions in words: ` with T float or half, for values that are nan`.
    pub(crate) fn words(&self) -> String {
        let mut parts = Vec::new();
        for (name, values) in &self.when {
            parts.push(format!("with {name} = {}", values.join(" or ")));
        }
        let mut text =
            if parts.is_empty() { String::new() } else { format!(" {}", parts.join(" and ")) };
        if !self.values.is_empty() {
            text += &format!(" for inputs that are {}", self.values.replace(' ', " or "));
        }
        text
    }

    /// Whether the attributes of a node are such.
    pub(crate) fn fits<'a>(&self, value: impl Fn(&str) -> Option<&'a AttrValue>) -> Presence {
        let mut seen = Presence::Yes;
        for (name, wanted) in &self.when {
            match value(name) {
                None | Some(AttrValue::Placeholder(_) | AttrValue::Missing) => {
                    seen = Presence::Maybe
                }
                Some(found) if wanted.contains(&&*found.to_string()) => {}
                // Of numbers a few were tried, and of two types of the same kind one.
                Some(AttrValue::Int(_) | AttrValue::Float(_)) => seen = Presence::Maybe,
                Some(found)
                    if like(&found.to_string()).is_some_and(|one| wanted.contains(&one)) =>
                {
                    seen = Presence::Maybe;
                }
                Some(_) => return Presence::No,
            }
        }
        seen
    }

    /// The measured releases that speak for one: itself, or those on both sides of a change that it may have or not.
    fn spoken_for(&self, minor: Version) -> Vec<Version> {
        let open = self.turns.iter().filter_map(|turn| {
            let before = turn.before.filter(|before| *before < minor && minor < turn.since)?;
            Some([before, turn.since])
        });
        let ends: Vec<Version> = open.flatten().collect();
        if ends.is_empty() { vec![minor] } else { ends }
    }

    /// What a graph by one of these writers may meet. No writers stand for all releases.
    pub(crate) fn meets(&self, writers: &[Version], runtime: Version) -> Option<Effect> {
        let minor = |one: &Version| Version::pair(one.major(), one.minor());
        let runtime = minor(&runtime);
        let writers: Vec<Version> = match writers {
            [] => TABLE.releases().collect(),
            some => some.iter().map(minor).collect(),
        };
        // A release has what it wrote itself.
        let others = writers.into_iter().filter(|writer| *writer != runtime);
        let runtimes = self.spoken_for(runtime);
        others
            .flat_map(|writer| self.spoken_for(writer))
            .flat_map(|writer| runtimes.iter().map(move |runtime| (writer, *runtime)))
            .filter_map(|(writer, runtime)| self.turns.effect(writer, runtime))
            .min()
    }

    /// What people wrote down of an op, of types that this row is of too.
    fn by_hand(&self, op: &str) -> impl Iterator<Item = &'static Behaviour> {
        let types = self.when.iter().find(|(name, _)| *name == "T").map(|(_, types)| types);
        let all = behaviour::about(op).map(|(_, hand)| hand).filter(|hand| hand.is_of(op));
        all.filter(move |hand| types.is_none_or(|types| hand.is_of_types(types)))
    }

    /// Whether people wrote down what it says of an op: changes between the same measured releases.
    fn is_known(&self, op: &str) -> bool {
        let turns: Vec<Version> = self.by_hand(op).flat_map(Behaviour::turns).collect();
        self.turns.iter().all(|known| {
            let after = |turn: &Version| known.before.is_none_or(|before| before < *turn);
            turns.iter().any(|turn| after(turn) && *turn <= known.since)
        })
    }

    /// Whether what people wrote down of an op tells these releases apart already.
    pub(crate) fn is_told_by_hand(
        &self,
        op: &str,
        writers: &[Version],
        producer: i64,
        runtime: Version,
    ) -> bool {
        self.by_hand(op).any(|hand| hand.tells_apart(writers, producer, runtime))
    }
}

/// The type that was tried in the place of another, whose kernels are made from the same template.
fn like(name: &str) -> Option<&'static str> {
    match name {
        "double" => Some("float"),
        "int64" => Some("int32"),
        _ => None,
    }
}

const TEXT: &str = include_str!("../data/behaviour.tsv");

// `STARTS`: where each row begins in the text.
include!(concat!(env!("OUT_DIR"), "/behaviour.rs"));

static TABLE: LazyLock<unskew_definitions::MeasuredTable<MeasuredBehaviour>> =
    LazyLock::new(|| {
        let index = include_str!(concat!(env!("OUT_DIR"), "/behaviour.index"));
        let read = |line| MeasuredBehaviour::read(line).map(|(_, row)| row);
        unskew_definitions::MeasuredTable::new(TEXT, &STARTS, index, read)
    });

/// The rows of an op, but for what `behaviour.toml` says of it.
pub(crate) fn behaviours_of(op: &str) -> Vec<&'static MeasuredBehaviour> {
    let table: &'static unskew_definitions::MeasuredTable<MeasuredBehaviour> = &TABLE;
    table.rows_of(op, op).into_iter().filter(|row| !row.is_known(op)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (ops, row) = MeasuredBehaviour::read(line).unwrap();
            for op in ops {
                let is_it =
                    |one: &&MeasuredBehaviour| (one.when == row.when) && one.values == row.values;
                assert!(row.is_known(op) || behaviours_of(op).iter().any(is_it), "{op}: {line}");
            }
        }
        assert!(behaviours_of("NoSuchOp").is_empty());
    }

    #[test]
    fn a_release_between_measured_ones_may_have_a_change_or_not() {
        let line = "A B\tT half, axis 0 1\t\t2.4-2.9 raises, 2.15-2.21 works\tno";
        let (ops, row) = MeasuredBehaviour::read(line).unwrap();
        assert_eq!(ops, ["A", "B"]);
        let v = |minor| Version::pair(2, minor);
        assert_eq!(row.meets(&[v(4)], v(15)), Some(Effect::Raises(v(9))));
        assert_eq!(row.meets(&[v(4)], v(6)), Some(Effect::Raises(v(9))));
        assert_eq!(row.meets(&[v(6)], v(6)), None);
        assert_eq!(row.meets(&[v(15)], v(15)), None);
        assert_eq!(row.meets(&[v(4)], v(21)), None);
        assert_eq!(row.meets(&[v(3)], v(4)), None);
        let value = |name: &str| match name {
            "T" => Some(&AttrValue::Type(crate::DataType(19))),
            _ => Some(&AttrValue::Int(7)),
        };
        assert_eq!(row.fits(value), Presence::Maybe);
        assert_eq!(row.fits(|_| Some(&AttrValue::Type(crate::DataType(1)))), Presence::No);
    }

    #[test]
    fn a_row_is_silent_where_people_wrote_of_the_op_its_type_and_the_releases() {
        let parsed = |line| MeasuredBehaviour::read(line).unwrap().1;
        let v = |minor| Version::pair(2, minor);
        // By hand: `nan-hyperbolic`, of half, changed with 2.0 and 2.4.
        assert!(parsed("Cosh\tT half\tnan\t1.15-2.9 values\t").is_known("Cosh"));
        assert!(!parsed("Cosh\tT half\tnan\t2.4-2.9 values\t").is_known("Cosh"));
        assert!(!parsed("Cosh\tT complex64\tnan\t1.15-2.9 values\t").is_known("Cosh"));
        // By hand: `root-of-infinity`, of float, changed with 2.5 and 2.15.
        let root = parsed("Sqrt\tT float\tinfinite\t1.4-1.15 values\t");
        let one_four = [Version::pair(1, 4)];
        assert!(root.is_told_by_hand("Sqrt", &one_four, 0, v(21)));
        assert!(!root.is_told_by_hand("Sqrt", &one_four, 0, Version::pair(1, 15)));
    }
}
