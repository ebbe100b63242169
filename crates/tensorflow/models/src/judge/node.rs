//! Nodes that ask the same, against the op that a release has.

use unskew_core::{Finding, Phase, Severity};

use super::report::Report;
use super::{for_sessions_only, kernels, loaders};
use crate::convert::{AdaptedUse, Adapter, is_idle};
use crate::op_def::{ArgKind, AttrDef, Deprecation, ElementType};
use crate::registry::OpLookup;
use crate::{
    AttrScalarType, AttrValue, GraphUse, NodeScope, OpDef, OpUse, TensorFlowRuntime, rules,
};

/// When the faults of nodes show themselves.
#[derive(Clone, Copy)]
struct Phases {
    /// That the op is not there.
    missing: Phase,
    /// What the nodes are wired by: the number of inputs, and the attributes that stand for types and
    /// numbers of arguments.
    wiring: Phase,
    values: Phase,
    /// What the core checks when it makes a kernel: unknown attributes, deprecations.
    refused: Phase,
}

impl Phases {
    /// None: nothing looks at such nodes.
    fn new(scope: NodeScope, as_objects: bool, runtime: &TensorFlowRuntime) -> Option<Self> {
        use Phase::{FirstUse, Load};
        if !runtime.looks_at(scope, as_objects) {
            return None;
        }
        let python = runtime.imports_in_python();
        let phases = |missing, wiring, values, refused| Self { missing, wiring, values, refused };
        Some(match scope {
            // All functions are built when the model is loaded; of the graph itself the loader of sessions
            // would say so.
            _ if as_objects => phases(Load, Load, Load, Load),
            NodeScope::Graph if python => phases(Load, Load, Load, FirstUse),
            NodeScope::Graph => phases(Load, Load, Load, Load),
            // Python looks at functions when they run. The core wires the bodies of called functions when
            // their callers are imported, and makes their kernels when they run.
            NodeScope::Called if python => phases(FirstUse, FirstUse, FirstUse, FirstUse),
            NodeScope::Called | NodeScope::Uncalled => phases(Load, Load, FirstUse, FirstUse),
        })
    }

    /// When a fault of this attribute shows.
    fn of_attr(self, op: &OpDef, attr: &str) -> Phase {
        let uses = |kind: &ArgKind| match kind {
            ArgKind::One(ElementType::Attr(name)) | ArgKind::Each(name) => name == attr,
            ArgKind::Many(number, ElementType::Attr(name)) => number == attr || name == attr,
            ArgKind::Many(number, _) => number == attr,
            ArgKind::One(_) => false,
        };
        let wires = op.inputs.iter().chain(&op.outputs).any(|arg| uses(&arg.kind));
        if wires { self.wiring } else { self.values }
    }
}

/// What is to be said about the nodes of one use, of whose op the release says `known`. A finding that an adaptation
/// removes names it.
pub(super) fn judge(
    one: &OpUse,
    known: &OpLookup,
    graph: &GraphUse,
    as_objects: bool,
    runtime: &TensorFlowRuntime,
    report: &mut Report,
) {
    let Some(phases) = Phases::new(one.scope, as_objects, runtime) else { return };
    let mut found = Vec::new();
    let own = (as_objects && one.scope != NodeScope::Graph).then_some(runtime);
    look((one, known), graph, phases, own, runtime, &mut |finding| found.push(finding));
    let refused = |finding: &Finding| finding.severity == Severity::Error;
    let mut adapted = None;
    if found.iter().any(refused) {
        let producer = graph.effective_versions().producer;
        let adapter = Adapter { runtime, own: &graph.own_ops, producer, lossy: false };
        let adapted = adapted.insert(adapter.adapt(one));
        let mut left = Vec::new();
        let now = (&adapted.now, &runtime.ops.look_up(&adapted.now.op));
        look(now, graph, phases, own, runtime, &mut |finding| left.push(finding));
        left.retain(refused);
        let left: Vec<String> = left.into_iter().map(|finding| finding.message).collect();
        let before = |message: &String| found.iter().any(|finding| finding.message == *message);
        let exact = left.iter().all(before);
        let by_attr = |finding: &Finding| {
            let attrs = adapted.steps.iter().filter(|step| step.attr().is_some());
            let named = |attr: &str| finding.message.contains(&format!("`{attr}`"));
            attrs.clone().find(|step| step.attr().is_some_and(named)).map(|step| step.adaptation())
        };
        let any = adapted.steps.first().map(|step| step.adaptation());
        for finding in found.iter_mut().filter(|finding| refused(finding)) {
            if exact && !left.contains(&finding.message) {
                finding.adaptation = by_attr(finding).or(any).map(str::to_owned);
            } else if let Some(condition) = adapter.condition(one) {
                finding.fix = Some(condition);
            }
        }
    }
    if !found.iter().any(|finding| refused(finding) && finding.adaptation.is_none()) {
        found.extend(match &adapted {
            None => kernels::finding(one, known, as_objects, runtime),
            Some(AdaptedUse { now, .. }) => {
                kernels::finding(now, &runtime.ops.look_up(&now.op), as_objects, runtime)
            }
        });
    }
    found.extend(loaders::python_function(one, as_objects, runtime));
    let session_only = as_objects && one.scope == NodeScope::Graph;
    for finding in found {
        let finding = if session_only { for_sessions_only(finding) } else { finding };
        report.add(finding.at(one.places.clone()));
    }
}

