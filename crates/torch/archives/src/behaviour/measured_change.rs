//! Measured changes: operators that do something else under the schema that they have, `data/changes.tsv`.
//!
//! `cargo lab behaviour` writes it: calls of every operator, made from its schema, run by the releases that its first line
//! names. A row is some operators, conditions on their arguments, what must hold of the values (of which no code tells), the
//! releases in which something changed, and the error or the types before and after.

use std::sync::LazyLock;

use unskew_core::Version;
use unskew_definitions::{ChangeEffect, Effect, Turns};

use super::BehaviourCondition;

/// Some operators under one condition.
#[derive(Debug)]
pub(crate) struct MeasuredChange {
    /// What must hold of a call, all of it.
    pub(crate) when: Vec<BehaviourCondition>,
    /// The conditions in words.
    pub(crate) words: &'static str,
    /// What must hold of values; empty if nothing must.
    pub(crate) values: &'static str,
    turns: Turns,
    /// The error, or the types before and after.
    pub(crate) remark: &'static str,
}

impl MeasuredChange {
    /// A row, and the operators that it is of.
    fn read(line: &'static str) -> Option<(Vec<&'static str>, Self)> {
        let mut columns = line.split('\t');
        let mut next = || columns.next();
        let (operators, words, values, steps, remark) =
            (next()?, next()?, next()?, next()?, next()?);
        let when: Option<Vec<BehaviourCondition>> = words
            .split(", ")
            .filter(|one| !one.is_empty())
            .map(BehaviourCondition::measured)
            .collect();
        let row = Self { when: when?, words, values, turns: steps.parse().ok()?, remark };
        Some((operators.split(' ').collect(), row))
    }

    pub(crate) fn turns(&self) -> impl Iterator<Item = Version> {
        self.turns.iter().map(|turn| turn.since)
    }

    /// Whether a type of an argument is a condition.
    pub(crate) fn has_types(&self) -> bool {
        !self.when.iter().all(BehaviourCondition::is_of_presence)
    }

    /// Whether the remark is an error.
    pub(crate) fn has_error(&self) -> bool {
        let last = self
            .turns
            .iter()
            .rev()
            .find(|turn| matches!(turn.step, ChangeEffect::Raises | ChangeEffect::Dtype));
        !self.remark.is_empty() && last.is_some_and(|turn| turn.step == ChangeEffect::Raises)
    }

    /// What becomes in a release of what another wrote.
    pub(crate) fn effect(&self, writer: Version, runtime: Version) -> Option<Effect> {
        self.turns.effect(writer, runtime)
    }
}

/// Conditions on arguments and values, as part of a sentence.
pub(crate) fn words(when: &str, values: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    for one in when.split(", ").filter(|one| !one.is_empty()) {
        parts.push(match one.rsplit_once(' ') {
            Some((argument, "absent")) => format!("without {argument}"),
            Some((argument, "given")) => format!("with {argument}"),
            Some((argument, kind)) => format!("{kind} {argument}"),
            None => one.to_owned(),
        });
    }
    if values == "ambiguous" {
        return " where several results are right, such as either sign of a vector".to_owned();
    }
    if !values.is_empty() {
        parts.push(format!("values that are {}", values.replace(' ', " or ")));
    }
    if parts.is_empty() { String::new() } else { format!(" for {}", parts.join(", ")) }
}

const TEXT: &str = include_str!("../../data/changes.tsv");

// `STARTS`: where each row begins in the text.
include!(concat!(env!("OUT_DIR"), "/changes.rs"));

static TABLE: LazyLock<unskew_definitions::MeasuredTable<MeasuredChange>> = LazyLock::new(|| {
    let index = include_str!(concat!(env!("OUT_DIR"), "/changes.index"));
    let read = |line| MeasuredChange::read(line).map(|(_, row)| row);
    unskew_definitions::MeasuredTable::new(TEXT, &STARTS, index, read)
});

/// The minor releases that were measured, oldest first.
static MEASURED: LazyLock<Vec<Version>> = LazyLock::new(|| TABLE.releases().collect());

/// The measured releases that speak for one: itself, or the nearest on both sides, of which a change may lie on either.
pub(crate) fn spoken_for(minor: Version) -> Vec<Version> {
    if MEASURED.contains(&minor) {
        return vec![minor];
    }
    let before = MEASURED.iter().rev().find(|one| **one < minor);
    before.into_iter().chain(MEASURED.iter().find(|one| **one > minor)).copied().collect()
}

/// The newest measured release that is older than one.
pub(crate) fn measured_before(minor: Version) -> Option<Version> {
    MEASURED.iter().rev().find(|one| **one < minor).copied()
}

/// The rows of an operator: `aten::div` with its overload.
pub(crate) fn changes_of(
    operator: &str,
    overload: &str,
) -> impl Iterator<Item = &'static MeasuredChange> {
    let name = operator.strip_prefix("aten::").unwrap_or("");
    let dot = if overload.is_empty() { "" } else { "." };
    let table: &'static unskew_definitions::MeasuredTable<MeasuredChange> = &TABLE;
    table.rows_of(name, &format!("{name}{dot}{overload}")).into_iter()
}

/// Whether there are rows of an operator, under any overload.
pub(crate) fn has(operator: &str) -> bool {
    let name = operator.strip_prefix("aten::").unwrap_or("");
    TABLE.has(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (operators, row) = MeasuredChange::read(line).unwrap();
            for operator in operators {
                let (name, overload) = operator.split_once('.').unwrap_or((operator, ""));
                let name = format!("aten::{name}");
                let is_it =
                    |one: &MeasuredChange| (one.words, one.values) == (row.words, row.values);
                assert!(has(&name) && changes_of(&name, overload).any(is_it), "{operator}: {line}");
            }
        }
        assert!(STARTS.len() > 300 && !has("aten::") && !has("aten::no") && !has("div"));
        assert_eq!(changes_of("aten::gelu", "no").count(), 0);
    }
}
