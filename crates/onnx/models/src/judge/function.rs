//! Calls of functions of the model.

use std::borrow::Cow;
use std::collections::BTreeSet;

use unskew_core::{Finding, Places, Version};

use super::model_walk::place;
use crate::runtime::full_name;
use crate::{ModelReader, OnnxAttribute, OnnxFunction, OnnxModel, OnnxNode, OnnxRelease, rules};

/// What a release refuses of a call, whatever is in the function. `opsets`: those of the graph around it.
pub(super) fn call(
    runtime: &OnnxRelease,
    function: &OnnxFunction,
    node: &OnnxNode,
    opsets: &[(Box<str>, i64)],
) -> Vec<Finding> {
    let mut found = Vec::new();
    let here = || Places::from_iter([place(node)]);
    let op = full_name(&function.domain, &function.name);
    let reader = runtime.name();
    let imported = opsets.iter().find(|(domain, _)| *domain == function.domain);
    let Some((_, opset)) = imported else {
        found.push(
            rules::DomainNotImported { op: &op, domain: &function.domain }.finding().at(here()),
        );
        return found;
    };
    if runtime.reader != ModelReader::OnnxRuntime {
        return found;
    }
    let is_before = |minor: u32| runtime.version < Version::triple(1, minor.into(), 0);
    if is_before(9) {
        let symptom = format!("{} is not a registered function/op", function.name);
        let rule = rules::OnnxOperatorMissing { reader: &reader, op: &op, opset };
        found.push(rule.finding().at(here()).with_symptom(symptom));
        return found;
    }
    for (domain, version) in &function.opsets {
        let Some(max) = runtime.opset(domain).filter(|max| version > max && !is_before(12)) else {
            continue;
        };
        let shown = if domain.is_empty() { "ai.onnx" } else { domain };
        let rule = rules::OpsetTooNew { reader: &reader, domain: &shown, max: &max, version };
        found.push(rule.finding().at(Places::from_iter([format!("function {op}")])));
    }
    let few = is_before(15) && node.inputs.len() < function.inputs.len();
    // An input that is left out by an empty name has no type there; 1.15 ends the process.
    let named = node.inputs.iter().filter(|name| !name.is_empty()).count();
    let has_gap = is_before(16) && named < node.inputs.len();
    for (what, given, wanted, wrong) in [
        (
            "inputs",
            if has_gap { named } else { node.inputs.len() },
            function.inputs.len(),
            few || has_gap || node.inputs.len() > function.inputs.len(),
        ),
        (
            "outputs",
            node.outputs.len(),
            function.outputs.len(),
            node.outputs.len() > function.outputs.len(),
        ),
    ] {
        if wrong {
            let rule =
                rules::FunctionCallDiffers { op: &op, what: &what, given: &given, wanted: &wanted };
            found.push(rule.finding().at(here()));
        }
    }
    found
}

/// Functions that are defined twice, which ONNX Runtime refuses since 1.31; before, the last one counts.
pub(super) fn twice(model: &OnnxModel, runtime: &OnnxRelease) -> Vec<Finding> {
    if runtime.reader == ModelReader::OnnxRuntime && runtime.version < Version::triple(1, 31, 0) {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let twice =
        model.functions.iter().filter(|one| !seen.insert((&one.domain, &one.name, &one.overload)));
    let finding = |one: &OnnxFunction| {
        let value = full_name(&one.domain, &one.name);
        rules::DefinedTwice { value: &value }.finding().at(Places::from_iter(["functions"]))
    };
    twice.map(finding).collect()
}

/// Whether a call decides something in the function: attributes, or inputs that are left out.
pub(super) fn is_decided_by_calls(function: &OnnxFunction, node: &OnnxNode) -> bool {
    let of = |node: &OnnxNode| {
        node.attributes.iter().any(|(_, one)| matches!(one, OnnxAttribute::Of(_)))
    };
    function.body.nodes.iter().any(of)
        || node.inputs.len() < function.inputs.len()
        || node.inputs.iter().any(|name| name.is_empty())
}

/// A node of a function as one call makes it: attributes of the call in their places, and nothing in the place of inputs
/// that the call leaves out.
pub(super) fn called<'n>(
    inner: &'n OnnxNode,
    function: &OnnxFunction,
    call: &OnnxNode,
) -> Cow<'n, OnnxNode> {
    let left_out = |name: &str| {
        let at = function.inputs.iter().position(|one| **one == *name);
        at.is_some_and(|at| call.inputs.get(at).is_none_or(|given| given.is_empty()))
    };
    let of = inner.attributes.iter().any(|(_, one)| matches!(one, OnnxAttribute::Of(_)));
    if !of && !inner.inputs.iter().any(|name| left_out(name)) {
        return Cow::Borrowed(inner);
    }
    let mut node = inner.clone();
    let said = |name: &str| {
        let all = call.attributes.iter().chain(&function.defaults);
        all.clone().find(|(one, _)| **one == *name).map(|(_, value)| value.clone())
    };
    node.attributes = inner
        .attributes
        .iter()
        .filter_map(|(name, value)| match value {
            OnnxAttribute::Of(outer) => Some((name.clone(), said(outer)?)),
            other => Some((name.clone(), other.clone())),
        })
        .collect();
    for name in &mut node.inputs {
        if left_out(name) {
            *name = Box::default();
        }
    }
    Cow::Owned(node)
}
