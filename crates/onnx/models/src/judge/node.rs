//! Check of one node: its operator, attributes, inputs and types.

use unskew_core::{Finding, Phase, Places, Version};

use super::kernel;
use super::model_walk::{ModelWalk, UnjudgedReason, place};
use crate::infer::{self, TypeBinding};
use crate::limits::{self, LimitEffect};
use crate::read::TWICE;
use crate::runtime::full_name;
use crate::schema::{Arity, ParameterKind};
use crate::{ModelReader, OnnxAttribute, OnnxNode, OpSchema, OperatorLookup, ValueType, rules};

/// The domain of operators that ONNX Runtime writes when it optimizes a model for the processor on which it runs.
pub(crate) const ONE_PROCESSOR: &str = "com.microsoft.nchwc";

/// Judges `node` and gives the types of its outputs. `inner`: what graphs in its attributes say of these.
pub(super) fn judge(
    walk: &mut ModelWalk<'_>,
    node: &OnnxNode,
    opsets: &[(Box<str>, i64)],
    inputs: &[Option<ValueType>],
    inner: Option<&[Option<ValueType>]>,
) -> Vec<Option<ValueType>> {
    let runtime = walk.runtime;
    let reader = runtime.name();
    let at = place(node);
    let op = full_name(&node.domain, &node.op);
    let here = || Places::from_iter([&at]);
    if let Some(since) = node.since {
        return packed(walk, node, since, inputs, inner);
    }
    let opset =
        opsets.iter().find(|(domain, _)| *domain == node.domain).map(|(_, version)| *version);
    let Some(opset) = opset.or_else(|| before_opsets(walk, node)) else {
        // ONNX Runtime takes some opset of its own domain where a model has only others.
        if runtime.reader == ModelReader::OnnxRuntime && node.domain.is_empty() {
            walk.open(UnjudgedReason::Schema, &at);
            return Vec::new();
        }
        let rule = rules::DomainNotImported { op: &op, domain: &shown(&node.domain) };
        walk.findings.push(rule.finding().at(here()));
        return Vec::new();
    };
    let found = walk.look_up(&op, node, opset);
    let (schema, exact) = match &*found {
        OperatorLookup::Found { schema, exact } => (schema, *exact),
        OperatorLookup::Deprecated { since } => {
            let rule = rules::OperatorGone { reader: &reader, op: &op, since, opset: &opset };
            let symptom =
                format!("Op registered for {} is deprecated in domain_version of {opset}", node.op);
            walk.findings.push(rule.finding().at(here()).with_symptom(symptom));
            return Vec::new();
        }
        OperatorLookup::Missing { since, first } => {
            let symptom = format!("{} is not a registered function/op", node.op);
            walk.findings.push(
                missing(&reader, &op, opset, *since, *first).at(here()).with_symptom(symptom),
            );
            return Vec::new();
        }
        OperatorLookup::Never if runtime.has_domain(&node.domain) => {
            let rule = rules::OperatorNever { op: &op };
            let symptom = format!("{} is not a registered function/op", node.op);
            walk.findings.push(rule.finding().at(here()).with_symptom(symptom));
            return Vec::new();
        }
        OperatorLookup::Never if *node.domain == *ONE_PROCESSOR => {
            let rule = rules::OptimizedForOneProcessor { op: &op };
            walk.findings.push(rule.finding().at(here()));
            walk.open(UnjudgedReason::Processor, &at);
            return Vec::new();
        }
        OperatorLookup::Never => {
            walk.open(UnjudgedReason::Custom, &at);
            return Vec::new();
        }
    };
    if let Some(what) = node.broken.as_ref().filter(|what| refuses(walk, what)) {
        let rule = rules::AttributeBroken { op: &op, what };
        walk.findings.push(rule.finding().at(here()));
    }
    if runtime.reader == ModelReader::OnnxRuntime && node.domain.is_empty() {
        walk.findings.extend(inner_graphs(node).into_iter().map(|finding| finding.at(here())));
    }
    let odd = shape_of_node(schema, node, &reader).map(|finding| finding.at(here()));
    // Constants become tensors of the model before anybody looks at their attributes.
    if *schema.name == *"Constant" && node.attributes.is_empty() {
        let rule =
            rules::OnnxAttributeMissing { op: &op, since: &schema.since, attribute: &"value" };
        walk.findings.push(rule.finding().at(here()));
    }
    if exact && *schema.name != *"Constant" {
        walk.findings.extend(odd);
    } else if !exact || odd.count() > 0 {
        walk.open(UnjudgedReason::Schema, &at);
    }
    let mut bound = infer::bind(schema, node, inputs);
    infer::bind_outputs(schema, node, inputs, inner, &mut bound);
    if runtime.reader == ModelReader::OnnxRuntime {
        let refused = types(schema, node, inputs, &reader);
        match refused {
            Some(finding) => walk.findings.push(finding.at(here())),
            None => kernels(walk, (schema, opset), node, &bound, &at),
        }
    }
    infer::outputs(schema, node, inputs, &bound)
}

