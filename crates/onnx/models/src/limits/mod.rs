//! Values of attributes that no kernel takes, and what else a schema does not tell: `data/limits.tsv`.

mod condition;
mod neighbours;
mod scales;

use std::sync::LazyLock;

use unskew_core::Version;
use unskew_definitions::Runs;

use crate::infer::TypeBinding;
use crate::value_index::ValueIndex;
use crate::{OnnxNode, OpSchema};
pub(crate) use condition::LimitCondition;
use condition::LimitedNode;

#[derive(Debug)]
pub(crate) struct ReleaseLimit {
    /// The releases that were seen to refuse it; none if all were.
    releases: Option<Runs>,
    /// One operator, or several with `|` between them.
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
    /// It runs, where the table of kernels says that it does so under some opsets only.
    Runs,
    /// The models that were measured do not show whether there is a kernel.
    Kernel,
    /// The optimizer may join it with its neighbours into something that has no kernel for these types.
    Fused,
    /// It runs, and gives other values than onnx defines, or than other releases give.
    Values,
}

/// The row that holds at a node in a release, if any does. `around`: what is known of its inputs.
pub(crate) fn at(
    release: Version,
    (schema, opset): (&OpSchema, i64),
    node: &OnnxNode,
    bound: &[TypeBinding],
    around: &ValueIndex<'_>,
) -> Option<&'static ReleaseLimit> {
    let site = LimitedNode { schema, node, bound, around, opset };
    table().iter().find(|row| row.when != LimitEffect::Values && row.holds(release, &site))
}

/// The rows of a node that runs in a release and gives other values.
pub(crate) fn other_values(
    release: Version,
    (schema, opset): (&OpSchema, i64),
    node: &OnnxNode,
    bound: &[TypeBinding],
    around: &ValueIndex<'_>,
) -> Vec<&'static ReleaseLimit> {
    let site = LimitedNode { schema, node, bound, around, opset };
    let holds = |row: &&ReleaseLimit| row.when == LimitEffect::Values && row.holds(release, &site);
    table().iter().filter(holds).collect()
}

/// Whether a release has a fault at nodes of an operator that the same meaning in another form keeps clear of.
pub(crate) fn can_be_avoided(release: Version, op: &str) -> bool {
    table().iter().any(|row| {
        row.op.split('|').any(|one| one == op)
            && row.releases.as_ref().is_some_and(|runs| runs.contains(release))
            && row.conditions.iter().any(LimitCondition::can_be_avoided)
    })
}

impl ReleaseLimit {
    fn holds(&self, release: Version, site: &LimitedNode<'_, '_>) -> bool {
        self.op.split('|').any(|op| *op == *site.schema.name)
            && self.forms.0 <= site.schema.since
            && self.forms.1.is_none_or(|last| site.schema.since <= last)
            && self.releases.as_ref().is_none_or(|runs| runs.contains(release))
            && self.conditions.iter().all(|one| one.holds(site))
    }

    /// The releases of which it was measured, for people.
    pub(crate) fn releases_in_words(&self) -> String {
        self.releases.as_ref().map_or_else(|| "every release".to_owned(), ToString::to_string)
    }

    /// What a node must not have, for people.
    pub(crate) fn in_words(&self) -> String {
        let words: Vec<String> = self.conditions.iter().map(LimitCondition::in_words).collect();
        words.join(" and ")
    }
}

/// The table, read once. It is part of this crate, and a test reads every row.
fn table() -> &'static [ReleaseLimit] {
    static TABLE: LazyLock<Vec<ReleaseLimit>> = LazyLock::new(|| {
        let lines = include_str!("../../data/limits.tsv").lines();
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
        "runs" => LimitEffect::Runs,
        "fused" => LimitEffect::Fused,
        "values" => LimitEffect::Values,
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
        let text = include_str!("../../data/limits.tsv");
        assert_eq!(table().len(), text.lines().filter(|line| !line.starts_with('#')).count());
    }
}
