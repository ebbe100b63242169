//! Outputs against the inputs that they are joined to, as a release defines the ops.

use unskew_core::{Finding, Phase};

use super::for_sessions_only;
use super::report::Report;
use crate::convert::{AdaptedUse, Adapter};
use crate::edge::{self, EdgeGroup, EdgeSource, EdgeTarget, Edges, EndType, OutputName};
use crate::registry::OpLookup;
use crate::{AttrValue, DataType, GraphUse, NodeScope, OpDef, OpUse, TensorFlowRuntime, rules};

/// What takes a value where it is an argument or a result of a function.
const FUNCTION: &str = "a function";

/// How far the number of a reference type lies above that of the type.
const REF: i32 = 100;

/// What is to be said about the joints of `graph`, of the ops of whose uses the release says `looked`.
pub(super) fn judge(
    graph: &GraphUse,
    looked: &[OpLookup],
    as_objects: bool,
    runtime: &TensorFlowRuntime,
    report: &mut Report,
) {
    let python = runtime.imports_in_python();
    let producer = graph.effective_versions().producer;
    let adapter = Adapter { runtime, own: &graph.own_ops, producer, lossy: false };
    let adapted = |(one, found): (&OpUse, &OpLookup)| {
        (!adapter.takes_found(found)).then(|| adapter.adapt(one))
    };
    let adapted: Vec<_> = graph.uses.iter().zip(looked).map(adapted).collect();
    let now = |adapted: &Option<AdaptedUse>| Some(runtime.ops.look_up(&adapted.as_ref()?.now.op));
    let looked_now: Vec<Option<OpLookup>> = adapted.iter().map(now).collect();
    let now = looked_now.iter().zip(looked).map(|(now, before)| now.as_ref().unwrap_or(before));
    let ops = now.map(OpLookup::op).collect();
    let uses = UseFates { all: &graph.uses, edges: &graph.edges, adapted, ops, runtime };
    let looked_at = |joint: &&EdgeGroup| runtime.looks_at(joint.scope, as_objects);
    for joint in graph.edges.groups.iter().filter(looked_at) {
        let phase = match joint.scope {
            NodeScope::Called if python => Phase::FirstUse,
            _ => Phase::Load,
        };
        let Some(finding) = uses.look(joint) else { continue };
        let finding = finding.in_phase(phase).at(graph.edges.places(joint));
        let of_graph = as_objects && joint.scope == NodeScope::Graph;
        report.add(if of_graph { for_sessions_only(finding) } else { finding });
    }
}

/// The uses of a graph, and what becomes of those whose op the release does not take.
struct UseFates<'g> {
    all: &'g [OpUse],
    edges: &'g Edges,
    adapted: Vec<Option<AdaptedUse>>,
    /// The op of each, as the release defines it.
    ops: Vec<Option<&'g OpDef>>,
    runtime: &'g TensorFlowRuntime,
}