/// Whether the release has a kernel for a node, and what that refuses or gives other values for.
fn kernels(
    walk: &mut ModelWalk<'_>,
    (schema, opset): (&OpSchema, i64),
    node: &OnnxNode,
    bound: &[TypeBinding],
    at: &str,
) {
    let version = walk.runtime.version;
    let limit = limits::at(version, (schema, opset), node, bound, &walk.around);
    if kernel::is_on_cuda(walk, schema, bound, at) {
        // Limits and values were measured with kernels of the CPU.
        let silent = limits::other_values(version, (schema, opset), node, bound, &walk.around);
        if limit.is_some_and(|limit| limit.when != LimitEffect::Runs) || !silent.is_empty() {
            walk.open(UnjudgedReason::Cuda, at);
        }
        return;
    }
    match limit {
        Some(limit) if limit.when == LimitEffect::Kernel => {
            walk.open(UnjudgedReason::Unmeasured, at)
        }
        Some(limit) if limit.when == LimitEffect::Runs => {}
        _ => kernel::judge(walk, schema, bound, at),
    }
    if let Some(limit) = limit {
        refuse(walk, limit, schema, at);
    }
    other_values(walk, (schema, opset), node, bound, at);
}

/// A node of a file of the format `.ort`: whether there is a kernel of the very form that it names.
fn packed(
    walk: &mut ModelWalk<'_>,
    node: &OnnxNode,
    since: i64,
    inputs: &[Option<ValueType>],
    inner: Option<&[Option<ValueType>]>,
) -> Vec<Option<ValueType>> {
    let runtime = walk.runtime;
    let at = place(node);
    let op = full_name(&node.domain, &node.op);
    let found = walk.look_up(&op, node, since);
    let schema = match &*found {
        OperatorLookup::Found { schema, .. } if schema.since == since => schema,
        OperatorLookup::Never if !runtime.has_domain(&node.domain) => {
            walk.open(UnjudgedReason::Custom, &at);
            return Vec::new();
        }
        _ => {
            let symptom = kernel::not_implemented(runtime, &node.op, since);
            let reader = runtime.name();
            let types = "any types";
            let rule = rules::NoKernel { reader: &reader, op: &op, since: &since, types: &types };
            let finding = rule.finding().at(Places::from_iter([&at])).with_symptom(symptom);
            walk.findings.push(finding);
            return Vec::new();
        }
    };
    let mut bound = infer::bind(schema, node, inputs);
    infer::bind_outputs(schema, node, inputs, inner, &mut bound);
    if !kernel::is_on_cuda(walk, schema, &bound, &at) {
        kernel::judge(walk, schema, &bound, &at);
    }
    infer::outputs(schema, node, inputs, &bound)
}

