//! Faults of ONNX Runtime releases that a node keeps clear of, where it means the same in another way.
//!
//! `data/limits.tsv` has the releases, as measured: some refuse a Reshape with `allowzero` beside a size of -1, though beside
//! -1 it means nothing; some take a Constant with a list of numbers for one number; and the optimizer of some joins a Gemm without its third input and an activation behind it to a node that is invalid.

use super::OnnxTarget;
use super::adapter_context::{FreshNames, number_of};
use super::node_draft::{NodeDraft, floats, ints};
use super::scope::Scope;
use crate::value_index::{ACTIVATIONS, ValueIndex};
use crate::{OnnxNode, limits};

/// The operators that can be written in another way.
const RESHAPE: &str = "Reshape";
const GEMM: &str = "Gemm";
const CONSTANT: &str = "Constant";

/// Whether the release of a goal has any of these faults.
pub(super) fn may_be_met(goal: &OnnxTarget) -> bool {
    let has =
        |release| [RESHAPE, GEMM, CONSTANT].iter().any(|op| limits::can_be_avoided(release, op));
    goal.runtime.as_ref().is_some_and(|runtime| has(runtime.version))
}

/// Writes a node in the way that the release of the goal runs; gives what stands before it then.
pub(super) fn avoid(
    work: &mut NodeDraft,
    node: &OnnxNode,
    goal: &OnnxTarget,
    scope: &Scope<'_>,
    around: &ValueIndex<'_>,
    names: &mut FreshNames,
) -> Vec<NodeDraft> {
    let is_met = |release| work.domain.is_empty() && limits::can_be_avoided(release, &work.op);
    if !goal.runtime.as_ref().is_some_and(|runtime| is_met(runtime.version)) {
        return Vec::new();
    }
    match &*work.op {
        RESHAPE => {
            if work.input(1).is_some_and(|sizes| has_no_zero(sizes, scope, around)) {
                work.remove("allowzero");
            }
            Vec::new()
        }
        CONSTANT => {
            let tensor = match (work.ints("value_ints"), work.floats("value_floats")) {
                (Some(all), _) => ("value_ints", ints(&all)),
                (_, Some(all)) => ("value_floats", floats(&all)),
                _ => return Vec::new(),
            };
            work.remove(tensor.0);
            work.set("value", tensor.1);
            Vec::new()
        }
        GEMM if work.input(2).is_none() => {
            let element = work.input(0).and_then(|name| scope.element(name));
            let Some(element) = element.filter(|_| around.is_read_by_one_of(node, &ACTIVATIONS))
            else {
                return Vec::new();
            };
            let (zero, before) = number_of(0.0, element, names);
            work.put(2, &zero);
            before
        }
        _ => Vec::new(),
    }
}

/// Whether no size that a Reshape with `allowzero` is given is 0, where the attribute means something: written down without
/// one, or with a -1 among them, beside which it allows none.
fn has_no_zero(sizes: &str, scope: &Scope<'_>, around: &ValueIndex<'_>) -> bool {
    let known = |name: &str| scope.constant(name).and_then(|constant| constant.ints());
    if let Some(all) = known(sizes) {
        return !all.contains(&0);
    }
    let Some(joined) = around.maker(sizes, "Concat") else { return false };
    let all: Vec<i64> = joined.inputs.iter().filter_map(|part| known(part)).flatten().collect();
    all.contains(&-1) && !all.contains(&0)
}