impl UseFates<'_> {
    /// What is wrong with a joint, if anything is.
    fn look(&self, joint: &EdgeGroup) -> Option<Finding> {
        let body = joint.scope != NodeScope::Graph;
        if let EdgeTarget::Use(place, number) = &joint.to {
            // What is no input any more asks nothing of an output.
            self.number_now(*place, *number)?;
        }
        let (found, reference) = match &joint.from {
            EdgeSource::Known(dtype) => (*dtype, false),
            EdgeSource::Nothing(function, asked) => {
                let asked = self.edges.output(*asked)?;
                return Some(not_there(function, asked, None, body, self.runtime));
            }
            EdgeSource::Use(place, asked) => {
                let asked = self.edges.output(*asked)?;
                let one = self.now(*place)?;
                let op = self.op(*place)?;
                match edge::output(&op.outputs, asked, &|name| value(one, op, name)) {
                    EndType::Is(dtype, reference) => (dtype, reference),
                    EndType::Beyond(count) => {
                        return Some(not_there(&one.op, asked, Some(count), body, self.runtime));
                    }
                    EndType::Unknown => return None,
                }
            }
        };
        let (taker, number, wanted, wants_reference) = match &joint.to {
            EdgeTarget::Known(wanted) => (FUNCTION, 0, (*wanted)?, false),
            EdgeTarget::Use(place, number) => {
                let number = self.number_now(*place, *number)?;
                let one = self.now(*place)?;
                let op = self.op(*place)?;
                match edge::at(&op.inputs, number, &|name| value(one, op, name)) {
                    EndType::Is(dtype, reference) => (&*one.op, number, dtype, reference),
                    // How many inputs there are is another question.
                    EndType::Beyond(_) | EndType::Unknown => return None,
                }
            }
        };
        let reference = reference || found.0 > REF;
        let wants_reference = wants_reference || wanted.0 > REF;
        if base(found) == base(wanted) && (reference || !wants_reference) {
            return None;
        }
        let (found, wanted) = (shown(found, reference), shown(wanted, wants_reference));
        Some(of_another_type(taker, number, wanted, found, body, self.runtime))
    }

    /// What the nodes ask once their op is one that the release takes, if there is such a way.
    fn now(&self, place: usize) -> Option<&OpUse> {
        let one = self.all.get(place)?;
        Some(self.adapted.get(place)?.as_ref().map_or(one, |adapted| &adapted.now))
    }

    /// The op of these nodes, if the release has it.
    fn op(&self, place: usize) -> Option<&OpDef> {
        self.ops.get(place).copied().flatten()
    }

    /// The number of an input then; none if it is not an input any more.
    fn number_now(&self, place: usize, mut number: u64) -> Option<u64> {
        let rows = self.adapted.get(place)?.iter().flat_map(|adapted| &adapted.rows);
        for row in rows {
            number = row.input_after(number)?;
        }
        Some(number)
    }
}

fn shown(dtype: DataType, reference: bool) -> DataType {
    let dtype = base(dtype);
    if reference { DataType(dtype.0.saturating_add(REF)) } else { dtype }
}

/// The value of an attribute, or its default.
fn value<'a>(one: &'a OpUse, op: &'a OpDef, name: &str) -> Option<&'a AttrValue> {
    one.attr(name).or_else(|| op.attr(name).and_then(|attr| attr.default.as_ref()))
}

fn base(dtype: DataType) -> DataType {
    if dtype.0 > REF { DataType(dtype.0 - REF) } else { dtype }
}

/// `count`: how many outputs there are, if that depends on the release.
fn not_there(
    op: &str,
    asked: &OutputName<'_>,
    count: Option<u64>,
    body: bool,
    runtime: &TensorFlowRuntime,
) -> Finding {
    let symptom = match asked {
        OutputName::Number(_) if runtime.imports_in_python() && !body => {
            "not found in graph_def.".to_owned()
        }
        OutputName::Number(number) => {
            format!("Connecting to invalid output {number} of source node")
        }
        _ => "is not found".to_owned(),
    };
    let outputs = count.map_or("no such".to_owned(), |count| count.to_string());
    rules::OutputNotThere { op: &op, outputs: &outputs, asked }.finding().with_symptom(symptom)
}

fn of_another_type(
    op: &str,
    number: u64,
    wanted: DataType,
    found: DataType,
    body: bool,
    runtime: &TensorFlowRuntime,
) -> Finding {
    // TensorFlow writes references so.
    let name = wanted.to_string().replace('&', "_ref");
    let symptom = match (body, runtime.imports_in_python()) {
        (true, _) => format!("expected type {name} != "),
        (false, true) => "Cannot convert a tensor of type".to_owned(),
        (false, false) => format!("incompatible with expected {name}."),
    };
    let input = &number;
    let rule = rules::InputOfAnotherType { op: &op, input, wanted: &wanted, found: &found };
    rule.finding().with_symptom(symptom)
}