/// What is to be said about nodes that ask this.
fn look(
    (one, found): (&OpUse, &OpLookup),
    graph: &GraphUse,
    phases: Phases,
    builder: Option<&TensorFlowRuntime>,
    runtime: &TensorFlowRuntime,
    say: &mut dyn FnMut(Finding),
) {
    let Some(op) = found.op() else {
        say(missing(one, found, phases, runtime));
        return;
    };
    if let Some(deprecation) = &op.deprecation {
        say(deprecated(op, deprecation, graph, builder, phases));
    }
    let mut complete = true;
    for (name, value) in one.attrs.iter() {
        match op.attr(name) {
            Some(attr) => {
                let fault = attribute(op, attr, value, runtime);
                complete &= fault.is_none();
                let kind = fault.as_ref().is_some_and(|f| f.rule.code == rules::TF206.code);
                let phase = if kind { phases.of_attr(op, name) } else { phases.values };
                let python = runtime.imports_in_python() && one.scope == NodeScope::Graph;
                let typed = kind && attr.kind.single == AttrScalarType::Type && !attr.kind.list;
                if let Some(fault) = fault {
                    let fault = match python && typed {
                        true => fault.with_symptom("to a dtype"),
                        false => fault,
                    };
                    say(fault.in_phase(phase));
                }
            }
            None if drops(one, name, value, graph, runtime) => {
                let (op, consumer) = (&op.name, &runtime.version);
                say(rules::AttributeIgnoredAtDefault { op, attr: name, value, consumer }.finding());
            }
            None => say(unknown(op, name, value, found, phases, runtime)),
        }
    }
    let lacking = |attr: &&AttrDef| attr.default.is_none() && one.attr(&attr.name).is_none();
    for attr in op.attrs.iter().filter(lacking) {
        complete = false;
        let rule =
            rules::AttributeMissing { op: &op.name, attr: &attr.name, consumer: &runtime.version };
        // The core wires bodies of functions before it looks at their attributes.
        let wired = phases.of_attr(op, &attr.name) != phases.values;
        let python = runtime.imports_in_python() && one.scope == NodeScope::Graph;
        let symptom = match wired {
            _ if python => format!("Expected one attr with name '{}' in name:", attr.name),
            true => format!("type attr not found: {}", attr.name),
            false => format!("NodeDef missing attr '{}' from Op<name={}", attr.name, op.name),
        };
        let phase = phases.of_attr(op, &attr.name);
        say(rule.finding().with_symptom(symptom).in_phase(phase));
    }
    // How many inputs there should be is only known if the attributes that count them are right.
    if complete && let Some(fault) = inputs(one, op, runtime) {
        say(fault.in_phase(phases.wiring));
    }
}

