//! Nodes that make what is known become tensors of their graph.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use unskew_core::Rewrite;
use unskew_source::wire::{ByteSpan, MessageValue as Wire, WireMessage};
use unskew_source::{Assembly, ReadError, Rope, Source};

use super::dequantized::DequantizedTensor;
use super::{ConversionInput, put};
use crate::{OnnxGraph, OnnxNode};

/// A node in whose place a tensor stands.
pub(super) struct FoldedNode {
    pub(super) dims: Vec<i64>,
    pub(super) tensor: DequantizedTensor,
}

/// The model with tensors in the place of nodes, and without what only these took. Nodes are numbered as they stand, those
/// of the graphs in a node behind it.
pub(super) fn written(
    input: ConversionInput,
    folded: BTreeMap<usize, FoldedNode>,
) -> Result<ConversionInput, ReadError> {
    let ConversionInput { source, model, mut plan } = input;
    let name = source.name().to_owned();
    let mut names = NameUses::default();
    names.graph(&model.graph, &folded, &mut 0);
    let mut done =
        Rewrite::new("onnx-four-bits", "weights of 4 bits become the floats that they mean");
    for place in std::mem::take(&mut names.places) {
        done.places.add(place);
    }
    plan.add(done);
    // One source that has everything: the model, and behind it what the nodes make.
    let mut end = source.size();
    let mut tensors = BTreeMap::new();
    for (number, one) in &folded {
        tensors.insert(*number, message(one, end));
        end += one.tensor.size();
    }
    let mut writer = FoldedWriter { source: &*source, tensors, names: &names, nodes: 0 };
    let mut rope = Rope::default();
    let mut whole = WireMessage::whole(&*source);
    while let Some(field) = whole.next()? {
        match (field.number, field.value) {
            (7, Wire::Bytes(span)) => rope.message(7, writer.graph(&model.graph, span)?),
            _ => rope.copy(field.offset..whole.position()),
        }
    }
    let mut everything = Assembly::from_source(&source);
    for one in folded.into_values() {
        let made: Arc<dyn Source> = Arc::new(one.tensor);
        everything.push_copy(&made, 0..made.size())?;
    }
    let everything: Arc<dyn Source> = Arc::new(everything);
    let source: Arc<dyn Source> = Arc::new(rope.assemble(&everything, &name)?);
    let read = crate::read::in_bytes(&*source)?;
    let unread = || ReadError::malformed(&name, "what becomes of the model is none".to_owned());
    Ok(ConversionInput { model: read.ok_or_else(unread)?, source, plan })
}

/// The tensor that stands in the place of a node, with its elements from a place of the source on.
fn message(node: &FoldedNode, start: u64) -> Rope {
    let mut tensor = Rope::default();
    for size in &node.dims {
        tensor.number(1, *size as u64);
    }
    tensor.number(2, node.tensor.width.element().0 as u64);
    tensor.text(8, &node.tensor.name);
    let mut raw = Rope::default();
    raw.copy(start..start + node.tensor.size());
    tensor.message(9, raw);
    tensor
}

/// Which names nodes take.
#[derive(Default)]
struct NameUses<'m> {
    /// What nodes that become tensors take.
    folded: HashSet<&'m str>,
    /// What others take, and what graphs give.
    kept: HashSet<&'m str>,
    /// Where the nodes are that become tensors.
    places: Vec<String>,
}

impl<'m> NameUses<'m> {
    fn graph(
        &mut self,
        graph: &'m OnnxGraph,
        folded: &BTreeMap<usize, FoldedNode>,
        nodes: &mut usize,
    ) {
        self.kept.extend(graph.outputs.iter().map(|output| &*output.name));
        for node in &graph.nodes {
            let is_folded = folded.contains_key(nodes);
            *nodes += 1;
            let names = if is_folded { &mut self.folded } else { &mut self.kept };
            names.extend(node.inputs.iter().map(|name| &**name));
            if is_folded {
                self.places.push(crate::judge::place(node));
            }
            for inner in node.attributes.iter().flat_map(|(_, value)| value.graphs()) {
                self.graph(inner, folded, nodes);
            }
        }
    }

    /// Whether only nodes that become tensors took a tensor.
    fn is_left(&self, name: &str) -> bool {
        self.folded.contains(name) && !self.kept.contains(name)
    }
}

/// Writes graphs with tensors in the place of nodes.
struct FoldedWriter<'m> {
    source: &'m dyn Source,
    /// The tensors, by the numbers of the nodes.
    tensors: BTreeMap<usize, Rope>,
    names: &'m NameUses<'m>,
    nodes: usize,
}

impl FoldedWriter<'_> {
    fn graph(&mut self, graph: &OnnxGraph, span: ByteSpan) -> Result<Rope, ReadError> {
        let (mut rope, mut made) = (Rope::default(), Rope::default());
        let (mut nodes, mut stored) = (graph.nodes.iter(), graph.initializers.iter());
        let mut message = WireMessage::at(self.source, span);
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            match (field.number, field.value) {
                (1, Wire::Bytes(inner)) => {
                    let Some(node) = nodes.next() else { continue };
                    let number = self.nodes;
                    self.nodes += 1;
                    match self.tensors.remove(&number) {
                        Some(tensor) => made.message(5, tensor),
                        None => put(&mut rope, 1, inner, &whole, self.node(node, inner)?),
                    }
                }
                (5, _) if stored.next().is_some_and(|one| self.names.is_left(&one.name)) => {}
                _ => rope.copy(whole),
            }
        }
        rope.append(made);
        Ok(rope)
    }

    /// A node, whose graphs may change.
    fn node(&mut self, node: &OnnxNode, span: ByteSpan) -> Result<Rope, ReadError> {
        let mut rope = Rope::default();
        if node.attributes.iter().all(|(_, value)| value.graphs().is_empty()) {
            rope.copy(span.start..span.start + span.len);
            return Ok(rope);
        }
        let mut message = WireMessage::at(self.source, span);
        let mut attributes = node.attributes.iter();
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            match (field.number, field.value) {
                (5, Wire::Bytes(inner)) => {
                    let Some((_, value)) = attributes.next() else { continue };
                    let new = self.attribute(value.graphs(), inner)?;
                    put(&mut rope, 5, inner, &whole, new);
                }
                _ => rope.copy(whole),
            }
        }
        Ok(rope)
    }

    fn attribute(&mut self, graphs: &[OnnxGraph], span: ByteSpan) -> Result<Rope, ReadError> {
        let mut rope = Rope::default();
        let mut message = WireMessage::at(self.source, span);
        let mut graphs = graphs.iter();
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            match (field.number, field.value) {
                (6 | 11, Wire::Bytes(inner)) => {
                    let Some(graph) = graphs.next() else { continue };
                    let new = self.graph(graph, inner)?;
                    put(&mut rope, field.number, inner, &whole, new);
                }
                _ => rope.copy(whole),
            }
        }
        Ok(rope)
    }
}
