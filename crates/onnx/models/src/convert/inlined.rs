//! Calls of functions of a model, written out as the nodes that they mean.
//!
//! Functions are new in IR version 8, and a node in a function is converted without the types and attributes that its calls
//! give it. The file is walked by its fields; each call is replaced by the nodes of the function. A function sees no value
//! from outside, so each name in it is an input or an output, which gets the name that the call gives it, or a value of its
//! own, which gets a new name for each call.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use unskew_core::{Places, Rewrite};
use unskew_source::wire::{ByteSpan, MessageValue as Wire, WireMessage};
use unskew_source::{ReadError, Rope, Source};

use super::node_draft::NodeDraft;
use super::{ConversionInput, OnnxTarget, names};
use crate::judge::is_call;
use crate::{OnnxAttribute, OnnxFunction, OnnxModel, OnnxNode, full_name};

/// The most nodes and calls that are written out.
const MOST_NODES: usize = 1 << 18;

/// How deep calls and graphs lie in one another.
const DEPTH: usize = 64;

/// Whether an attribute is written with its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AttributeName {
    Kept,
    LeftOut,
}

/// The model without functions; the reason if it cannot do without them.
pub(super) fn calls_written_out(
    input: &ConversionInput,
    goal: &OnnxTarget,
) -> Result<Result<ConversionInput, String>, ReadError> {
    let ConversionInput { source, model, plan } = input;
    if model.training {
        return Ok(Err("information for training may call them".to_owned()));
    }
    let opsets = match opsets(model, goal) {
        Ok(opsets) => opsets,
        Err(why) => return Ok(Err(why)),
    };
    let mut calls = CallWriter {
        source: &**source,
        model,
        spans: Vec::new(),
        prefix: prefix(model),
        calls: Places::default(),
        written: 0,
        refused: None,
    };
    let (mut message, mut graph) = (WireMessage::whole(&**source), None);
    while let Some(field) = message.next()? {
        match (field.number, field.value) {
            (7, Wire::Bytes(span)) => graph = Some(span),
            (25, Wire::Bytes(span)) => calls.spans.push(span),
            _ => {}
        }
    }
    let Some(graph) = graph else { return Ok(Err("the model has no graph".to_owned())) };
    let inner = calls.graph(&model.graph, graph, None, 0)?;
    if let Some(why) = calls.refused {
        return Ok(Err(why));
    }
    let mut rope = Rope::default();
    let mut message = WireMessage::whole(&**source);
    while let Some(field) = message.next()? {
        match field.number {
            7 | 8 | 25 => {}
            _ => rope.copy(field.offset..message.position()),
        }
    }
    rope.message(7, inner);
    for (domain, version) in opsets {
        let mut opset = Rope::default();
        opset.text(1, &domain);
        opset.number(2, version as u64);
        rope.message(8, opset);
    }
    let mut plan = plan.clone();
    let mut done =
        Rewrite::new("onnx-functions", "calls of functions of the model are written out");
    done.places = calls.calls;
    plan.add(done);
    let source: Arc<dyn Source> = Arc::new(rope.assemble(source, source.name())?);
    let read = crate::read::in_bytes(&*source)?;
    Ok(read.map(|model| ConversionInput { source, model, plan }).ok_or_else(unread))
}

fn unread() -> String {
    "what becomes of the model is none".to_owned()
}

/// What begins the names of values in functions: nothing in the model has it.
fn prefix(model: &OnnxModel) -> String {
    let used = names::used(model);
    let mut number = 0_usize;
    loop {
        let prefix = format!("_unskew_f{number}_");
        if !used.iter().any(|name| name.contains(&prefix)) {
            return prefix;
        }
        number += 1;
    }
}

/// The opsets of a model without functions: its own without the domains of functions alone, and those that only functions
/// name. An error if a node in a function has another form under the opset of the model.
fn opsets(model: &OnnxModel, goal: &OnnxTarget) -> Result<Vec<(Box<str>, i64)>, String> {
    let is_kept = |domain: &str| {
        let defines = model.functions.iter().any(|function| *function.domain == *domain);
        let mut nodes = model.graphs().flat_map(|graph| &graph.nodes);
        let calls =
            |node: &OnnxNode| model.functions.iter().any(|function| is_call(node, function));
        !defines || nodes.any(|node| *node.domain == *domain && !calls(node))
    };
    let mut opsets: Vec<(Box<str>, i64)> =
        model.opsets.iter().filter(|(domain, _)| is_kept(domain)).cloned().collect();
    for function in &model.functions {
        let graphs = function.body.all();
        for node in graphs.into_iter().flat_map(|graph| &graph.nodes) {
            let is = |one: &&(Box<str>, i64)| one.0 == node.domain;
            let Some((domain, own)) = function.opsets.iter().find(is) else { continue };
            if model.functions.iter().any(|one| is_call(node, one)) {
                continue;
            }
            let Some((_, around)) = opsets.iter().find(is) else {
                opsets.push((domain.clone(), *own));
                continue;
            };
            let op = full_name(&node.domain, &node.op);
            if own != around && !is_one_form(goal, &op, *own, *around) {
                let name = full_name(&function.domain, &function.name);
                return Err(format!(
                    "{op} in the function {name} means opset {own}, and the model has {around}"
                ));
            }
        }
    }
    Ok(opsets)
}

