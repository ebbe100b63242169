//! A model under other opsets and another IR version: what does not change is copied, byte by byte.
//!
//! Nodes are walked in the order of the file, with what is known of the values that they see. Each goes from the form
//! that the opset of the model means to the form that the other opset means, one form after the other ([`table`], from
//! `data/adapters.txt`), or is written by other operators (`data/bodies.txt`). A node that has no exact form there
//! stands in the way of the whole, and nothing is written.
//!
//! A release of ONNX Runtime may read an opset and have no kernel for a form of it. [`nearest`] then looks for the next
//! opset under which every node has one, with the calls of functions written out ([`inlined`]) where they stand in the way.

mod adapter_context;
mod attention;
mod bodies;
mod chain;
mod composed;
mod dequantized;
mod faults;
mod folded;
mod four_bits;
mod inlined;
mod ir;
mod names;
mod nearest;
mod node_draft;
mod repeated;
mod scope;
mod shapes;
mod special;
mod steps;
mod stored_bytes;
mod table;
mod write;

use std::sync::Arc;

use unskew_core::{Conversion, Rewrite};
use unskew_source::wire::{ByteSpan, MessageValue as Wire, WireMessage};
use unskew_source::{Assembly, ConvertedArtifact, ReadError, Rope, Source};

use crate::judge::ONE_PROCESSOR;
use crate::shapes::ModelShapes;
use crate::value_index::ValueIndex;
use crate::{NeighbourOpener, OnnxModel, OnnxRelease, OpSchemas};
use adapter_context::FreshNames;
use chain::ConversionContext;
use names::ValueReads;
use scope::TensorFiles;
use write::ModelWriter;

pub(crate) use table::is_extension;

/// The lowest opset that a model is converted to; before it operators repeated their inputs in other ways.
const LOWEST: i64 = 7;

/// What a model is converted to.
#[derive(Clone, Debug)]
pub struct OnnxTarget {
    /// Its name, for people: `onnxruntime@1.14.1`, `onnx-opset@11`.
    pub name: String,
    /// The opset of each domain that is given: exactly this one, or at most it.
    pub opsets: Vec<(Box<str>, i64)>,
    /// Whether lower opsets stay as they are.
    pub at_most: bool,
    /// The opset of ONNX's own domain, if it is exactly this one whatever `opsets` says.
    pub own_opset: Option<i64>,
    /// The highest IR version, if one is given.
    pub ir: Option<i64>,
    /// The forms of operators.
    pub schemas: Arc<OpSchemas>,
    /// The release of ONNX Runtime that is to run it, which must have a kernel for each node, and whose faults nodes keep
    /// clear of.
    pub runtime: Option<OnnxRelease>,
}

impl OnnxTarget {
    /// What a release accepts.
    pub fn for_release(runtime: &OnnxRelease) -> Self {
        let name = match runtime.reader {
            crate::ModelReader::OnnxRuntime => "onnxruntime",
            crate::ModelReader::Onnx => "onnx",
        };
        Self {
            name: format!("{name}@{}", runtime.version),
            opsets: runtime.opsets.clone(),
            at_most: true,
            own_opset: None,
            ir: Some(runtime.ir),
            schemas: runtime.schemas.clone(),
            runtime: (runtime.reader == crate::ModelReader::OnnxRuntime).then(|| runtime.clone()),
        }
    }

    /// The opset of a domain that a model of this one gets.
    fn opset(&self, domain: &str, from: i64) -> i64 {
        if let Some(own) = self.own_opset.filter(|_| domain.is_empty()) {
            return own;
        }
        match self.opsets.iter().find(|(one, _)| **one == *domain) {
            Some((_, most)) if self.at_most => from.min(*most),
            Some((_, exact)) => *exact,
            None => from,
        }
    }

    /// The opsets that a model of these gets.
    fn all(&self, from: &[(Box<str>, i64)]) -> Vec<(Box<str>, i64)> {
        from.iter()
            .map(|(domain, version)| (domain.clone(), self.opset(domain, *version)))
            .collect()
    }
}

/// A model that is to be converted: where its bytes are, what they say, and what was done to get there.
struct ConversionInput {
    source: Arc<dyn Source>,
    model: OnnxModel,
    plan: Conversion,
}

/// A model as it was planned.
struct PlannedModel {
    plan: Conversion,
    output: Assembly,
    /// Whether something stands in the way that is so under every opset.
    is_final: bool,
}

/// Plans the model in `source` anew; none if it is no ONNX model.
///
/// # Errors
/// If it cannot be read.
pub fn convert(
    source: &Arc<dyn Source>,
    goal: &OnnxTarget,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    convert_beside(source, goal, &|_| None)
}

/// The same with the files beside the model, in which small tensors may lie that decide how a node is written.
///
/// # Errors
/// As [`convert`].
pub fn convert_beside(
    source: &Arc<dyn Source>,
    goal: &OnnxTarget,
    beside: NeighbourOpener<'_>,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let mut plan = Conversion::default();
    let text = crate::read::in_text(&**source)?;
    let bytes: Option<Arc<dyn Source>> = text.map(|bytes| Arc::new(bytes) as Arc<dyn Source>);
    if bytes.is_some() {
        plan.add(Rewrite::new("onnx-text", "the text becomes a model in bytes"));
    }
    let source = bytes.unwrap_or_else(|| source.clone());
    let Some(model) = crate::read::in_bytes(&*source)? else { return Ok(None) };
    let planned = nearest::convert(ConversionInput { source, model, plan }, goal, beside)?;
    Ok(Some((planned.plan, ConvertedArtifact::File(Arc::new(planned.output)))))
}

