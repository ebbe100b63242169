//! Kernel check: whether ONNX Runtime has a kernel for the types at a node.

use unskew_core::{Finding, Places, Version};

use super::model_walk::{ModelWalk, UnjudgedReason};
use super::node::fits;
use crate::infer::TypeBinding;
use crate::{KernelSupport, OnnxRelease, OpSchema, rules};

/// Whether kernels take the types at a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypeSupport {
    /// They do.
    Taken,
    /// It was not measured.
    Unmeasured,
    /// The types are not known.
    UnknownTypes,
    /// No kernel takes them.
    Refused,
}

/// The page about the CUDA provider, for those whose operators run on the CPU.
const CUDA_PAGE: &str =
    "https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html";

/// Whether a node runs on the CUDA provider; notes what was not measured there.
pub(super) fn is_on_cuda(
    walk: &mut ModelWalk<'_>,
    schema: &OpSchema,
    bound: &[TypeBinding],
    at: &str,
) -> bool {
    match on_cuda(walk.runtime, schema, bound) {
        Some(TypeSupport::Unmeasured) => {
            walk.open(UnjudgedReason::Cuda, at);
            false
        }
        support => support == Some(TypeSupport::Taken),
    }
}

/// Whether kernels of the CUDA provider take the types; none if the release has no such provider.
fn on_cuda(runtime: &OnnxRelease, schema: &OpSchema, bound: &[TypeBinding]) -> Option<TypeSupport> {
    let cuda = runtime.cuda.as_ref()?;
    let measured = cuda.table.supports_of(cuda.version, &schema.name, schema.since);
    Some(measured.map_or(TypeSupport::Refused, |measured| support(&measured, schema, bound)))
}

/// Judges the kernels on the CPU of one node, whose variables are `bound`.
pub(super) fn judge(walk: &mut ModelWalk<'_>, schema: &OpSchema, bound: &[TypeBinding], at: &str) {
    let runtime = walk.runtime;
    let Some(kernels) = &runtime.kernels else { return };
    let Some(measured) = kernels.supports_of(runtime.version, &schema.name, schema.since) else {
        return walk.open(UnjudgedReason::Unmeasured, at);
    };
    match support(&measured, schema, bound) {
        TypeSupport::Taken => {
            // Constants become tensors of the model before nodes are placed.
            if *schema.name != *"Constant"
                && on_cuda(runtime, schema, bound) == Some(TypeSupport::Refused)
            {
                walk.findings.push(on_cpu(runtime, schema, bound).at(Places::from_iter([at])));
            }
        }
        TypeSupport::Unmeasured => walk.open(UnjudgedReason::Unmeasured, at),
        TypeSupport::UnknownTypes => walk.open(UnjudgedReason::Type, at),
        TypeSupport::Refused => {
            let types = in_words(schema, bound);
            let types = if types.is_empty() { "any types".to_owned() } else { types };
            let reader = runtime.name();
            let rule = rules::NoKernel {
                reader: &reader,
                op: &schema.name,
                since: &schema.since,
                types: &types,
            };
            let op = schema.name.rsplit(':').next().unwrap_or_default();
            let symptom = not_implemented(runtime, op, schema.since);
            walk.findings.push(rule.finding().at(Places::from_iter([at])).with_symptom(symptom));
        }
    }
}

/// A node that the CPU runs, because the CUDA provider has no kernel for it.
fn on_cpu(runtime: &OnnxRelease, schema: &OpSchema, bound: &[TypeBinding]) -> Finding {
    let types = in_words(schema, bound);
    let with = if types.is_empty() { String::new() } else { format!(" with {types}") };
    let op = format!("{} since {}{with}", schema.name, schema.since);
    let reader = format!("CUDA provider of {}", runtime.name());
    rules::OperatorOnCpu { reader: &reader, op: &op, source: &CUDA_PAGE }.finding()
}

/// The types of the variables of a node that are known, for people.
fn in_words(schema: &OpSchema, bound: &[TypeBinding]) -> String {
    let types = schema.variables.iter().zip(bound).filter_map(|((name, _), bound)| match bound {
        TypeBinding::Types(types) => {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            Some(format!("{name} = {}", types.join(" and ")))
        }
        _ => None,
    });
    types.collect::<Vec<_>>().join(", ")
}

/// Whether rows of a table take the types that variables are bound to.
fn support(measured: &[KernelSupport], schema: &OpSchema, bound: &[TypeBinding]) -> TypeSupport {
    let fit = measured.iter().map(|one| match one {
        KernelSupport::Types(types) => all(schema, bound, types),
        KernelSupport::Nothing | KernelSupport::Unknown | KernelSupport::Sometimes(_) => {
            Some(false)
        }
    });
    let fit: Vec<Option<bool>> = fit.collect();
    let perhaps = measured.iter().any(|one| match one {
        KernelSupport::Unknown => true,
        KernelSupport::Sometimes(types) => all(schema, bound, types) != Some(false),
        KernelSupport::Types(_) | KernelSupport::Nothing => false,
    });
    if fit.contains(&Some(true)) {
        TypeSupport::Taken
    } else if perhaps {
        TypeSupport::Unmeasured
    } else if fit.contains(&None) {
        TypeSupport::UnknownTypes
    } else {
        TypeSupport::Refused
    }
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
