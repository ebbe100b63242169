//! Outputs of a node under conversion, besides types: dimensions by [`crate::shapes`], and constants.

use super::node_draft::NodeDraft;
use super::scope::{Constant, ConstantFacts, Scope, TensorNumbers};
use crate::shapes::{self, NodeInputs};
use crate::{Dim, OnnxNode};

/// What is known of the outputs of `work`, as many as are told. `node`: the same as inference reads it; `opset`: the one
/// under which it stands. Where its inputs contradict each other, nothing is known.
pub(super) fn outputs(
    work: &NodeDraft,
    node: &OnnxNode,
    opset: i64,
    scope: &Scope<'_>,
) -> Vec<ConstantFacts> {
    if !work.domain.is_empty() {
        return Vec::new();
    }
    if let Some(constant) = folded(work, scope) {
        return vec![ConstantFacts::from_constant(constant)];
    }
    let inputs = work.inputs.iter().map(|name| seen(name, scope)).collect();
    let made = shapes::outputs(&NodeInputs { node, opset, inputs }).unwrap_or_default();
    made.into_iter()
        .map(|one| ConstantFacts { dims: one.dims, ..ConstantFacts::default() })
        .collect()
}

/// What is known of an input. One that is left out has no name.
fn seen(name: &str, scope: &Scope<'_>) -> shapes::ValueFacts {
    let data = scope.constant(name).filter(|constant| constant.dims.len() <= 1);
    let sizes = |all: Vec<i64>| all.into_iter().map(Dim::Size).collect();
    shapes::ValueFacts {
        dims: scope.dims(name).map(<[Dim]>::to_vec),
        data: data.and_then(Constant::ints).map(sizes),
    }
}

/// The tensor that a node always gives.
fn folded(work: &NodeDraft, scope: &Scope<'_>) -> Option<Constant> {
    match &*work.op {
        "Identity" => scope.constant(work.input(0)?).cloned(),
        "Constant" => match (work.ints("value_ints"), work.int("value_int")) {
            (Some(all), _) => {
                let dims = vec![all.len() as i64];
                Some(Constant { numbers: TensorNumbers::Ints(all), dims })
            }
            (None, Some(one)) => {
                Some(Constant { numbers: TensorNumbers::Ints(vec![one]), dims: Vec::new() })
            }
            (None, None) => None,
        },
        _ => None,
    }
}
