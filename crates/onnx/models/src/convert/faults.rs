//! Faults of ONNX Runtime releases that a node keeps clear of, where it means the same in another way.
//!
//! `data/limits.tsv` has the releases, as measured: some refuse a Reshape with `allowzero` beside a size of -1, and the
//! optimizer of some joins a Gemm without its third input and an activation behind it to a node that is invalid.

use super::OnnxTarget;
use super::adapter_context::{FreshNames, number_of};
use super::node_draft::NodeDraft;
use super::scope::Scope;
use crate::value_index::{ACTIVATIONS, ValueIndex};
use crate::{OnnxNode, limits};

/// The operators that can be written in another way.
const RESHAPE: &str = "Reshape";
const GEMM: &str = "Gemm";

/// Whether the release of a goal has any of these faults.
pub(super) fn may_be_met(goal: &OnnxTarget) -> bool {
    let has = |release| [RESHAPE, GEMM].iter().any(|op| limits::can_be_avoided(release, op));
    goal.runtime.is_some_and(has)
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
    if !goal.runtime.is_some_and(is_met) {
        return Vec::new();
    }
    match &*work.op {
        RESHAPE => {
            let sizes = work.input(1).and_then(|name| scope.constant(name)?.ints());
            // It is about sizes of 0 and nothing else.
            if sizes.is_some_and(|sizes| !sizes.contains(&0)) {
                work.remove("allowzero");
            }
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
