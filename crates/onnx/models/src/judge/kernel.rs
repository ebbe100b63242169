//! Kernel check: whether ONNX Runtime has a kernel for the types at a node.

use unskew_core::{Places, Version};

use super::model_walk::{ModelWalk, UnjudgedReason};
use super::node::fits;
use crate::infer::TypeBinding;
use crate::{KernelSupport, OnnxRelease, OpSchema, rules};

/// Judges the kernels of one node, whose variables are `bound`.
pub(super) fn judge(walk: &mut ModelWalk<'_>, schema: &OpSchema, bound: &[TypeBinding], at: &str) {
    let runtime = walk.runtime;
    let Some(kernels) = &runtime.kernels else { return };
    let Some(measured) = kernels.supports_of(runtime.version, &schema.name, schema.since) else {
        return walk.open(UnjudgedReason::Unmeasured, at);
    };
    let fit = measured.iter().map(|one| match one {
        KernelSupport::Types(types) => all(schema, bound, types),
        KernelSupport::Nothing | KernelSupport::Unknown | KernelSupport::Sometimes(_) => {
            Some(false)
        }
    });
    let fit: Vec<Option<bool>> = fit.collect();
    if fit.contains(&Some(true)) {
        return;
    }
    let perhaps = measured.iter().any(|one| match one {
        KernelSupport::Unknown => true,
        KernelSupport::Sometimes(types) => all(schema, bound, types) != Some(false),
        KernelSupport::Types(_) | KernelSupport::Nothing => false,
    });
    if perhaps {
        return walk.open(UnjudgedReason::Unmeasured, at);
    }
    if fit.contains(&None) {
        return walk.open(UnjudgedReason::Type, at);
    }
    let types = schema.variables.iter().zip(bound).filter_map(|((name, _), bound)| match bound {
        TypeBinding::Types(types) => {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            Some(format!("{name} = {}", types.join(" and ")))
        }
        _ => None,
    });
    let types: Vec<String> = types.collect();
    let types = if types.is_empty() { "any types".to_owned() } else { types.join(", ") };
    let reader = runtime.name();
    let rule =
        rules::NoKernel { reader: &reader, op: &schema.name, since: &schema.since, types: &types };
    let op = schema.name.rsplit(':').next().unwrap_or_default();
    let symptom = not_implemented(runtime, op, schema.since);
    walk.findings.push(rule.finding().at(Places::from_iter([at])).with_symptom(symptom));
}

/// What the release prints of an operator without a kernel.
pub(super) fn not_implemented(runtime: &OnnxRelease, op: &str, since: i64) -> String {
    let node = match runtime.version < Version::pair(1, 9) {
        true => format!("the node {op}({since})"),
        false => format!("{op}({since}) node"),
    };
    format!("NOT_IMPLEMENTED : Could not find an implementation for {node}")
}

/// Whether every variable is what a row wants; none if that is not known.
fn all(
    schema: &OpSchema,
    bound: &[TypeBinding],
    types: &[(Box<str>, Vec<crate::ValueType>)],
) -> Option<bool> {
    let mut sure = true;
    for (name, allowed) in types {
        let at = schema.variables.iter().position(|(one, _)| one == name);
        // A variable that the form of this release does not have says nothing.
        let Some(bound) = at.and_then(|at| bound.get(at)) else { continue };
        match fits(bound, allowed) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => sure = false,
        }
    }
    sure.then_some(true)
}
