//! `GraphDef`: its nodes, functions and versions.

use std::sync::Arc;

use unskew_source::wire::{Field, Message};
use unskew_source::{ReadError, Source, SourceExt as _};

use super::kept::Kept;
use super::op_def;
use super::values::{attr_value, versions};
use crate::attrs::Attr;
use crate::{AttrValue, Function, Graph, Node};

/// The most attributes of a node or a function; real ones have a few dozen.
const ATTRS: usize = 4 << 10;

/// The most bytes of an attribute that is looked for among earlier ones. Longer ones are shapes, lists and constants, of
/// which few are equal.
const SHARED: usize = 256;

/// The graph in `source`, which is one `GraphDef`.
///
/// # Errors
/// If it is none, or larger than is kept; with the byte and the field.
pub fn graph(source: &dyn Source) -> Result<Graph, ReadError> {
    graph_in(&mut Message::whole(source), &mut Kept::default())
}

/// Reads a `GraphDef` and keeps what `kept` says.
pub(crate) fn graph_in(message: &mut Message<'_>, kept: &mut Kept) -> Result<Graph, ReadError> {
    let mut graph = Graph::default();
    while let Some(field) = message.next()? {
        match field.number {
            1 => {
                let node = message.enter(&field, |message| node(message, kept));
                graph.nodes.push(node.map_err(|e| e.in_field("node"))?);
            }
            2 => {
                let read = message.enter(&field, |message| library(message, &mut graph, kept));
                read.map_err(|e| e.in_field("library"))?;
            }
            4 => {
                let read = message.enter(&field, versions);
                graph.versions = Some(read.map_err(|e| e.in_field("versions"))?);
            }
            _ => {}
        }
    }
    Ok(graph)
}

/// Reads a `NodeDef` and keeps what `kept` says.
pub(crate) fn node(message: &mut Message<'_>, kept: &mut Kept) -> Result<Node, ReadError> {
    let mut node = Node::default();
    kept.count(message, size_of::<Node>())?;
    // An input or an attribute costs about as much as what else there is of a node.
    let mut cost = 1;
    while let Some(field) = message.next()? {
        match field.number {
            1 => node.name = kept.text(message, &field)?,
            2 => node.op = kept.name(message, &field)?,
            3 => {
                kept.input(message, &field)?;
                cost += 1;
            }
            4 => {
                node.on_gpu = match message.text_ahead(&field) {
                    Some(device) => names_gpu(device),
                    None => names_gpu(&message.string(&field)?),
                }
            }
            5 if node.attrs.len() >= ATTRS => {
                return Err(message.malformed(field.offset, "a node of more than 4096 attributes"));
            }
            5 => {
                let named = |e: ReadError| e.in_field(format!("node {}, attr", node.name));
                node.attrs.push(attr(message, &field, kept).map_err(named)?);
                cost += 1;
            }
            _ => {}
        }
    }
    node.inputs = kept.inputs.take();
    message.source().nodes(cost)?;
    Ok(node)
}

/// Whether a device is a GPU: `/device:GPU:0`, `/job:worker/replica:0/task:0/gpu:1`.
fn names_gpu(device: &str) -> bool {
    device.split('/').any(|part| {
        let part = part.strip_prefix("device:").unwrap_or(part);
        part.get(..3).is_some_and(|kind| kind.eq_ignore_ascii_case("gpu"))
    })
}

/// An attribute of a node or a function. One of the same bytes as an earlier one is that one.
fn attr(message: &mut Message<'_>, field: &Field, kept: &mut Kept) -> Result<Arc<Attr>, ReadError> {
    let bytes = message.ahead(field).filter(|bytes| bytes.len() <= SHARED);
    let Some(bytes) = bytes else {
        return message.enter(field, |message| entry(message, kept)).map(Arc::new);
    };
    if let Some(known) = kept.attr(bytes) {
        return Ok(known);
    }
    let bytes = bytes.into();
    let attr = Arc::new(message.enter(field, |message| entry(message, kept))?);
    kept.share(message, bytes, attr.clone())?;
    Ok(attr)
}

fn entry(message: &mut Message<'_>, kept: &mut Kept) -> Result<Attr, ReadError> {
    let mut name = None;
    let mut value = AttrValue::Missing;
    while let Some(field) = message.next()? {
        match field.number {
            1 => name = Some(kept.name(message, &field)?),
            2 => value = message.enter(&field, |message| attr_value(message, kept))?,
            _ => {}
        }
    }
    kept.count(message, size_of_val(&value))?;
    Ok((name.unwrap_or_else(|| "".into()), value))
}

fn library(message: &mut Message<'_>, graph: &mut Graph, kept: &mut Kept) -> Result<(), ReadError> {
    while let Some(field) = message.next()? {
        match field.number {
            1 => graph.functions.push(message.enter(&field, |m| function(m, kept))?),
            2 => graph.gradients.push(message.enter(&field, |m| gradient(m, kept))?),
            _ => {}
        }
    }
    Ok(())
}

fn function(message: &mut Message<'_>, kept: &mut Kept) -> Result<Function, ReadError> {
    let mut function = Function::default();
    kept.count(message, size_of::<Function>())?;
    while let Some(field) = message.next()? {
        match field.number {
            1 => function.signature = message.enter(&field, |m| op_def::op(m, kept))?,
            3 => {
                let node = message.enter(&field, |message| node(message, kept));
                let name = || format!("function {}, node_def", function.signature.name);
                function.nodes.push(node.map_err(|e| e.in_field(name()))?);
            }
            4 => function.returns.extend(message.enter(&field, |m| result(m, kept))?),
            5 if function.attrs.len() >= ATTRS => {
                let what = "a function of more than 4096 attributes";
                return Err(message.malformed(field.offset, what));
            }
            5 => function.attrs.push(attr(message, &field, kept)?),
            _ => {}
        }
    }
    Ok(function)
}

/// A result of a function, and where it comes from.
type Returned = (Box<str>, Box<str>);

fn result(message: &mut Message<'_>, kept: &mut Kept) -> Result<Option<Returned>, ReadError> {
    let (mut name, mut from) = (Box::default(), None);
    while let Some(field) = message.next()? {
        match field.number {
            1 => name = kept.text(message, &field)?,
            2 => from = Some(kept.text(message, &field)?),
            _ => {}
        }
    }
    Ok(from.map(|from| (name, from)))
}

fn gradient(message: &mut Message<'_>, kept: &mut Kept) -> Result<(String, String), ReadError> {
    let (mut of, mut is) = (String::new(), String::new());
    kept.count(message, size_of::<(String, String)>())?;
    let mut text =
        |message: &mut Message<'_>, field: &Field| kept.text(message, field).map(String::from);
    while let Some(field) = message.next()? {
        match field.number {
            1 => of = text(message, &field)?,
            2 => is = text(message, &field)?,
            _ => {}
        }
    }
    Ok((of, is))
}
