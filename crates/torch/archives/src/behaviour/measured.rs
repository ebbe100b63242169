//! What a machine found of operators that do something else under the schema that they have: `data/changes.tsv`.
//!
//! `cargo xtask behaviour` writes it: calls of every operator, made from its schema, run by the releases that its first line
//! names. A row is some operators, conditions on their arguments, what must hold of the values (of which no code tells), the
//! releases in which something changed, and the error or the types before and after.

use std::fmt;
use std::sync::{LazyLock, OnceLock};

use unskew_core::Version;
use unskew_definitions::Rows;

use super::Condition;

/// How a release differs from those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    Raises,
    Works,
    Dtype,
    Shape,
    Values,
}

impl Step {
    pub(super) fn named(text: &str) -> Option<Self> {
        Some(match text {
            "raises" => Self::Raises,
            "works" => Self::Works,
            "dtype" => Self::Dtype,
            "shape" => Self::Shape,
            "values" => Self::Values,
            _ => return None,
        })
    }
}

/// Some operators under one condition.
#[derive(Debug)]
pub(crate) struct Measured {
    /// What must hold of a call, all of it.
    pub(crate) when: Vec<Condition>,
    /// The conditions in words.
    pub(crate) words: &'static str,
    /// What must hold of values; empty if nothing must.
    pub(crate) values: &'static str,
    steps: Vec<(Version, Step)>,
    /// The error, or the types before and after.
    pub(crate) remark: &'static str,
}

/// What a file of one release meets in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// An error, since this release or up to it.
    Raises(Version),
    /// A result of another type, shape or value.
    Differs(Version, Step),
}

impl Effect {
    /// The minor release that made the difference.
    pub(crate) fn since(self) -> Version {
        match self {
            Self::Raises(since) | Self::Differs(since, _) => since,
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Raises(_) => "raises an error",
            Self::Differs(_, Step::Dtype) => "gives another type",
            Self::Differs(_, Step::Shape) => "gives another shape",
            Self::Differs(..) => "gives other values",
        })
    }
}

impl Measured {
    /// A row, and the operators that it is of.
    fn read(line: &'static str) -> Option<(Vec<&'static str>, Self)> {
        let mut columns = line.split('\t');
        let mut next = || columns.next();
        let (operators, words, values, steps, remark) =
            (next()?, next()?, next()?, next()?, next()?);
        let when: Option<Vec<Condition>> =
            words.split(", ").filter(|one| !one.is_empty()).map(Condition::measured).collect();
        let steps: Option<Vec<(Version, Step)>> = steps
            .split(", ")
            .map(|one| {
                let (since, step) = one.split_once(' ')?;
                Some((since.parse().ok()?, Step::named(step)?))
            })
            .collect();
        let row = Self { when: when?, words, values, steps: steps?, remark };
        Some((operators.split(' ').collect(), row))
    }

    /// The releases in which something changed.
    pub(crate) fn turns(&self) -> impl Iterator<Item = Version> {
        self.steps.iter().map(|(since, _)| *since)
    }

    /// Whether the remark is an error.
    pub(crate) fn has_error(&self) -> bool {
        let last =
            self.steps.iter().rev().find(|(_, step)| matches!(step, Step::Raises | Step::Dtype));
        !self.remark.is_empty() && last.is_some_and(|(_, step)| *step == Step::Raises)
    }

    /// Whether a release raises an error.
    fn raises(&self, minor: Version) -> Option<Version> {
        let mut turns = self.steps.iter().filter(|(_, step)| *step <= Step::Works);
        let before = turns.clone().rev().find(|(since, _)| *since <= minor);
        match (before, turns.next()) {
            (Some((since, Step::Raises)), _) => Some(*since),
            (None, Some((since, Step::Works))) => Some(*since),
            _ => None,
        }
    }

