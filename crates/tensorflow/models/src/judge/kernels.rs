//! Kernel check: whether a release has a kernel for what nodes ask.

use unskew_core::{Finding, Phase, Places, Severity, Unjudged, aspect};

use crate::kernels::{DeviceType, KernelAvailability, KernelChoice};
use crate::registry::OpLookup;
use crate::{AttrValue, GraphUse, KernelTable, NodeScope, OpDef, OpUse, TensorFlowRuntime, rules};

/// What ops begin with that are taken out of a graph for TPUs before kernels are looked for.
const OF_TPU: &str = "TPU";

/// Ops that a release puts others in the place of before it looks for kernels, and what decides then.
const REWRITTEN: [(&str, &str); 1] = [("AccumulateNV2", "AssignAdd")];

/// That nodes of this use, of whose op the release says `found`, have no kernel, if so.
pub(super) fn finding(
    one: &OpUse,
    found: &OpLookup,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
) -> Option<Finding> {
    let (table, device) = (table(runtime)?, runtime.usage.device);
    let op = found.op()?;
    if look(one, op, table, device) != KernelAvailability::No {
        return None;
    }
    let values = values(one, op, table);
    let (consumer, what, op_name) = (&runtime.version, &values, &&*one.op);
    let name = &device.in_words();
    let finding = rules::NoKernel { op: op_name, what, device: name, consumer }.finding();
    let releases = table.releases(&one.op, device, |name| value(one, op, name));
    let others = table.choices(&one.op, device, |name| value(one, op, name));
    let fix = match (&*releases, &*others) {
        ("no release", [])
            if device == DeviceType::Cpu && table.knows(&one.op, DeviceType::Gpu) =>
        {
            "Run it where there is a GPU: no release has it for CPUs.".to_owned()
        }
        ("no release", []) => {
            "Write the graph without the op: no release has a kernel of it.".to_owned()
        }
        ("no release", types) => {
            format!("Cast what the node reads; there are kernels for {}.", types.join(", "))
        }
        (releases, []) => format!("Use TensorFlow {releases}."),
        (releases, types) => format!(
            "Use TensorFlow {releases}, or cast what the node reads: this one has kernels for {}.",
            types.join(", ")
        ),
    };
    // Nothing calls the function when the model is used by its signatures.
    let severity = match one.scope {
        NodeScope::Uncalled if as_objects => Severity::Warning,
        _ => finding.severity,
    };
    let symptom = format!("No OpKernel was registered to support Op '{}'", one.op);
    let finding = finding.with_severity(severity).with_fix(fix).with_symptom(symptom);
    Some(finding.in_phase(Phase::FirstUse))
}

/// What is not judged of the kernels for `graph`.
pub(super) fn unjudged(
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
) -> Option<Unjudged> {
    let (release, device) = (runtime.version, runtime.usage.device.in_words());
    let ops = graph.ops();
    let Some(table) = table(runtime) else {
        let what = if ops == 1 { "the op".to_owned() } else { format!("each of {ops} ops") };
        let reason = format!(
            "whether TensorFlow {release} has a kernel for {what} on {device} is not judged"
        );
        return (ops > 0).then(|| Unjudged::new(aspect::KERNELS, reason));
    };
    let mut places = Places::default();
    for one in graph.uses.iter().filter(|one| runtime.looks_at(one.scope, as_objects)) {
        let found = runtime.ops.look_up(&one.op);
        let unknown = match found.op() {
            Some(op) => look(one, op, table, runtime.usage.device) == KernelAvailability::Unknown,
            None => found.maybe_unlisted,
        };
        if unknown {
            places.extend(&one.places);
        }
    }
    let reason = format!(
        "whether TensorFlow {release} has kernels on {device} for these nodes does not show: XLA compiles them, they \
         are for TPUs, or their op or their types are not known"
    );
    (!places.is_empty()).then(|| Unjudged::new(aspect::KERNELS, reason).at(places))
}

/// The kernels of a release, if those for its device are listed.
fn table(runtime: &TensorFlowRuntime) -> Option<&KernelTable> {
    runtime.kernels.as_ref().filter(|table| table.lists(runtime.usage.device))
}

fn look(one: &OpUse, op: &OpDef, table: &KernelTable, device: DeviceType) -> KernelAvailability {
    match one.kernels {
        KernelChoice::Labelled | KernelChoice::Compiled => KernelAvailability::Unknown,
        KernelChoice::OnGpuOnly if device == DeviceType::Cpu => KernelAvailability::Yes,
        KernelChoice::OnGpuOnly | KernelChoice::OfDevice => {
            let rewritten = REWRITTEN.iter().find(|(from, _)| **from == *one.op);
            let asked = rewritten.map_or(&*one.op, |(_, to)| to);
            match table.serves(asked, device, |name| value(one, op, name)) {
                KernelAvailability::No if asked.starts_with(OF_TPU) => KernelAvailability::Unknown,
                served => served,
            }
        }
    }
}

/// The value of an attribute, or its default.
fn value<'a>(one: &'a OpUse, op: &'a OpDef, name: &str) -> Option<&'a AttrValue> {
    one.attr(name).or_else(|| op.attr(name).and_then(|attr| attr.default.as_ref()))
}

/// The values by which kernels of the op are told from one another: ` of T = bfloat16`.
fn values(one: &OpUse, op: &OpDef, table: &KernelTable) -> String {
    let shown = |name: &String| Some(format!("{name} = {}", value(one, op, name)?));
    let all: Vec<String> = table.attributes(&one.op).iter().filter_map(shown).collect();
    if all.is_empty() { String::new() } else { format!(" with {}", all.join(", ")) }
}
