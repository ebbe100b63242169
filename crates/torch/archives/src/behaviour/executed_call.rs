//! Behaviour of other releases in an executed call: its arguments are there, so nothing about them is open but what
//! their values are.

use unskew_core::Version;
use unskew_definitions::{ChangeEffect, Effect};
use unskew_torch_schemas::matching::{Literal, ScriptType};

use super::condition::ArgumentFacts;
use super::measured_change::{self, words};
use super::{BehaviourCondition, Truth};
use crate::code::ElementClass;

/// An argument of a call that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExecutedArgument {
    /// Left out, or `None`.
    Absent,
    /// A tensor, by the name of the type of its elements: `uint8`, `float32`.
    Tensor(&'static str),
    /// An integer, and whether it is negative.
    Int(bool),
    /// A float, and whether it is negative.
    Float(bool),
    /// A boolean.
    Bool(bool),
    /// What no row asks about.
    Other,
}

/// What a release does otherwise in a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedCall {
    /// The minor release that made the difference.
    pub since: Version,
    /// What happens, with the condition: `gives another type for integer self`.
    pub what: String,
    /// Whether it happens for these arguments; if not, it depends on their values.
    pub certain: bool,
}

impl ExecutedArgument {
    fn parts(&self) -> (ScriptType, Option<Literal>, Option<ElementClass>) {
        match self {
            Self::Absent => (ScriptType::None, Some(Literal::None), None),
            Self::Tensor(name) => (ScriptType::Tensor, None, Some(element(name))),
            Self::Int(negative) => {
                (ScriptType::Int, Some(Literal::Int(if *negative { -1 } else { 1 })), None)
            }
            Self::Float(negative) => {
                let number = if *negative { -1.0 } else { 1.0 };
                (ScriptType::Float, Some(Literal::from(number)), None)
            }
            Self::Bool(value) => (ScriptType::Bool, Some(Literal::Bool(*value)), None),
            Self::Other => (ScriptType::Unknown, None, None),
        }
    }
}

fn element(name: &str) -> ElementClass {
    match name {
        "bool" => ElementClass::Bool,
        "uint8" => ElementClass::Uint8,
        _ if name.starts_with("complex") => ElementClass::Complex,
        _ if name.contains("float") => ElementClass::Float,
        _ => ElementClass::Integer,
    }
}

/// How a call differs between two releases by what was measured, the surest first; empty if nothing is known.
///
/// ```
/// use unskew_torch::{ExecutedArgument, changed_call};
/// let of = |name: &str| match name {
///     "self" => ExecutedArgument::Tensor("int64"),
///     "min" => ExecutedArgument::Float(false),
///     _ => ExecutedArgument::Absent,
/// };
/// let changed = changed_call("aten::clamp", "", &of, "1.10".parse().unwrap(), "2.1".parse().unwrap());
/// assert!(changed.iter().any(|one| one.certain && one.since.to_string() == "1.12"), "{changed:?}");
/// ```
pub fn changed_call(
    operator: &str,
    overload: &str,
    argument: &dyn Fn(&str) -> ExecutedArgument,
    from: Version,
    to: Version,
) -> Vec<ChangedCall> {
    let (from, to) = (minor(from), minor(to));
    let truth = |when: &[BehaviourCondition]| holds(when, argument);
    let mut found = Vec::new();
    for row in super::behaviours_of(operator, Some(overload)) {
        let truth = truth(&row.when);
        let eras = row.eras(Some(from), Some(to));
        for era in eras.iter().filter(|era| truth > Truth::No && era.since() > from) {
            let what = match (&era.does, &era.raises) {
                (_, Some(error)) => format!("raises: {error}"),
                (Some(does), None) => does.clone(),
                (None, None) => continue,
            };
            found.push(ChangedCall { since: era.since(), what, certain: truth == Truth::Yes });
        }
    }
    if !found.is_empty() {
        found.sort_unstable();
        return found;
    }
    for row in measured_change::changes_of(operator, overload) {
        let Some(effect) = row.effect(from, to) else { continue };
        let truth = truth(&row.when);
        if truth == Truth::No {
            continue;
        }
        let what = format!("{effect}{}", words(row.words, row.values));
        let by_values =
            !row.values.is_empty() || matches!(effect, Effect::Differs(_, ChangeEffect::Values));
        let certain = truth == Truth::Yes && !by_values;
        found.push(ChangedCall { since: effect.since(), what, certain });
    }
    found.sort_by_key(|one| (!one.certain, one.since));
    found
}

fn minor(version: Version) -> Version {
    Version::pair(version.major(), version.minor())
}

fn holds(when: &[BehaviourCondition], argument: &dyn Fn(&str) -> ExecutedArgument) -> Truth {
    let each = when.iter().map(|condition| {
        let named = condition.arguments().iter().map(|name| {
            let carried = argument(name);
            let (ty, literal, element) = carried.parts();
            condition.holds(&|one| match one == name {
                true if carried == ExecutedArgument::Other => None,
                true => Some(Some(ArgumentFacts { ty: &ty, literal: literal.as_ref(), element })),
                false => Some(None),
            })
        });
        // One of several arguments is enough.
        named.max().unwrap_or(Truth::Open)
    });
    each.min().unwrap_or(Truth::Yes)
}
