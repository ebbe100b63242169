//! Values of attributes that no kernel takes, and what else a schema does not tell: `data/limits.tsv`.

use std::sync::LazyLock;

use foldhash::HashMap;
use unskew_core::Version;
use unskew_definitions::Runs;

use crate::infer::{Bound, attribute};
use crate::{Attribute, Dim, Kind, Node, Schema};

/// What the model says of the dimensions of its values.
pub(crate) type Shapes<'m> = HashMap<&'m str, &'m [Dim]>;

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Limit {
    /// The releases that were seen to refuse it; none if all were.
    releases: Option<Runs>,
    op: &'static str,
    forms: (i64, Option<i64>),
    conditions: Vec<Condition>,
    /// When the runtime refuses such a node.
    pub(crate) when: When,
    /// The conditions as they are written, for people.
    pub(crate) said: &'static str,
    /// The words of the error.
    pub(crate) error: &'static str,
}

/// What happens where a row holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Load,
    Run,
    /// It depends on the machine.
    Machine,
    /// It depends on shapes or values, which are not looked at.
    Shapes,
    /// The models that were measured do not show whether there is a kernel.
    Kernel,
}

#[derive(Debug)]
enum Condition {
    Is(&'static str, &'static str),
    IsNone(&'static str, Vec<&'static str>),
    Negative(&'static str),
    Absent(&'static str),
    FewerInputs(usize),
    Empty(usize),
    MoreDims(usize, usize),
    Shorter(usize, usize),
    Types(&'static str, Vec<Kind>),
}

/// The row that holds at a node in a release, if any does. `shapes`: what the model says of them.
pub(crate) fn at(
    release: Version,
    schema: &Schema,
    node: &Node,
    bound: &[Bound],
    shapes: &Shapes<'_>,
) -> Option<&'static Limit> {
    table().iter().find(|row| {
        *row.op == *schema.name
            && row.forms.0 <= schema.since
            && row.forms.1.is_none_or(|last| schema.since <= last)
            && row.releases.as_ref().is_none_or(|runs| runs.contains(release))
            && row.conditions.iter().all(|one| one.holds(schema, node, bound, shapes))
    })
}

impl Condition {
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
        } else if let Some(input) = text.strip_prefix("empty#") {
            Self::Empty(input.parse().ok()?)
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
            Self::Types(name, list(types).into_iter().map(Kind::parse).collect::<Option<_>>()?)
        })
    }

    fn holds(&self, schema: &Schema, node: &Node, bound: &[Bound], shapes: &Shapes<'_>) -> bool {
        let shape = |at: usize| shapes.get(&**node.inputs.get(at)?).copied();
        match self {
            Self::Is(name, value) => attribute(node, name).is_some_and(|one| is(one, value)),
            Self::IsNone(name, values) => {
                attribute(node, name).is_some_and(|one| !values.iter().any(|value| is(one, value)))
            }
            Self::Negative(name) => {
                matches!(attribute(node, name), Some(Attribute::Int(number)) if *number < 0)
            }
            Self::Absent(name) => attribute(node, name).is_none(),
            Self::FewerInputs(count) => node.inputs.len() < *count,
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
            Self::Types(name, types) => {
                let at = schema.variables.iter().position(|(one, _)| **one == **name);
                let bound = at.and_then(|at| bound.get(at));
                matches!(bound, Some(Bound::Types(found)) if found.iter().all(|one| types.contains(one)))
            }
        }
    }
}

/// Whether an attribute is a number or a text that is written so.
fn is(attribute: &Attribute, value: &str) -> bool {
    match attribute {
        Attribute::Int(number) => number.to_string() == value,
        Attribute::Text(text) => **text == *value,
        _ => false,
    }
}

/// The table, read once. It is part of this crate, and a test reads every row.
fn table() -> &'static [Limit] {
    static TABLE: LazyLock<Vec<Limit>> = LazyLock::new(|| {
        let lines = include_str!("../data/limits.tsv").lines();
        lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
    });
    &TABLE
}

fn row(line: &'static str) -> Option<Limit> {
    let mut cells = line.split('\t');
    let releases = match cells.next()? {
        "-" => None,
        runs => Some(runs.parse().ok()?),
    };
    let op = cells.next()?;
    let (first, last) = cells.next()?.split_once('-')?;
    let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
    let said = cells.next()?;
    let conditions = said.split(' ').filter(|one| *one != "-").map(Condition::parse);
    let conditions = conditions.collect::<Option<_>>()?;
    let when = match cells.next()? {
        "load" => When::Load,
        "run" => When::Run,
        "machine" => When::Machine,
        "shapes" => When::Shapes,
        "kernel" => When::Kernel,
        _ => return None,
    };
    Some(Limit {
        releases,
        op,
        forms: (first.parse().ok()?, last),
        conditions,
        when,
        said,
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
