//! Values of attributes that no kernel takes, and what else a schema does not tell: `data/limits.tsv`.

use std::sync::LazyLock;

use unskew_core::Version;
use unskew_definitions::Runs;

use crate::infer::{TypeBinding, attribute};
use crate::value_index::{ACTIVATIONS, ValueIndex};
use crate::{Dim, OnnxAttribute, OnnxNode, OpSchema, ValueType};

#[derive(Debug)]
pub(crate) struct ReleaseLimit {
    /// The releases that were seen to refuse it; none if all were.
    releases: Option<Runs>,
    op: &'static str,
    forms: (i64, Option<i64>),
    conditions: Vec<LimitCondition>,
    /// When the runtime refuses such a node.
    pub(crate) when: LimitEffect,
    /// The words of the error.
    pub(crate) error: &'static str,
}

/// What happens where a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitEffect {
    Load,
    Run,
    /// It depends on the machine.
    Machine,
    /// It depends on shapes or values, which are not looked at.
    Shapes,
    /// The models that were measured do not show whether there is a kernel.
    Kernel,
    /// The optimizer may join it with its neighbours into something that has no kernel for these types.
    Fused,
}

#[derive(Debug)]
enum LimitCondition {
    Is(&'static str, &'static str),
    IsNone(&'static str, Vec<&'static str>),
    Negative(&'static str),
    Absent(&'static str),
    FewerInputs(usize),
    MoreInputs(usize),
    From(&'static str),
    Beside(&'static str),
    Turned,
    Empty(usize),
    MoreDims(usize, usize),
    Shorter(usize, usize),
    Minus(usize),
    Computed(usize),
    Activated,
    Types(&'static str, Vec<ValueType>),
}

/// The row that holds at a node in a release, if any does. `around`: what is known of its inputs.
pub(crate) fn at(
    release: Version,
    schema: &OpSchema,
    node: &OnnxNode,
    bound: &[TypeBinding],
    around: &ValueIndex<'_>,
) -> Option<&'static ReleaseLimit> {
    table().iter().find(|row| {
        *row.op == *schema.name
            && row.forms.0 <= schema.since
            && row.forms.1.is_none_or(|last| schema.since <= last)
            && row.releases.as_ref().is_none_or(|runs| runs.contains(release))
            && row.conditions.iter().all(|one| one.holds(schema, node, bound, around))
    })
}

/// Whether a release has a fault at nodes of an operator that the same meaning in another form keeps clear of.
pub(crate) fn can_be_avoided(release: Version, op: &str) -> bool {
    table().iter().any(|row| {
        row.op == op
            && row.releases.as_ref().is_some_and(|runs| runs.contains(release))
            && row
                .conditions
                .iter()
                .any(|one| matches!(one, LimitCondition::Minus(_) | LimitCondition::Activated))
    })
}

impl ReleaseLimit {
    /// What a node must not have, for people.
    pub(crate) fn in_words(&self) -> String {
        let words: Vec<String> = self.conditions.iter().map(LimitCondition::in_words).collect();
        words.join(" and ")
    }
}

impl LimitCondition {
    fn in_words(&self) -> String {
        match self {
            Self::Is(name, value) => format!("{name} = {value}"),
            Self::IsNone(name, values) => format!("{name} other than {}", values.join(", ")),
            Self::Negative(name) => format!("{name} below 0"),
            Self::Absent(name) => format!("no {name}"),
            Self::FewerInputs(count) => format!("fewer than {count} inputs"),
            Self::MoreInputs(count) => format!("more than {count} inputs"),
            Self::From(op) => format!("an input that {op} makes"),
            Self::Beside(op) => format!("{op} in the model"),
            Self::Turned => "an input of the model that Transpose turns".to_owned(),
            Self::Empty(at) => format!("a dimension of 0 in input {at}"),
            Self::MoreDims(at, most) => format!("more than {most} dimensions of input {at}"),
            Self::Shorter(one, other) => {
                format!("fewer columns in input {one} than rows in input {other}")
            }
            Self::Minus(at) => format!("-1 in input {at}"),
            Self::Computed(at) => format!("a computed input {at}"),
            Self::Activated => "an activation behind it".to_owned(),
            Self::Types(name, types) => {
                let types: Vec<String> = types.iter().map(ToString::to_string).collect();
                format!("{name} = {}", types.join(" or "))
            }
        }
    }

    fn parse(text: &'static str) -> Option<Self> {
        let list = |text: &'static str| text.split('|').collect::<Vec<_>>();
        Some(if let Some(name) = text.strip_prefix('!') {
            Self::Absent(name)
        } else if let Some((name, values)) = text.split_once("!=") {
            Self::IsNone(name, list(values))
        } else if let Some((name, value)) = text.split_once('=') {
            Self::Is(name, value)
        } else if let Some(count) = text.strip_prefix("inputs<") {
            Self::FewerInputs(count.parse().ok()?)
        } else if let Some(count) = text.strip_prefix("inputs>") {
            Self::MoreInputs(count.parse().ok()?)
        } else if let Some(op) = text.strip_prefix("from#") {
            Self::From(op)
        } else if let Some(op) = text.strip_prefix("beside#") {
            Self::Beside(op)
        } else if text == "turned#" {
            Self::Turned
        } else if let Some(input) = text.strip_prefix("empty#") {
            Self::Empty(input.parse().ok()?)
        } else if let Some(input) = text.strip_prefix("minus#") {
            Self::Minus(input.parse().ok()?)
        } else if let Some(input) = text.strip_prefix("computed#") {
            Self::Computed(input.parse().ok()?)
        } else if text == "activated#" {
            Self::Activated
        } else if let Some((at, most)) =
            text.strip_prefix("rank#").and_then(|it| it.split_once('>'))
        {
            Self::MoreDims(at.parse().ok()?, most.parse().ok()?)
        } else if let Some((one, other)) = text.strip_prefix('#').and_then(|it| it.split_once("<#"))
        {
            Self::Shorter(one.parse().ok()?, other.parse().ok()?)
        } else if let Some(name) = text.strip_suffix("<0") {
            Self::Negative(name)
        } else {
            let (name, types) = text.split_once(':')?;
            Self::Types(name, list(types).into_iter().map(ValueType::parse).collect::<Option<_>>()?)
        })
    }

    fn holds(
        &self,
        schema: &OpSchema,
        node: &OnnxNode,
        bound: &[TypeBinding],
        around: &ValueIndex<'_>,
    ) -> bool {
        let shape = |at: usize| around.shape(node.inputs.get(at)?);
        let ints = |at: usize| around.ints(node.inputs.get(at)?);
        match self {
            Self::Is(name, value) => attribute(node, name).is_some_and(|one| is(one, value)),
            Self::IsNone(name, values) => {
                attribute(node, name).is_some_and(|one| !values.iter().any(|value| is(one, value)))
            }
            Self::Negative(name) => {
                matches!(attribute(node, name), Some(OnnxAttribute::Int(number)) if *number < 0)
            }
            Self::Absent(name) => attribute(node, name).is_none(),
            Self::FewerInputs(count) => {
                let last = node.inputs.iter().rposition(|name| !name.is_empty());
                last.map_or(0, |last| last + 1) < *count
            }
            Self::MoreInputs(count) => node.inputs.len() > *count,
            Self::From(op) => node.inputs.iter().any(|name| around.is_from(name, op)),
            Self::Beside(op) => around.has(op),
            Self::Turned => node.inputs.iter().any(|name| around.is_turned_input(name)),
            Self::Empty(at) => shape(*at).is_some_and(|dims| dims.contains(&Dim::Size(0))),
            Self::MoreDims(at, most) => shape(*at).is_some_and(|dims| dims.len() > *most),
            Self::Shorter(one, other) => {
                let of = |at: usize, from_end: usize| {
                    let dims = shape(at)?;
                    match dims.get(dims.len().checked_sub(from_end)?)? {
                        Dim::Size(size) => Some(*size),
                        _ => None,
                    }
                };
                of(*one, 1).zip(of(*other, 2)).is_some_and(|(one, other)| one < other)
            }
            Self::Minus(at) => ints(*at).is_some_and(|all| all.contains(&-1)),
            Self::Computed(at) => ints(*at).is_none(),
            Self::Activated => around.is_read_by_one_of(node, &ACTIVATIONS),
            Self::Types(name, types) => {
                let at = schema.variables.iter().position(|(one, _)| **one == **name);
                let bound = at.and_then(|at| bound.get(at));
                matches!(bound, Some(TypeBinding::Types(found)) if found.iter().all(|one| types.contains(one)))
            }
        }
    }
}

/// Whether an attribute is a number or a text that is written so.
fn is(attribute: &OnnxAttribute, value: &str) -> bool {
    match attribute {
        OnnxAttribute::Int(number) => number.to_string() == value,
        OnnxAttribute::Text(text) => **text == *value,
        _ => false,
    }
}

/// The table, read once. It is part of this crate, and a test reads every row.
fn table() -> &'static [ReleaseLimit] {
    static TABLE: LazyLock<Vec<ReleaseLimit>> = LazyLock::new(|| {
        let lines = include_str!("../data/limits.tsv").lines();
        lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
    });
    &TABLE
}

fn row(line: &'static str) -> Option<ReleaseLimit> {
    let mut cells = line.split('\t');
    let releases = match cells.next()? {
        "-" => None,
        runs => Some(runs.parse().ok()?),
    };
    let op = cells.next()?;
    let (first, last) = cells.next()?.split_once('-')?;
    let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
    let said = cells.next()?;
    let conditions = said.split(' ').filter(|one| *one != "-").map(LimitCondition::parse);
    let conditions = conditions.collect::<Option<_>>()?;
    let when = match cells.next()? {
        "load" => LimitEffect::Load,
        "run" => LimitEffect::Run,
        "machine" => LimitEffect::Machine,
        "shapes" => LimitEffect::Shapes,
        "kernel" => LimitEffect::Kernel,
        "fused" => LimitEffect::Fused,
        _ => return None,
    };
    Some(ReleaseLimit {
        releases,
        op,
        forms: (first.parse().ok()?, last),
        conditions,
        when,
        error: cells.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let text = include_str!("../data/limits.tsv");
        assert_eq!(table().len(), text.lines().filter(|line| !line.starts_with('#')).count());
    }
}