    /// What becomes in a release of what another wrote.
    pub(crate) fn effect(&self, writer: Version, runtime: Version) -> Option<Effect> {
        if self.raises(writer).is_some() {
            // What raised for its writer gives nothing that could change.
            return None;
        }
        if let Some(since) = self.raises(runtime) {
            return Some(Effect::Raises(since));
        }
        let (low, high) = (writer.min(runtime), writer.max(runtime));
        let between = self.steps.iter().filter(|(since, _)| low < *since && *since <= high);
        let silent = between.filter(|(_, step)| *step > Step::Works);
        silent.min_by_key(|(_, step)| *step).map(|(since, step)| Effect::Differs(*since, *step))
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

/// The file is part of the program; a fault in it leaves rows out, which a test finds.
const TEXT: &str = include_str!("../../data/changes.tsv");

// `STARTS`: where each row begins in the text.
include!(concat!(env!("OUT_DIR"), "/changes.rs"));

/// The operators in the order of their names, with the numbers of their rows.
static OPERATORS: LazyLock<Option<Rows>> = LazyLock::new(|| {
    Rows::from_text(include_str!(concat!(env!("OUT_DIR"), "/changes.index"))).ok()
});

/// A row, read when it is first asked for.
fn row(number: &str) -> Option<&'static Measured> {
    static ROWS: [OnceLock<Option<Measured>>; STARTS.len()] =
        [const { OnceLock::new() }; STARTS.len()];
    let number: usize = number.parse().ok()?;
    let start = usize::try_from(*STARTS.get(number)?).ok()?;
    let read = || Measured::read(TEXT.get(start..)?.lines().next()?).map(|(_, row)| row);
    ROWS.get(number)?.get_or_init(read).as_ref()
}

/// The minor releases that were measured, oldest first.
static MEASURED: LazyLock<Vec<Version>> = LazyLock::new(|| {
    let releases = OPERATORS.iter().flat_map(Rows::releases);
    releases.map(|one| Version::pair(one.major(), one.minor())).collect()
});

/// The measured releases that speak for one: itself, or the nearest on both sides, of which a change may lie on either.
pub(crate) fn spoken_for(minor: Version) -> Vec<Version> {
    if MEASURED.contains(&minor) {
        return vec![minor];
    }
    let before = MEASURED.iter().rev().find(|one| **one < minor);
    before.into_iter().chain(MEASURED.iter().find(|one| **one > minor)).copied().collect()
}

/// The rows of an operator: `aten::div` with its overload.
pub(crate) fn of(operator: &str, overload: &str) -> impl Iterator<Item = &'static Measured> {
    let name = operator.strip_prefix("aten::").unwrap_or("");
    let dot = if overload.is_empty() { "" } else { "." };
    let key = format!("{name}{dot}{overload}(");
    let all = OPERATORS.iter().flat_map(|rows| rows.named(name));
    let numbers = all.filter(|(one, _)| *one == key).flat_map(|(_, numbers)| numbers.split(' '));
    numbers.filter_map(row).collect::<Vec<_>>().into_iter()
}

/// Whether there are rows of an operator, under any overload.
pub(crate) fn has(operator: &str) -> bool {
    let name = operator.strip_prefix("aten::").unwrap_or("");
    OPERATORS.as_ref().is_some_and(|rows| rows.named(name).next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (operators, row) = Measured::read(line).unwrap();
            for operator in operators {
                let (name, overload) = operator.split_once('.').unwrap_or((operator, ""));
                let name = format!("aten::{name}");
                let is_it = |one: &Measured| (one.words, one.values) == (row.words, row.values);
                assert!(has(&name) && of(&name, overload).any(is_it), "{operator}: {line}");
            }
        }
        assert!(STARTS.len() > 300 && !has("aten::") && !has("aten::no") && !has("div"));
        assert_eq!(of("aten::gelu", "no").count(), 0);
    }

    #[test]
    fn an_effect_is_what_lies_between_the_two_releases() {
        let line = "div.Tensor\tself integer\t\t1.6 raises, 1.7 works, 1.7 dtype\tint64 float32";
        let (operators, row) = Measured::read(line).unwrap();
        assert_eq!(operators, ["div.Tensor"]);
        let v = |minor| Version::pair(1, minor);
        assert_eq!(row.effect(v(5), v(6)), Some(Effect::Raises(v(6))));
        assert_eq!(row.effect(v(5), v(8)), Some(Effect::Differs(v(7), Step::Dtype)));
        assert_eq!(row.effect(v(8), v(5)), Some(Effect::Differs(v(7), Step::Dtype)));
        assert_eq!(row.effect(v(6), v(8)), None);
        assert_eq!(row.effect(v(8), v(9)), None);
        let (_, row) = Measured::read("x\t\t\t1.8 works\t").unwrap();
        assert_eq!(row.effect(v(9), v(7)), Some(Effect::Raises(v(8))));
        assert_eq!(row.effect(v(7), v(9)), None);
    }
}