/// Whether an importer in Python drops an attribute that the release does not know: one of the graph itself that has its
/// default, by the definitions in the file.
fn drops(
    one: &OpUse,
    attr: &str,
    value: &AttrValue,
    graph: &GraphUse,
    runtime: &TensorFlowRuntime,
) -> bool {
    if one.scope != NodeScope::Graph || !runtime.drops_defaults() {
        return false;
    }
    let own = graph.own_ops.iter().find(|op| *op.name == *one.op);
    let default = own.and_then(|op| op.attr(attr)).and_then(|attr| attr.default.as_ref());
    default == Some(value)
}

fn missing(one: &OpUse, found: &OpLookup, phases: Phases, runtime: &TensorFlowRuntime) -> Finding {
    let (op, consumer) = (&one.op, &runtime.version);
    if found.maybe_unlisted {
        return rules::OpNotListed { op, consumer }.finding();
    }
    let in_function = one.scope != NodeScope::Graph;
    let symptom = match runtime.imports_in_python() {
        // Its importer looked the name up in a dictionary.
        true if !runtime.names_missing_ops() => format!("'{op}'"),
        true if !in_function => format!("No op named {op} in defined operations."),
        _ => format!("Op type not registered '{op}'"),
    };
    let releases = runtime.ops.history().releases();
    let finding = match (found.all().is_empty(), releases.first(), releases.last()) {
        (true, Some(first), Some(last)) => rules::OpInNoRelease { op, first, last }.finding(),
        _ => rules::OpMissing { op, consumer, releases: &found.releases() }.finding(),
    };
    finding.with_symptom(symptom).in_phase(phases.missing)
}

/// Refused from a producer on; below it only a message is logged. `builder`: a release that builds the
/// functions of a SavedModel with its own number, whatever the file says.
fn deprecated(
    op: &OpDef,
    deprecation: &Deprecation,
    graph: &GraphUse,
    builder: Option<&TensorFlowRuntime>,
    phases: Phases,
) -> Finding {
    let own = graph.effective_versions().producer;
    let producer = &builder.map_or(own, |runtime| runtime.graph_def.version);
    let Deprecation { version, explanation } = deprecation;
    let op = &op.name;
    if producer >= version {
        let symptom = format!(
            "Op {op} is not available in GraphDef version {producer}. It has been removed in \
             version {version}. {explanation}."
        );
        let whose = match builder {
            Some(_) => "tf.saved_model.load builds functions as producer",
            None => "the graph has producer",
        };
        let whose = &whose;
        let rule = rules::OpDeprecated { op, version, whose, producer, explanation };
        return rule.finding().with_symptom(symptom).in_phase(phases.refused);
    }
    let finding = rules::OpOnItsWayOut { op, version, producer, explanation }.finding();
    // Without versions the graph will pass for ever.
    if graph.versions.is_none() { finding.with_severity(Severity::Note) } else { finding }
}