/// The IR version that a model gets.
fn ir_version(model: &OnnxModel, goal: &OnnxTarget) -> i64 {
    goal.ir.map_or(model.ir_version, |most| match goal.opsets.is_empty() {
        true => most,
        false => most.min(model.ir_version),
    })
}

/// Plans a model under the opsets and the IR version of a goal, node by node.
fn under(
    input: &ConversionInput,
    goal: &OnnxTarget,
    beside: NeighbourOpener<'_>,
) -> Result<PlannedModel, ReadError> {
    let ConversionInput { source, model, plan } = input;
    let mut plan = plan.clone();
    let unchanged = |plan: Conversion, is_final: bool| {
        Ok(PlannedModel { plan, output: Assembly::from_source(source), is_final })
    };
    let ir = ir_version(model, goal);
    let opsets = goal.all(&model.opsets);
    if ir == model.ir_version && opsets == model.opsets && !faults::may_be_met(goal) {
        return unchanged(plan, false);
    }
    let nodes = model.graphs().flat_map(|graph| &graph.nodes);
    if let Some(node) = nodes.into_iter().find(|node| *node.domain == *ONE_PROCESSOR) {
        let what = crate::runtime::full_name(&node.domain, &node.op);
        let why = "the model was optimized for one processor: export it again, without optimization or with the level \
                   `extended` at most";
        let rule = crate::rules::OnnxNoExactForm { what: &what, goal: &goal.name, why: &why };
        plan.blockers.push(rule.finding());
    }
    if ir != model.ir_version {
        ir::blockers(model, ir, &mut plan);
        let what = format!("IR version {} becomes {ir}", model.ir_version);
        plan.add(Rewrite::new("onnx-ir-version", what).at("ir_version"));
    }
    let mut is_final = !plan.is_possible();
    for ((domain, from), (_, to)) in model.opsets.iter().zip(&opsets).filter(|(a, b)| a != b) {
        let shown = if domain.is_empty() { "ai.onnx" } else { domain };
        plan.add(Rewrite::new("onnx-opset", format!("opset {shown} {from} becomes {to}")));
    }
    if let Some((_, to)) = opsets
        .iter()
        .zip(&model.opsets)
        .find_map(|(to, from)| (to.0.is_empty() && to.1 < LOWEST && to.1 < from.1).then_some(to))
    {
        let goal = format!("opset {to}");
        let why = format!("no model is converted below opset {LOWEST}");
        let rule = crate::rules::OnnxNoExactForm { what: &"the model", goal: &goal, why: &why };
        plan.blockers.push(rule.finding());
        is_final = true;
        return unchanged(plan, is_final);
    }
    let shop = ConversionContext {
        schemas: &goal.schemas,
        files: TensorFiles { source: &**source, beside },
        reads: ValueReads { model, names: Default::default() },
        names: FreshNames { used: names::used(model), ..FreshNames::default() },
        asked: Default::default(),
    };
    let shapes = ModelShapes::default();
    let around = ValueIndex::new(model, &shapes);
    let mut writer = ModelWriter { shop, plan, goal, around };
    let mut rope = Rope::default();
    let mut message = WireMessage::whole(&**source);
    let (mut graphs, mut function) = (0, 0);
    while let Some(field) = message.next()? {
        let whole = field.offset..message.position();
        match (field.number, field.value) {
            (1, Wire::Varint(_)) => rope.number(1, ir as u64),
            (7, Wire::Bytes(span)) => {
                graphs += 1;
                if graphs > 1 {
                    return Err(
                        message.malformed(field.offset, "a graph in two parts is not converted")
                    );
                }
                let inner = writer.graph(&model.graph, span, &model.opsets, &opsets, None)?;
                put(&mut rope, 7, span, &whole, inner);
            }
            (8, Wire::Bytes(span)) => {
                let inner = opset(&**source, span, goal)?;
                put(&mut rope, 8, span, &whole, inner);
            }
            (25, Wire::Bytes(span)) => {
                if let Some(read) = model.functions.get(function) {
                    let inner = writer.function(read, span)?;
                    put(&mut rope, 25, span, &whole, inner);
                }
                function += 1;
            }
            _ => rope.copy(whole),
        }
    }
    let output = rope.assemble(source, source.name())?;
    Ok(PlannedModel { plan: writer.plan, output, is_final })
}

/// Adds a message: copied with its head if it is what it was.
fn put(rope: &mut Rope, number: u32, span: ByteSpan, whole: &std::ops::Range<u64>, inner: Rope) {
    if inner.is(&(span.start..span.start + span.len)) {
        rope.copy(whole.clone());
    } else {
        rope.message(number, inner);
    }
}

/// A domain with its new version.
fn opset(source: &dyn Source, span: ByteSpan, goal: &OnnxTarget) -> Result<Rope, ReadError> {
    let mut message = WireMessage::at(source, span);
    let (mut domain, mut from) = (String::new(), 0);
    while let Some(field) = message.next()? {
        match field.number {
            1 => domain = message.string(&field)?,
            2 => from = field.varint().unwrap_or(0) as i64,
            _ => {}
        }
    }
    let to = goal.opset(if domain == "ai.onnx" { "" } else { &domain }, from);
    let mut rope = Rope::default();
    if to == from {
        rope.copy(span.start..span.start + span.len);
        return Ok(rope);
    }
    let mut message = WireMessage::at(source, span);
    while let Some(field) = message.next()? {
        match field.number {
            2 => rope.number(2, to as u64),
            _ => rope.copy(field.offset..message.position()),
        }
    }
    Ok(rope)
}
