//! Behaviour of operators by release where no number of a file shows it: `data/behaviour.toml`.
//!
//! A row is one operator under one condition on its arguments, with what the releases do one after the other. Rows are
//! measurements and stand by themselves, so that a machine can add to them. Whether a call is concerned has three
//! answers: what a tensor holds is known only when the program runs.

mod condition;
mod executed_call;
pub(crate) mod inexact_function;
pub(crate) mod measured_change;

use std::sync::LazyLock;

use serde::Deserialize;
use unskew_core::Version;
use unskew_definitions::Rows;
use unskew_tables::toml_table;

pub(crate) use condition::{BehaviourCondition, BoundCall, Truth};
pub use executed_call::{ChangedCall, ExecutedArgument, changed_call};

/// One operator under one condition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behaviour {
    operators: Vec<String>,
    /// What must hold of a call, all of it.
    pub(crate) when: Vec<BehaviourCondition>,
    /// The result that is concerned, counted from 0: nothing changes for who does not read it.
    pub(crate) result: Option<usize>,
    /// Files with a lower operator version mean what was first, and releases with an upgrader keep to it.
    pub(crate) upgraded_below: Option<i64>,
    /// What releases do, oldest first.
    eras: Vec<BehaviourRange>,
    /// What mends a model.
    pub(crate) fix: String,
}

/// What an operator does from a release on.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BehaviourRange {
    since: String,
    /// The result, in words; none if it raises.
    pub(crate) does: Option<String>,
    /// The error, as the release says it.
    pub(crate) raises: Option<String>,
}

impl BehaviourRange {
    /// The first minor release of it.
    pub(crate) fn since(&self) -> Version {
        self.since.parse().unwrap_or(Version::number(0))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    behaviour: Vec<Behaviour>,
}

static FILE: LazyLock<File> = LazyLock::new(|| toml_table!("data/behaviour.toml"));

impl Behaviour {
    pub(crate) fn first(&self) -> Option<&BehaviourRange> {
        self.eras.first()
    }

    pub(crate) fn last(&self) -> Option<&BehaviourRange> {
        self.eras.last()
    }

    /// Whether the row is of this operator; of any overload of its name if that is not known.
    pub(crate) fn is_of(&self, operator: &str, overload: Option<&str>) -> bool {
        self.operators.iter().any(|row| match row.split_once('.') {
            None => row == operator,
            Some((name, wanted)) => {
                name == operator && overload.is_none_or(|overload| overload == wanted)
            }
        })
    }

    /// The releases in which something changed.
    pub(crate) fn turns(&self) -> impl Iterator<Item = Version> {
        self.eras.iter().skip(1).map(BehaviourRange::since)
    }

    pub(crate) fn era(&self, minor: Version) -> Option<&BehaviourRange> {
        self.eras.iter().rev().find(|era| era.since() <= minor)
    }

    /// What the releases from one to another do; a bound that is not known leaves all on its side.
    pub(crate) fn eras(&self, since: Option<Version>, until: Option<Version>) -> &[BehaviourRange] {
        let first = since.and_then(|since| self.eras.iter().rposition(|era| era.since() <= since));
        let begun = |era: &BehaviourRange| until.is_none_or(|until| era.since() <= until);
        let count = self.eras.iter().take_while(|era| begun(era)).count();
        self.eras.get(first.unwrap_or(0)..count).unwrap_or(&[])
    }
}

/// The operators that have rows, in the order of their names: the file is read for no others.
#[expect(clippy::expect_used, reason = "part of the program")]
static OPERATORS: LazyLock<Rows> = LazyLock::new(|| {
    Rows::from_text(include_str!(concat!(env!("OUT_DIR"), "/behaviour.index")))
        .expect("the index that the build script made")
});

pub(crate) fn behaviours_of(
    operator: &str,
    overload: Option<&str>,
) -> impl Iterator<Item = &'static Behaviour> {
    let known = OPERATORS.named(operator).next().is_some();
    let rows = if known { FILE.behaviour.as_slice() } else { &[] }.iter();
    rows.filter(move |row| row.is_of(operator, overload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_eras_in_their_order_and_says_one_thing_of_each() {
        let file = &*FILE;
        assert!(file.behaviour.len() > 10);
        for row in &file.behaviour {
            assert!(row.eras.len() > 1 && !row.when.is_empty(), "{:?}", row.operators);
            assert!(row.eras.is_sorted_by(|a, b| a.since() < b.since()), "{:?}", row.operators);
            for operator in &row.operators {
                let name = operator.split('.').next().unwrap_or(operator);
                assert!(
                    behaviours_of(name, None).any(|one| one.operators == row.operators),
                    "{operator}"
                );
            }
            for era in &row.eras {
                assert!(era.does.is_some() != era.raises.is_some(), "{:?}", row.operators);
                assert!(era.since() > Version::number(0), "{:?}", row.operators);
            }
        }
    }

    #[test]
    fn the_eras_of_a_writer_are_those_that_its_bounds_leave() {
        let row = behaviours_of("aten::div", Some("Tensor")).next().unwrap();
        let v = |minor| Some(Version::pair(1, minor));
        assert_eq!(row.eras(v(4), v(5)).len(), 1);
        assert_eq!(row.eras(v(5), v(6)).len(), 2);
        assert_eq!(row.eras(v(6), None).len(), 2);
        assert_eq!(row.eras(None, None).len(), 3);
        assert!(row.era(Version::pair(1, 6)).unwrap().raises.is_some());
        assert_eq!(behaviours_of("aten::div", Some("Tensor_mode")).count(), 0);
        assert_eq!(behaviours_of("aten::div", None).count(), 1);
    }
}
