//! Adaptations by which a release accepts a node, step by step: planned for all nodes that ask the same.
//!
//! `check` and `convert` both ask here, so what the one announces is what the other does.

use std::sync::Arc;

use super::table::{self, Replacement};
use crate::op_def::AttrDef;
use crate::registry::OpLookup;
use crate::{AttrValue, NodeDef, OpDef, OpUse, TensorFlowRuntime};

pub(crate) const DROP_DEFAULT: &str = "drop-default-attribute";
/// The adaptation that drops attributes without effect.
pub(crate) const DROP_IDLE: &str = "drop-idle-attribute";
/// The adaptation that drops any other attribute: lossy.
pub(crate) const DROP_ANY: &str = "drop-attribute";
/// The adaptation that puts an op in place of another.
pub(crate) const REPLACE_OP: &str = "replace-op";
pub(crate) const DROP_SHAPES: &str = "drop-noted-shapes";

/// The adaptation that writes a zero into constants of zeros that have no values.
pub(crate) const WRITE_ZEROS: &str = "write-zeros";

/// How many replacements may follow one another.
const CHAIN: usize = 4;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AdaptationStep {
    /// The attribute goes: it has its default.
    Default(Arc<str>, AttrValue),
    /// The attribute goes: it has no effect.
    Idle(Arc<str>),
    /// The attribute goes, and with it what it says.
    Lost(Arc<str>),
    /// The op is another one.
    Replaced(&'static str, &'static str),
}

impl AdaptationStep {
    /// The name of the adaptation that the step belongs to.
    pub(crate) fn adaptation(&self) -> &'static str {
        match self {
            Self::Default(..) => DROP_DEFAULT,
            Self::Idle(_) => DROP_IDLE,
            Self::Lost(_) => DROP_ANY,
            Self::Replaced(..) => REPLACE_OP,
        }
    }

    pub(crate) fn attr(&self) -> Option<&str> {
        match self {
            Self::Default(attr, _) | Self::Idle(attr) | Self::Lost(attr) => Some(attr),
            Self::Replaced(..) => None,
        }
    }
}

/// Nodes that ask the same, after the steps.
#[derive(Clone, Debug)]
pub(crate) struct AdaptedUse {
    /// What they ask then.
    pub(crate) now: OpUse,
    /// The steps, in order; none if nothing helps or nothing is needed.
    pub(crate) steps: Vec<AdaptationStep>,
    /// The rows of the table that were used, in order.
    pub(crate) rows: Vec<&'static Replacement>,
}

pub(crate) struct Adapter<'a> {
    pub(crate) runtime: &'a TensorFlowRuntime,
    /// The ops as the exporter of the graph defines them, as far as the graph says.
    pub(crate) own: &'a [OpDef],
    pub(crate) producer: i64,
    /// Whether attributes may go that have an effect.
    pub(crate) lossy: bool,
}

