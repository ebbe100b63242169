//! Graphs, functions and nodes, written with what changed in them.

use std::ops::Range;

use unskew_core::{Places, Rewrite};
use unskew_source::wire::{ByteSpan, MessageValue as Wire, WireMessage};
use unskew_source::{ReadError, Rope};

use super::chain::ConversionContext;
use super::node_draft::{AttributeValue, NodeDraft};
use super::scope::Scope;
use super::{OnnxTarget, faults, put};
use crate::value_index::ValueIndex;
use crate::{OnnxAttribute, OnnxFunction, OnnxGraph, OnnxNode, rules};

/// The sets of operators of a graph.
type Opsets = [(Box<str>, i64)];

/// Attributes whose graphs changed, by their field in the file.
type ChangedGraphs = Vec<(Range<u64>, Rope)>;

/// What is written, and what was planned on the way.
pub(super) struct ModelWriter<'a> {
    pub(super) shop: ConversionContext<'a>,
    pub(super) plan: unskew_core::Conversion,
    pub(super) goal: &'a OnnxTarget,
    pub(super) around: ValueIndex<'a>,
}

impl ModelWriter<'_> {
    /// A graph with its nodes under other opsets.
    pub(super) fn graph(
        &mut self,
        graph: &OnnxGraph,
        span: ByteSpan,
        from: &Opsets,
        to: &Opsets,
        around: Option<&Scope<'_>>,
    ) -> Result<Rope, ReadError> {
        let mut scope = Scope::new(graph, around, &self.shop.files)?;
        self.nodes(&graph.nodes, 1, span, (from, to), &mut scope)
    }

    /// A function of the model, whose nodes mean opsets of its own.
    pub(super) fn function(
        &mut self,
        function: &OnnxFunction,
        span: ByteSpan,
    ) -> Result<Rope, ReadError> {
        let to = self.goal.all(&function.opsets);
        let mut scope = Scope::new(&function.body, None, &self.shop.files)?;
        self.nodes(&function.body.nodes, 7, span, (&function.opsets, &to), &mut scope)
    }

    /// A message that has nodes in one of its fields.
    fn nodes(
        &mut self,
        nodes: &[OnnxNode],
        number: u32,
        span: ByteSpan,
        (from, to): (&Opsets, &Opsets),
        scope: &mut Scope<'_>,
    ) -> Result<Rope, ReadError> {
        let mut rope = Rope::default();
        let mut message = WireMessage::at(self.shop.files.source, span);
        let mut at = 0;
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            match (field.number, field.value) {
                (found, Wire::Bytes(inner)) if found == number => {
                    let Some(node) = nodes.get(at) else { continue };
                    at += 1;
                    self.node(node, inner, whole, (number, from, to), scope, &mut rope)?;
                }
                // The opsets of a function.
                (9, Wire::Bytes(inner)) if number == 7 => {
                    let new = super::opset(self.shop.files.source, inner, self.goal)?;
                    put(&mut rope, 9, inner, &whole, new);
                }
                _ => rope.copy(whole),
            }
        }
        Ok(rope)
    }

    fn node(
        &mut self,
        node: &OnnxNode,
        span: ByteSpan,
        whole: Range<u64>,
        (number, from, to): (u32, &Opsets, &Opsets),
        scope: &mut Scope<'_>,
        rope: &mut Rope,
    ) -> Result<(), ReadError> {
        let opset = |all: &Opsets| {
            all.iter().find(|(domain, _)| *domain == node.domain).map(|(_, version)| *version)
        };
        let (mut work, mut inner) = self.read(node, span, (from, to), scope)?;
        let (Some(own), Some(wanted)) = (opset(from), opset(to)) else {
            return self.keep(rope, number, whole, work, inner);
        };
        self.shop.learn(&work, own, scope)?;
        let original = work.clone();
        let before =
            faults::avoid(&mut work, node, self.goal, scope, &self.around, &mut self.shop.names);
        if own == wanted && work == original {
            return self.keep(rope, number, whole, original, inner);
        }
        let place = place(node);
        match self.shop.among(before, work, own, wanted, scope) {
            Ok(nodes) if nodes.len() == 1 && nodes.first() == Some(&original) => {
                self.keep(rope, number, whole, original, inner)
            }
            Ok(nodes) => {
                let into: Vec<&str> = nodes.iter().map(|one| &*one.op).collect();
                let what = match into.as_slice() {
                    _ if own == wanted => {
                        format!("{} in a way that {} runs", node.op, self.goal.name)
                    }
                    [one] if **one == *node.op => {
                        format!("{} in the form of opset {wanted}", node.op)
                    }
                    _ => format!("{} is written as {}", node.op, into.join(", ")),
                };
                self.plan.add(Rewrite::new("onnx-operator-form", what).at(place));
                for one in nodes {
                    let mut replaced = |field: &Range<u64>| {
                        let at = inner.iter().position(|(range, _)| range == field)?;
                        Some(inner.remove(at).1)
                    };
                    rope.message(number, one.write(&mut replaced));
                }
                Ok(())
            }
            Err(why) => {
                let goal = format!("opset {wanted}");
                let rule = rules::OnnxNoExactForm { what: &node.op, goal: &goal, why: &why };
                self.plan.blockers.push(rule.finding().at(Places::from_iter([place])));
                rope.copy(whole);
                Ok(())
            }
        }
    }

    /// A node that stays what it was, but for the graphs in it.
    fn keep(
        &mut self,
        rope: &mut Rope,
        number: u32,
        whole: Range<u64>,
        work: NodeDraft,
        mut inner: ChangedGraphs,
    ) -> Result<(), ReadError> {
        if inner.is_empty() {
            rope.copy(whole);
            return Ok(());
        }
        let mut replaced = |field: &Range<u64>| {
            let at = inner.iter().position(|(range, _)| range == field)?;
            Some(inner.remove(at).1)
        };
        rope.message(number, work.write(&mut replaced));
        Ok(())
    }

    /// A node as it is worked on, with the attributes in which graphs changed.
    fn read(
        &mut self,
        node: &OnnxNode,
        span: ByteSpan,
        (from, to): (&Opsets, &Opsets),
        scope: &Scope<'_>,
    ) -> Result<(NodeDraft, ChangedGraphs), ReadError> {
        let owned = |names: &[Box<str>]| names.iter().map(ToString::to_string).collect();
        let mut work = NodeDraft {
            op: node.op.to_string(),
            domain: node.domain.to_string(),
            inputs: owned(&node.inputs),
            outputs: owned(&node.outputs),
            ..NodeDraft::default()
        };
        let mut changed = Vec::new();
        let mut message = WireMessage::at(self.shop.files.source, span);
        let mut attributes = node.attributes.iter();
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            match (field.number, field.value) {
                (5, Wire::Bytes(inner)) => {
                    let Some((name, value)) = attributes.next() else { continue };
                    let graphs = value.graphs();
                    if !graphs.is_empty() {
                        let new = self.attribute(graphs, inner, (from, to), scope)?;
                        if !new.is(&(inner.start..inner.start + inner.len)) {
                            let mut rope = Rope::default();
                            rope.message(5, new);
                            changed.push((whole.clone(), rope));
                        }
                    }
                    // What is kept of a subgraph is its place; its nodes are done.
                    let value =
                        if graphs.is_empty() { value.clone() } else { OnnxAttribute::Other(5) };
                    work.attributes.push((name.to_string(), AttributeValue::Read(value, whole)));
                }
                (1 | 2 | 4 | 7, _) => {}
                _ => work.kept.push(whole),
            }
        }
        Ok((work, changed))
    }

    /// An attribute whose graphs see the values around them.
    fn attribute(
        &mut self,
        graphs: &[OnnxGraph],
        span: ByteSpan,
        (from, to): (&Opsets, &Opsets),
        scope: &Scope<'_>,
    ) -> Result<Rope, ReadError> {
        let mut rope = Rope::default();
        let mut message = WireMessage::at(self.shop.files.source, span);
        let mut graphs = graphs.iter();
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            match (field.number, field.value) {
                (6 | 11, Wire::Bytes(inner)) => {
                    let Some(graph) = graphs.next() else { continue };
                    let new = self.graph(graph, inner, from, to, Some(scope))?;
                    put(&mut rope, field.number, inner, &whole, new);
                }
                _ => rope.copy(whole),
            }
        }
        Ok(rope)
    }
}

/// Where a node is, for people.
fn place(node: &OnnxNode) -> String {
    crate::judge::place(node)
}