/// Whether an operator has one form under two opsets.
fn is_one_form(goal: &OnnxTarget, op: &str, one: i64, other: i64) -> bool {
    let forms = goal.schemas.named(op);
    let since =
        |opset: i64| forms.iter().map(|(form, _)| form.since).filter(|since| *since <= opset).max();
    since(one).is_some() && since(one) == since(other)
}

/// What a call gives the function that it calls.
struct CallContext<'m> {
    /// The names of inputs and outputs of the function, as they are called outside.
    given: HashMap<&'m str, String>,
    /// What begins the names of its other values.
    prefix: String,
    /// The attributes of the call, each without its name.
    attributes: Vec<(&'m str, Rope)>,
}

impl CallContext<'_> {
    /// What a value is called outside of the function.
    fn name(&self, name: &str) -> String {
        match self.given.get(name) {
            Some(given) => given.clone(),
            None if name.is_empty() => String::new(),
            None => format!("{}{name}", self.prefix),
        }
    }
}

struct CallWriter<'m> {
    source: &'m dyn Source,
    model: &'m OnnxModel,
    /// Where each function lies.
    spans: Vec<ByteSpan>,
    prefix: String,
    /// The calls that the model makes itself.
    calls: Places,
    /// How many nodes were written for calls.
    written: usize,
    /// Why the model cannot do without functions.
    refused: Option<String>,
}