/// What no kernel takes, and no schema tells.
fn refuse(walk: &mut ModelWalk<'_>, limit: &limits::ReleaseLimit, schema: &OpSchema, at: &str) {
    let reader = walk.runtime.name();
    match limit.when {
        LimitEffect::Machine => return walk.open(UnjudgedReason::Machine, at),
        LimitEffect::Shapes => return walk.open(UnjudgedReason::Shapes, at),
        LimitEffect::Fused => return walk.open(UnjudgedReason::Fused, at),
        LimitEffect::Kernel | LimitEffect::Values | LimitEffect::Runs => return,
        LimitEffect::Load | LimitEffect::Run => {}
    }
    let what = limit.in_words();
    let rule = rules::ValueRefused {
        reader: &reader,
        op: &schema.name,
        since: &schema.since,
        what: &what,
    };
    let finding = rule.finding().at(Places::from_iter([at])).with_symptom(limit.error);
    walk.findings.push(if limit.when == LimitEffect::Run {
        finding.in_phase(Phase::FirstUse)
    } else {
        finding
    });
}

/// Says where the release runs a node and gives other values than onnx defines, or than other releases give.
fn other_values(
    walk: &mut ModelWalk<'_>,
    (schema, opset): (&OpSchema, i64),
    node: &OnnxNode,
    bound: &[TypeBinding],
    at: &str,
) {
    let reader = walk.runtime.name();
    for row in
        limits::other_values(walk.runtime.version, (schema, opset), node, bound, &walk.around)
    {
        let (what, releases) = (row.in_words(), row.releases_in_words());
        let rule = rules::OtherValues {
            reader: &reader,
            op: &schema.name,
            since: &schema.since,
            what: &what,
            values: &row.error,
            releases: &releases,
        };
        walk.findings.push(rule.finding().at(Places::from_iter([at])));
    }
}

/// Whether the release looks at this fault of an attribute: before 1.17 ONNX Runtime took the last of two of one name.
fn refuses(walk: &ModelWalk<'_>, what: &str) -> bool {
    let runtime = walk.runtime;
    let takes_last = runtime.version < Version::triple(1, 17, 0);
    !(runtime.reader == ModelReader::OnnxRuntime && takes_last && what.ends_with(TWICE))
}

