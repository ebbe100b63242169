//! Inexact functions of the registry: what they do otherwise than the operators they replace, `data/inexact.tsv`.
//!
//! `cargo lab behaviour --conversions` writes it: calls with all inputs that the operators were measured with, converted from
//! release to release. A call that fits a row is not converted; where it does not show whether it does, the result is
//! not judged in full.

use unskew_definitions::ChangeEffect;

use super::BehaviourCondition;
use super::measured_change::words;

/// A function under one condition.
#[derive(Debug)]
pub(crate) struct InexactFunction {
    /// What must hold of a call, all of it.
    pub(crate) when: Vec<BehaviourCondition>,
    condition: &'static str,
    /// What must hold of values; empty if nothing must.
    pub(crate) values: &'static str,
    step: ChangeEffect,
    /// The error, or the types before and after.
    remark: &'static str,
}

const TEXT: &str = include_str!("../../data/inexact.tsv");

impl InexactFunction {
    fn read(line: &'static str) -> Option<Self> {
        let mut columns = line.split('\t');
        let mut next = || columns.next();
        let (condition, values, step, remark) = (next()?, next()?, next()?, next()?);
        let named = condition.split(", ").filter(|one| !one.is_empty());
        let when: Option<Vec<BehaviourCondition>> =
            named.map(BehaviourCondition::measured).collect();
        Some(Self { when: when?, condition, values, step: step.parse().ok()?, remark })
    }

    /// Whether it is worth a word where it does not show that it holds: an error says so itself, and two types of floats
    /// beside each other are no reason for an alarm.
    pub(crate) fn is_silent(&self) -> bool {
        let values = self.values.split(' ').all(|one| ["", "some", "scalar"].contains(&one));
        let of_types = self.condition.split(", ").any(|one| {
            let kind = one.rsplit(' ').next().unwrap_or_default();
            !["float", "absent", "given", ""].contains(&kind)
        });
        self.step > ChangeEffect::Works && values && of_types
    }

    /// What is other, as the rest of a sentence.
    pub(crate) fn says(&self) -> String {
        let what = match self.step {
            ChangeEffect::Raises | ChangeEffect::Works => "raises an error".to_owned(),
            ChangeEffect::Dtype => match self.remark.split_once(' ') {
                Some((was, now)) => format!("gives {now} and not {was}"),
                None => "gives another type".to_owned(),
            },
            ChangeEffect::Shape => "gives another shape".to_owned(),
            ChangeEffect::Values => "gives other values".to_owned(),
        };
        format!("{what}{}", words(self.condition, self.values))
    }
}

pub(crate) fn inexact_functions(function: &str) -> impl Iterator<Item = InexactFunction> {
    let rows = TEXT.lines().filter_map(move |line| line.strip_prefix(function)?.strip_prefix('\t'));
    rows.filter_map(InexactFunction::read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read_and_is_of_a_function_of_the_registry() {
        let mut rows = 0;
        for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
            let (function, rest) = line.split_once('\t').unwrap();
            assert!(InexactFunction::read(rest).is_some(), "{line}");
            assert!(unskew_torch_operators::registry().function(function).is_some(), "{function}");
            rows += 1;
        }
        assert!(rows > 10, "{rows}");
    }
}