/// An attribute that the op does not have.
fn unknown(
    op: &OpDef,
    attr: &str,
    value: &AttrValue,
    found: &OpLookup,
    phases: Phases,
    runtime: &TensorFlowRuntime,
) -> Finding {
    let (name, consumer) = (&op.name, &runtime.version);
    // The first definition that has the attribute keeps the behaviour of those that have it not, if
    // the value is its default.
    let has = |one: &&crate::OpDefinition| one.get().is_some_and(|op| op.attr(attr).is_some());
    let mut with_attr = found.all().iter().filter(has);
    let first = with_attr.next();
    let known = first.and_then(|one| one.get()?.attr(attr)).map(|known| &known.default);
    if !runtime.ignores_unknown_attributes() {
        let symptom = format!("NodeDef mentions attr '{attr}' not in Op<name={name};");
        let finding = Finding::naming(value, |value| {
            rules::AttributeUnknown { op: name, attr: &attr, value, consumer }.finding()
        });
        let finding = finding.with_symptom(symptom).in_phase(phases.refused);
        let since = first.and_then(|one| one.runs.iter().next()).map(|run| run.since);
        return match (known, since) {
            (Some(Some(default)), _) if default == value => finding.with_fix(format!(
                "Drop attribute `{attr}` of the nodes: its value is the default, so nothing changes."
            )),
            (Some(_), Some(since)) => finding.with_fix(format!(
                "Use TensorFlow {since} or later, which knows `{attr}`; its value is not the default, \
                 so dropping it would change the result."
            )),
            _ => finding,
        };
    }
    match known {
        _ if is_idle(name, attr) => {
            rules::AttributeIgnoredWithoutEffect { op: name, attr: &attr, consumer }.finding()
        }
        None => Finding::naming(value, |value| {
            rules::AttributeInNoRelease { op: name, attr: &attr, value, consumer }.finding()
        }),
        Some(Some(default)) if default == value => {
            rules::AttributeIgnoredAtDefault { op: name, attr: &attr, value, consumer }.finding()
        }
        Some(default) => {
            let default = default.as_ref().map_or("none".to_owned(), AttrValue::to_string);
            let since = found.all().iter().find(has).and_then(|d| d.runs.iter().next());
            let releases = since.map_or("none".to_owned(), |run| format!("{} or later", run.since));
            let (default, releases) = (&default, &releases);
            Finding::naming(value, |value| {
                rules::AttributeIgnored {
                    op: name,
                    attr: &attr,
                    value,
                    consumer,
                    default,
                    releases,
                }
                .finding()
            })
        }
    }
}

/// The first fault of a value, if it has one.
fn attribute(
    op: &OpDef,
    attr: &AttrDef,
    value: &AttrValue,
    runtime: &TensorFlowRuntime,
) -> Option<Finding> {
    let (op, consumer) = (&op.name, &runtime.version);
    if !value.is_a(attr.kind) {
        let found = value.kind().map_or("no value".to_owned(), |kind| kind.to_string());
        let (attr, wanted) = (&attr.name, &attr.kind);
        let rule = rules::AttributeOfAnotherKind { op, attr, wanted, consumer, found: &found };
        let symptom = format!("AttrValue had value with type '{found}' when '{wanted}' expected");
        return Some(rule.finding().with_symptom(symptom));
    }
    let values = match value {
        AttrValue::List(values) => values.as_slice(),
        // Stands for whatever the caller of the function says.
        AttrValue::Placeholder(_) => return None,
        single => std::slice::from_ref(single),
    };
    let refused = |value: &&AttrValue| {
        attr.allowed.as_ref().is_some_and(|allowed| {
            !matches!(value, AttrValue::Large(..)) && !allowed.contains(value)
        })
    };
    if let Some(value) = values.iter().find(refused) {
        let symptom = format!(
            "Value for attr '{}' of {value} is not in the list of allowed values",
            attr.name
        );
        let attr = &attr.name;
        let finding = Finding::naming(value, |value| {
            rules::AttributeValueRefused { op, attr, value, consumer }.finding()
        });
        return Some(finding.with_symptom(symptom));
    }
    let size = value.int().or_else(|| value.len().and_then(|len| i64::try_from(len).ok()));
    let minimum = attr.minimum.filter(|minimum| size.is_some_and(|size| size < *minimum))?;
    let attr = &attr.name;
    let minimum = &minimum;
    Some(Finding::naming(value, |value| {
        rules::AttributeBelowMinimum { op, attr, minimum, value, consumer }.finding()
    }))
}

fn inputs(one: &OpUse, op: &OpDef, runtime: &TensorFlowRuntime) -> Option<Finding> {
    let value = |name: &str| {
        one.attr(name).or_else(|| op.attr(name).and_then(|attr| attr.default.as_ref()))
    };
    let wanted = op.input_count(value)?;
    let found = &one.inputs;
    (wanted != *found).then(|| {
        let rule =
            rules::InputCount { op: &op.name, consumer: &runtime.version, wanted: &wanted, found };
        let symptom = match runtime.imports_in_python() && one.scope == NodeScope::Graph {
            true if *found > wanted => "More inputs specified".to_owned(),
            true => "is invalid at node".to_owned(),
            false => format!("do not match {found} inputs specified"),
        };
        rule.finding().with_symptom(symptom)
    })
}