/// What is wrong with the numbers of inputs and outputs of the graphs in a node.
fn inner_graphs(node: &OnnxNode) -> Vec<Finding> {
    let (inputs, outputs) = match &*node.op {
        "If" => (0, node.outputs.len()),
        "Loop" => (node.inputs.len().max(2), node.outputs.len() + 1),
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for (attribute, value) in &node.attributes {
        let OnnxAttribute::Graph(graph) = value else { continue };
        let stored = |one: &&crate::ValueInfo| {
            graph.initializers.iter().any(|tensor| tensor.name == one.name)
        };
        let least = graph.inputs.iter().filter(|one| !stored(one)).count();
        let takes = graph.inputs.len();
        let makes = graph.outputs.len();
        for (what, given, wanted, wrong) in [
            ("inputs", takes, inputs, takes != inputs && least != inputs),
            ("outputs", makes, outputs, makes != outputs),
        ] {
            if wrong {
                let rule = rules::GraphInsideDiffers {
                    op: &node.op,
                    attribute,
                    what: &what,
                    given: &given,
                    wanted: &wanted,
                };
                found.push(rule.finding());
            }
        }
    }
    found
}

fn before_opsets(walk: &ModelWalk<'_>, node: &OnnxNode) -> Option<i64> {
    (walk.model.opsets.is_empty() && node.domain.is_empty()).then_some(1)
}

pub(super) fn shown(domain: &str) -> &str {
    if domain.is_empty() { "ai.onnx" } else { domain }
}

/// An operator that this release has not under this opset.
fn missing(reader: &str, op: &str, opset: i64, since: Option<i64>, first: Option<i64>) -> Finding {
    match (since, first) {
        (Some(since), _) if since > opset => {
            rules::OperatorBeforeItsTime { reader: &reader, op: &op, since: &since, opset: &opset }
                .finding()
        }
        (_, Some(first)) if first > opset => {
            rules::OperatorBeforeItsTime { reader: &reader, op: &op, since: &first, opset: &opset }
                .finding()
        }
        _ => rules::OnnxOperatorMissing { reader: &reader, op: &op, opset: &opset }.finding(),
    }
}

/// What is wrong with the attributes and the numbers of inputs and outputs.
fn shape_of_node<'a>(
    schema: &'a OpSchema,
    node: &'a OnnxNode,
    reader: &'a str,
) -> impl Iterator<Item = Finding> + 'a {
    let name = &schema.name;
    let since = &schema.since;
    let unknown = node
        .attributes
        .iter()
        .filter(|(one, _)| schema.attribute(one).is_none())
        .filter(|(one, _)| !is_remark(one));
    let unknown = unknown.map(move |(attribute, _)| {
        let symptom = format!("Unrecognized attribute: {attribute} for operator {}", node.op);
        rules::OnnxAttributeUnknown { reader: &reader, op: name, since, attribute }
            .finding()
            .with_symptom(symptom)
    });
    let lacks = schema.attributes.iter().filter(|one| one.required);
    let lacks = lacks.filter(|one| infer::attribute(node, &one.name).is_none()).map(move |one| {
        let symptom = format!("Required attribute '{}' is missing.", one.name);
        rules::OnnxAttributeMissing { op: name, since, attribute: &one.name }
            .finding()
            .with_symptom(symptom)
    });
    let other = node.attributes.iter().filter_map(move |(attribute, value)| {
        let schema = schema.attribute(attribute)?;
        // Bindings of some releases have no word for a kind.
        let found = kind_of(value).filter(|_| !schema.kind.starts_with('?'))?;
        (*schema.kind != *found).then(|| {
            let symptom = "Mismatched attribute type".to_owned();
            rules::OnnxAttributeOfAnotherKind {
                op: name,
                since,
                attribute,
                found: &found,
                wanted: &schema.kind,
            }
            .finding()
            .with_symptom(symptom)
        })
    });
    let count = |found: usize, (least, most): (usize, Option<usize>), what: &'static str| {
        let wrong = found < least || most.is_some_and(|most| found > most);
        let wanted = match most {
            Some(most) if most == least => most.to_string(),
            Some(most) => format!("{least} to {most}"),
            None => format!("at least {least}"),
        };
        wrong.then(|| {
            rules::ParameterCount { op: name, since, found: &found, wanted: &wanted, what: &what }
                .finding()
        })
    };
    let inputs = count(node.inputs.len(), schema.counts(), "inputs");
    let outputs = count(node.outputs.len(), schema.output_counts(), "outputs");
    let left_out = node.inputs.iter().enumerate().filter(|(_, name)| name.is_empty());
    let needed = |one: &&crate::FormalParameter| one.arity != Arity::Optional;
    let left_out = left_out.filter_map(move |(at, _)| schema.input(at).filter(needed));
    let left_out = left_out.map(move |one| {
        let symptom = format!(
            "Node's input {} is marked single but has an empty string in the graph",
            one.name
        );
        rules::InputLeftOut { op: name, since, input: &one.name }.finding().with_symptom(symptom)
    });
    let nothing = node.outputs.iter().enumerate().filter(|(_, name)| name.is_empty());
    let single = |one: &&crate::FormalParameter| one.arity == Arity::One;
    let nothing = nothing.filter_map(move |(at, _)| schema.output(at).filter(single));
    let nothing = nothing.map(move |one| {
        let symptom = format!(
            "Node's output {} is marked single but has an empty string in the graph",
            one.name
        );
        rules::OutputLeftOut { op: name, since, output: &one.name }.finding().with_symptom(symptom)
    });
    let checks = unknown.chain(lacks).chain(other).chain(inputs).chain(outputs);
    checks.chain(left_out).chain(nothing)
}