impl Adapter<'_> {
    /// The steps for the nodes of `one`.
    pub(crate) fn adapt(&self, one: &OpUse) -> AdaptedUse {
        let mut adapted = AdaptedUse { now: one.clone(), steps: Vec::new(), rows: Vec::new() };
        if !self.takes(&one.op) {
            for row in self.path(one, CHAIN).unwrap_or_default().into_iter().rev() {
                self.replace(&mut adapted, row);
            }
        }
        if !self.runtime.ignores_unknown_attributes() {
            self.drop_unknown(&mut adapted);
        }
        adapted
    }

    /// Whether the release takes the node as it is, as far as its op and the names of its attributes go.
    pub(crate) fn is_content(&self, node: &NodeDef) -> bool {
        let found = self.runtime.ops.look_up(&node.op);
        let knows = |op: &OpDef| {
            let mut names = node.attrs.iter().map(|(name, _)| &**name);
            self.runtime.ignores_unknown_attributes()
                || names.all(|name| name.starts_with('_') || op.attr(name).is_some())
        };
        self.takes_found(&found) && found.op().is_none_or(knows)
    }

    /// Whether the release has the op and lets graphs of this producer use it.
    fn takes(&self, op: &str) -> bool {
        self.takes_found(&self.runtime.ops.look_up(op))
    }

    /// The same of an op that was looked up.
    pub(crate) fn takes_found(&self, found: &OpLookup) -> bool {
        match found.op() {
            Some(op) => op.deprecation.as_ref().is_none_or(|it| self.producer < it.version),
            None => found.maybe_unlisted,
        }
    }

    /// What stands in the way of a replacement, in words, if there is one for the op.
    pub(crate) fn condition(&self, one: &OpUse) -> Option<String> {
        let row = table::from(&one.op).find(|row| !one.proved.holds(row))?;
        let condition = row.condition()?;
        let (from, to) = (&row.from, &row.to);
        Some(format!(
            "`unskew convert` replaces `{from}` by `{to}` only if that is exact: {condition}."
        ))
    }

    /// The replacements that lead from `one` to an op that the release takes, last first.
    fn path(&self, one: &OpUse, left: usize) -> Option<Vec<&'static Replacement>> {
        if left == 0 {
            return None;
        }
        table::from(&one.op).find_map(|row| {
            let next = self.replaced(one, row)?.0;
            if self.takes(&next.op) {
                return Some(vec![row]);
            }
            let mut rest = self.path(&next, left - 1)?;
            rest.push(row);
            Some(rest)
        })
    }

    fn replace(&self, adapted: &mut AdaptedUse, row: &'static Replacement) {
        if let Some((now, steps)) = self.replaced(&adapted.now, row) {
            adapted.now = now;
            adapted.steps.push(AdaptationStep::Replaced(&row.from, &row.to));
            adapted.steps.extend(steps);
            adapted.rows.push(row);
        }
    }

    /// `one` after one replacement, if its conditions hold.
    fn replaced(&self, one: &OpUse, row: &Replacement) -> Option<(OpUse, Vec<AdaptationStep>)> {
        let mut same = row.same_types.iter().map(|attr| one.attr(attr).filter(|it| is_plain(it)));
        let same = match same.next() {
            Some(first) => first.is_some() && same.all(|other| other == first),
            None => true,
        };
        let typed = row.types.iter().all(|(attr, wanted)| {
            matches!(one.attr(attr), Some(AttrValue::Type(dtype)) if dtype.to_string() == *wanted)
        });
        // Whoever may read what goes away has to lose that input too.
        let stay = row.free.iter().flat_map(|free| &free.but).any(|op| self.takes(op));
        if !same || !typed || stay || !one.proved.holds(row) {
            return None;
        }
        let mut steps = Vec::new();
        let mut attrs = Vec::new();
        let target = self.target(&row.to);
        if let Some(seed) = &row.seed
            && target.as_ref().is_none_or(|op| op.attr(&seed.attr).is_none())
        {
            return None;
        }
        for (name, value) in one.attrs.iter() {
            if row.drop.iter().any(|attr| **attr == **name) || row.to_control {
                continue;
            }
            let new: Arc<str> =
                row.rename.get(&**name).map_or_else(|| name.clone(), |it| (**it).into());
            if target.as_ref().is_none_or(|op| op.attr(&new).is_some()) {
                attrs.push((new, value.clone()));
                continue;
            }
            steps.push(self.droppable(&one.op, name, value)?);
        }
        let inputs = match row.to_control {
            true => 0,
            false => one.inputs.checked_sub(row.drop_inputs.len() as u64)?,
        };
        let op = (*row.to).into();
        Some((OpUse { op, attrs: attrs.into(), inputs, ..one.clone() }, steps))
    }

    /// The op that a replacement leads to: as the release has it, or as any does.
    fn target(&self, op: &str) -> Option<OpDef> {
        let found = self.runtime.ops.look_up(op);
        found.op().or_else(|| found.all().last()?.get()).cloned()
    }

    fn drop_unknown(&self, adapted: &mut AdaptedUse) {
        let found = self.runtime.ops.look_up(&adapted.now.op);
        let Some(op) = found.op() else { return };
        let AdaptedUse { now, steps, .. } = adapted;
        let name = now.op.clone();
        now.attrs.retain(|attr, value| {
            if op.attr(attr).is_some() {
                return true;
            }
            let step = self.droppable(&name, attr, value);
            let step = step.or_else(|| self.lossy.then(|| AdaptationStep::Lost(attr.clone())));
            let stays = step.is_none();
            steps.extend(step);
            stays
        });
    }

    /// How an attribute may go without a change of what the graph computes.
    fn droppable(&self, op: &str, attr: &Arc<str>, value: &AttrValue) -> Option<AdaptationStep> {
        if table::is_idle(op, attr) {
            return Some(AdaptationStep::Idle(attr.clone()));
        }
        let default = first_default(self.runtime, self.own, op, attr)?;
        (is_plain(value) && default == *value)
            .then(|| AdaptationStep::Default(attr.clone(), default))
    }
}

/// The default of an attribute where it first came up: the one that keeps the meaning of what was before.
/// Ops that the history does not have are looked up in what the graph says of its own ops.
pub(crate) fn first_default(
    runtime: &TensorFlowRuntime,
    own: &[OpDef],
    op: &str,
    attr: &str,
) -> Option<AttrValue> {
    let known = runtime.ops.history().named(op);
    let known = known.iter().find_map(|definition| definition.get()?.attr(attr).cloned());
    let known: Option<AttrDef> = known.or_else(|| {
        own.iter().find(|known| known.name == op).and_then(|known| known.attr(attr).cloned())
    });
    known?.default
}

/// Whether a value is all there, so that it can be compared: tensors and long texts are not.
fn is_plain(value: &AttrValue) -> bool {
    match value {
        AttrValue::Tensor { .. } | AttrValue::Large(..) | AttrValue::Placeholder(_) => false,
        AttrValue::List(values) => values.iter().all(is_plain),
        _ => true,
    }
}