impl<'m> CallWriter<'m> {
    /// A graph in which nothing is called, with the names that a call gives its values.
    fn graph(
        &mut self,
        graph: &'m crate::OnnxGraph,
        span: ByteSpan,
        call: Option<&CallContext<'m>>,
        depth: usize,
    ) -> Result<Rope, ReadError> {
        let mut rope = Rope::default();
        let mut message = WireMessage::at(self.source, span);
        let mut nodes = graph.nodes.iter();
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            match (field.number, field.value) {
                (1, Wire::Bytes(inner)) => {
                    let Some(node) = nodes.next() else { continue };
                    self.node(node, inner, whole, call, depth, &mut rope)?;
                }
                (number, Wire::Bytes(inner)) => match call.map(|call| (call, number)) {
                    Some((call, 5)) => rope.message(5, self.renamed(inner, 8, call)?),
                    Some((call, 11..=13)) => rope.message(number, self.renamed(inner, 1, call)?),
                    // A sparse tensor has its name inside, and how it is quantized is no name of a value alone.
                    Some((_, 14 | 15)) => {
                        self.refuse("a function has a sparse or annotated tensor")
                    }
                    _ => rope.copy(whole),
                },
                _ => rope.copy(whole),
            }
        }
        Ok(rope)
    }

    /// Counts one more node or call.
    fn count(&mut self) {
        self.written += 1;
        if self.written > MOST_NODES {
            self.refuse("written out they are too many nodes");
        }
    }

    fn refuse(&mut self, why: &str) {
        self.refused.get_or_insert_with(|| why.to_owned());
    }

    /// A message whose field `number` is the name of a value.
    fn renamed(
        &self,
        span: ByteSpan,
        number: u32,
        call: &CallContext<'m>,
    ) -> Result<Rope, ReadError> {
        let mut rope = Rope::default();
        let mut message = WireMessage::at(self.source, span);
        while let Some(field) = message.next()? {
            match field.number == number {
                true => rope.text(number, &call.name(&message.string(&field)?)),
                false => rope.copy(field.offset..message.position()),
            }
        }
        Ok(rope)
    }

    /// A node, or what it calls.
    fn node(
        &mut self,
        node: &'m OnnxNode,
        span: ByteSpan,
        whole: Range<u64>,
        call: Option<&CallContext<'m>>,
        depth: usize,
        rope: &mut Rope,
    ) -> Result<(), ReadError> {
        if depth >= DEPTH {
            self.refuse("they call one another too deep");
            return Ok(());
        }
        if self.refused.is_some() {
            return Ok(());
        }
        let model = self.model;
        if let Some(at) = model.functions.iter().rposition(|function| is_call(node, function)) {
            if call.is_none() {
                self.calls.add(crate::judge::place(node));
            }
            return self.called(at, node, span, call, depth + 1, rope);
        }
        if call.is_some() {
            self.count();
        }
        let has_graphs = node.attributes.iter().any(|(_, value)| !value.graphs().is_empty());
        if call.is_none() && !has_graphs {
            rope.copy(whole);
            return Ok(());
        }
        let mut inner = Rope::default();
        let mut message = WireMessage::at(self.source, span);
        let mut attributes = node.attributes.iter();
        while let Some(field) = message.next()? {
            let own = field.offset..message.position();
            match (field.number, field.value, call) {
                (1 | 2, _, Some(call)) => {
                    inner.text(field.number, &call.name(&message.string(&field)?));
                }
                (3, _, Some(call)) if !node.name.is_empty() => {
                    inner.text(3, &format!("{}{}", call.prefix, node.name));
                }
                (5, Wire::Bytes(span), _) => {
                    let Some((name, value)) = attributes.next() else { continue };
                    match (value, call) {
                        (OnnxAttribute::Of(outer), Some(call)) => {
                            let given = call.attributes.iter().find(|(one, _)| **one == **outer);
                            // An attribute that the call leaves out is left out in the function too.
                            let Some((_, given)) = given else { continue };
                            let mut attribute = Rope::default();
                            attribute.text(1, name);
                            attribute.append(given.clone());
                            inner.message(5, attribute);
                        }
                        _ if value.graphs().is_empty() => inner.copy(own),
                        _ => inner.message(
                            5,
                            self.attribute(value, span, AttributeName::Kept, call, depth)?,
                        ),
                    }
                }
                _ => inner.copy(own),
            }
        }
        rope.message(1, inner);
        Ok(())
    }

    /// The nodes of a function in the place of a call.
    fn called(
        &mut self,
        at: usize,
        node: &'m OnnxNode,
        span: ByteSpan,
        around: Option<&CallContext<'m>>,
        depth: usize,
        rope: &mut Rope,
    ) -> Result<(), ReadError> {
        let model = self.model;
        let (Some(function), Some(body)) = (model.functions.get(at), self.spans.get(at).copied())
        else {
            return Ok(());
        };
        let outside = |name: &str| around.map_or_else(|| name.to_owned(), |call| call.name(name));
        let mut context = CallContext {
            given: HashMap::new(),
            prefix: format!("{}{}{}/", function.name, self.prefix, self.written),
            attributes: self.attributes_of(function, node, (span, body), around, depth)?,
        };
        // Calls without nodes have names of their own too, and are not made without end.
        self.count();
        for (at, name) in function.inputs.iter().enumerate() {
            let given = node.inputs.get(at).map_or("", |name| name);
            context.given.insert(name, outside(given));
        }
        let mut handed_on = Vec::new();
        for (name, given) in function.outputs.iter().zip(&node.outputs) {
            if given.is_empty() {
                continue;
            }
            let given = outside(given);
            match context.given.get(&**name) {
                // An input, or a value that is an output already.
                Some(value) => handed_on.push((value.clone(), given)),
                None => {
                    context.given.insert(name, given);
                }
            }
        }
        let mut nodes = function.body.nodes.iter();
        let mut message = WireMessage::at(self.source, body);
        while let Some(field) = message.next()? {
            let whole = field.offset..message.position();
            let (7, Wire::Bytes(inner)) = (field.number, field.value) else { continue };
            let Some(node) = nodes.next() else { continue };
            self.node(node, inner, whole, Some(&context), depth, rope)?;
        }
        for (value, given) in handed_on {
            let copied = NodeDraft::new("Identity", &[&value], &[&given]);
            rope.message(1, copied.write(&mut |_| None));
        }
        Ok(())
    }

    /// What the attributes of a function are in a call: those of the call, and for others what the function says.
    fn attributes_of(
        &mut self,
        function: &'m OnnxFunction,
        node: &'m OnnxNode,
        (span, body): (ByteSpan, ByteSpan),
        around: Option<&CallContext<'m>>,
        depth: usize,
    ) -> Result<Vec<(&'m str, Rope)>, ReadError> {
        let mut all: Vec<(&'m str, Rope)> = Vec::new();
        for (span, number, given, call) in
            [(span, 5, &node.attributes, around), (body, 11, &function.defaults, None)]
        {
            let mut given = given.iter();
            let mut message = WireMessage::at(self.source, span);
            while let Some(field) = message.next()? {
                let Some(span) = field.span().filter(|_| field.number == number) else { continue };
                let Some((name, value)) = given.next() else { continue };
                if all.iter().any(|(one, _)| **one == **name) {
                    continue;
                }
                let value = match (value, call) {
                    (OnnxAttribute::Of(outer), Some(call)) => {
                        let given = call.attributes.iter().find(|(one, _)| **one == **outer);
                        let Some((_, given)) = given else { continue };
                        given.clone()
                    }
                    _ => self.attribute(value, span, AttributeName::LeftOut, call, depth)?,
                };
                all.push((name, value));
            }
        }
        Ok(all)
    }

    /// An attribute with what its graphs call.
    fn attribute(
        &mut self,
        value: &'m OnnxAttribute,
        span: ByteSpan,
        name: AttributeName,
        call: Option<&CallContext<'m>>,
        depth: usize,
    ) -> Result<Rope, ReadError> {
        let mut rope = Rope::default();
        let mut message = WireMessage::at(self.source, span);
        let mut graphs = value.graphs().iter();
        while let Some(field) = message.next()? {
            match (field.number, field.value) {
                (1, _) if name == AttributeName::LeftOut => {}
                (6 | 11, Wire::Bytes(inner)) => {
                    let Some(graph) = graphs.next() else { continue };
                    let graph = self.graph(graph, inner, call, depth + 1)?;
                    rope.message(field.number, graph);
                }
                _ => rope.copy(field.offset..message.position()),
            }
        }
        Ok(rope)
    }
}