/// Attributes that begin so are not looked at by anybody.
fn is_remark(name: &str) -> bool {
    name.starts_with("__")
}

/// The kind of an attribute as schemas write it; none if nothing is known.
fn kind_of(value: &OnnxAttribute) -> Option<&'static str> {
    Some(match value {
        OnnxAttribute::Int(_) => "int",
        OnnxAttribute::Float(_) => "float",
        OnnxAttribute::Ints(_) => "ints",
        OnnxAttribute::Floats(_) => "floats",
        OnnxAttribute::Text(_) => "string",
        OnnxAttribute::Tensor(_) => "tensor",
        OnnxAttribute::Graph(_) => "graph",
        OnnxAttribute::Graphs(_) => "graphs",
        OnnxAttribute::Of(_) => return None,
        OnnxAttribute::Other(number) => match number {
            3 => "string",
            8 => "strings",
            9 => "tensors",
            11 => "sparse_tensor",
            12 => "sparse_tensors",
            13 => "type_proto",
            14 => "type_protos",
            _ => return None,
        },
    })
}

/// What is wrong with the types of the inputs: one that is not allowed, or two that must be the same and are not.
fn types(
    schema: &OpSchema,
    node: &OnnxNode,
    inputs: &[Option<ValueType>],
    reader: &str,
) -> Option<Finding> {
    let mut seen: Vec<Option<&ValueType>> = vec![None; schema.variables.len()];
    for (at, kind) in inputs.iter().enumerate() {
        let (Some(parameter), Some(kind)) = (schema.input(at), kind) else { continue };
        let wrong = match &parameter.kind {
            ParameterKind::Fixed(wanted) => wanted != kind,
            ParameterKind::Variable(variable) => {
                schema.variables.get(*variable).is_some_and(|(_, allowed)| !allowed.contains(kind))
            }
            ParameterKind::Unknown => false,
        };
        let (op, since, input) = (&schema.name, &schema.since, &parameter.name);
        if wrong {
            let symptom = format!(
                "Type Error: Type '{}' of input parameter ({}) of operator ({}) in node ({}) is invalid.",
                in_words(kind),
                node.inputs.get(at).map(|name| &**name).unwrap_or_default(),
                node.op,
                node.name
            );
            let rule = rules::InputType { reader: &reader, op, since, input, kind };
            return Some(rule.finding().with_symptom(symptom));
        }
        let ParameterKind::Variable(variable) = parameter.kind else { continue };
        if matches!(parameter.arity, Arity::Many { same: false, .. }) {
            continue;
        }
        let Some(slot) = seen.get_mut(variable) else { continue };
        match slot {
            Some(before) if *before != kind => {
                let (name, _) = schema.variables.get(variable)?;
                let symptom = format!(
                    "Type Error: Type parameter ({name}) of Optype ({}) bound to different types ({} and {} in node ({}).",
                    node.op,
                    in_words(before),
                    in_words(kind),
                    node.name
                );
                let rule = rules::InputTypesDiffer { op, since, one: before, other: &kind };
                return Some(rule.finding().with_symptom(symptom));
            }
            _ => *slot = Some(kind),
        }
    }
    None
}

/// A type as ONNX Runtime writes it.
fn in_words(kind: &ValueType) -> String {
    match kind {
        ValueType::Tensor(element) => format!("tensor({element})"),
        ValueType::Sequence(of) => format!("seq({})", in_words(of)),
        ValueType::Optional(of) => format!("optional({})", in_words(of)),
        other => other.to_string(),
    }
}

/// Whether a type fits what a variable stands for.
pub(super) fn fits(bound: &TypeBinding, allowed: &[ValueType]) -> Option<bool> {
    match bound {
        TypeBinding::Free => Some(true),
        TypeBinding::Unknown => None,
        TypeBinding::Types(types) => Some(types.iter().all(|kind| allowed.contains(kind))),
    }
}
