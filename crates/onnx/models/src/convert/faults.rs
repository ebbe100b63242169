//! Faults of ONNX Runtime releases that a node keeps clear of, where it means the same in another way.
//!
//! `data/limits.tsv` has the releases, as measured: a Reshape with `allowzero` beside a size of -1 is refused up to 1.10,
//! and up to 1.12 the optimizer joins a Gemm without its third input and an activation behind it to a node that is invalid.

use unskew_core::Version;

use super::Goal;
use super::scope::Scope;
use super::site::{Names, number_of};
use super::work::Work;
use crate::Node;
use crate::around::{ACTIVATIONS, Around};

/// The first releases without these faults.
const ALLOWZERO: Version = Version::pair(1, 11);
const GEMM: Version = Version::pair(1, 13);

/// Whether the release of a goal has any of them.
pub(super) fn may_be_met(goal: &Goal) -> bool {
    goal.runtime.is_some_and(|release| release < ALLOWZERO.max(GEMM))
}

/// Writes a node in the way that the release of the goal runs; gives what stands before it then.
pub(super) fn avoid(
    work: &mut Work,
    node: &Node,
    goal: &Goal,
    scope: &Scope<'_>,
    around: &Around<'_>,
    names: &mut Names,
) -> Vec<Work> {
    let Some(release) = goal.runtime.filter(|_| work.domain.is_empty()) else { return Vec::new() };
    match &*work.op {
        "Reshape" if release < ALLOWZERO => {
            let sizes = work.input(1).and_then(|name| scope.constant(name)?.ints());
            // It is about sizes of 0 and nothing else.
            if sizes.is_some_and(|sizes| !sizes.contains(&0)) {
                work.remove("allowzero");
            }
            Vec::new()
        }
        "Gemm" if release < GEMM && work.input(2).is_none() => {
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
