//! `GraphDef`: its nodes, functions and versions.

use std::sync::Arc;

use unskew_source::wire::{MessageField, WireMessage};
use unskew_source::{ReadError, Source, SourceExt as _};

use super::interner::Interner;
use super::node_texts::{NAME, NodeTexts};
use super::op_def;
use super::values::{attr_value, versions};
use crate::attrs::{Attr, AttrList};
use crate::{AttrValue, FunctionDef, GraphDef, NodeDef};

/// The most attributes of a node or a function; real ones have a few dozen.
const ATTRS: usize = 4 << 10;

/// The most bytes of an attribute that is looked for among earlier ones. Longer ones are shapes, lists, constants and
/// names, of which few are equal.
const SHARED: usize = 64;

/// The same of all attributes of a node together.
const SHARED_TOGETHER: usize = 128;

/// The graph in `source`, which is one `GraphDef`.
///
/// # Errors
/// If it is none, or larger than is kept; with the byte and the field.
pub fn graph(source: &dyn Source) -> Result<GraphDef, ReadError> {
    graph_in(&mut WireMessage::whole(source), &mut Interner::default())
}

/// Reads a `GraphDef` and keeps what `kept` says.
pub(crate) fn graph_in(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<GraphDef, ReadError> {
    let room = room(message);
    let (mut graph, mut texts) = (GraphDef::default(), NodeTexts::with_capacity(room));
    graph.nodes.reserve(room);
    kept.expect(room);
    while let Some(field) = message.next()? {
        match field.number {
            1 => {
                let nodes = &mut graph.nodes;
                let read = message.enter(&field, |message| node(message, kept, &mut texts, nodes));
                read.map_err(|e| e.in_field("node"))?;
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
    texts.give(&mut graph.nodes);
    Ok(graph)
}

/// For how many nodes of a body there is room from the beginning, so that few of many are moved later.
fn room(message: &WireMessage<'_>) -> usize {
    usize::try_from(message.left() / NODE).unwrap_or(ROOM).min(ROOM)
}

/// The most such nodes: a body may be large for its weights.
const ROOM: usize = 4 << 10;

/// How many bytes most nodes have, arguments of functions included.
const NODE: u64 = 256;

/// Reads a `NodeDef` and keeps what `kept` says; its texts are in `texts` until that gives them.
fn node(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
    texts: &mut NodeTexts,
    nodes: &mut Vec<NodeDef>,
) -> Result<(), ReadError> {
    let mut node = NodeDef::default();
    kept.count(message, size_of::<NodeDef>())?;
    // An input or an attribute costs about as much as what else there is of a node.
    let mut cost = 1;
    let mut attrs = OwnAttrs::default();
    while let Some(field) = message.next()? {
        if field.number < ATTR {
            attrs.bytes = None;
        }
        match field.number {
            NAME => texts.read(message, &field, kept, &mut node)?,
            2 => node.op = kept.name(message, &field)?,
            3 => {
                texts.read(message, &field, kept, &mut node)?;
                cost += 1;
            }
            4 => node.on_gpu = on_gpu(message, &field, kept)?,
            ATTR if attrs.each.len() >= ATTRS => {
                return Err(message.malformed(field.offset, "a node of more than 4096 attributes"));
            }
            ATTR => {
                if attrs.each.is_empty()
                    && let Some(known) = rest(message, &field).and_then(|rest| kept.attrs(rest))
                {
                    cost += known.len() as u64;
                    node.attrs = known;
                    break;
                }
                let named =
                    |e: ReadError| e.in_field(format!("node {}, attr", texts.name_of(&node)));
                attrs.read(message, &field, kept).map_err(named)?;
                cost += 1;
            }
            _ => {}
        }
    }
    if !attrs.each.is_empty() {
        node.attrs = attrs.each.into();
        if let Some(bytes) = attrs.bytes {
            kept.share_all(message, bytes, node.attrs.clone())?;
        }
    }
    message.source().nodes(cost)?;
    nodes.push(node);
    Ok(())
}

/// The number of the field of a node that has an attribute. The ones below it are kept too, the ones above are not.
const ATTR: u32 = 5;

/// The attributes of a node while they are read.
#[derive(Default)]
struct OwnAttrs {
    each: AttrList,
    /// The bytes from the first to the end of the node, if they are few, and attributes are all that is kept of them.
    bytes: Option<Box<[u8]>>,
}

impl OwnAttrs {
    fn read(
        &mut self,
        message: &mut WireMessage<'_>,
        field: &MessageField,
        kept: &mut Interner,
    ) -> Result<(), ReadError> {
        if self.each.is_empty() {
            self.bytes = rest(message, field).map(Into::into);
        }
        self.each.push(attr(message, field, kept)?);
        Ok(())
    }
}

/// The bytes of a node from its first attribute on, if they are few.
fn rest<'m>(message: &'m WireMessage<'_>, first: &MessageField) -> Option<&'m [u8]> {
    message.rest(first).filter(|rest| rest.len() <= SHARED_TOGETHER)
}

/// Whether the device in `field` is a GPU. Most nodes that have a device have that of the node before.
fn on_gpu(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    kept: &mut Interner,
) -> Result<bool, ReadError> {
    let (last, on_gpu) = &kept.device;
    if message.ahead(field) == Some(last.as_bytes()) {
        return Ok(*on_gpu);
    }
    let device = message.string(field)?;
    let on_gpu = names_gpu(&device);
    kept.device = (device, on_gpu);
    Ok(on_gpu)
}

/// Whether a device is a GPU: `/device:GPU:0`, `/job:worker/replica:0/task:0/gpu:1`.
fn names_gpu(device: &str) -> bool {
    device.split('/').any(|part| {
        let part = part.strip_prefix("device:").unwrap_or(part);
        part.get(..3).is_some_and(|kind| kind.eq_ignore_ascii_case("gpu"))
    })
}

/// An attribute of a node or a function. One of the same bytes as an earlier one is that one.
fn attr(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    kept: &mut Interner,
) -> Result<Arc<Attr>, ReadError> {
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

fn entry(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<Attr, ReadError> {
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

fn library(
    message: &mut WireMessage<'_>,
    graph: &mut GraphDef,
    kept: &mut Interner,
) -> Result<(), ReadError> {
    while let Some(field) = message.next()? {
        match field.number {
            1 => graph.functions.push(message.enter(&field, |m| function(m, kept))?),
            2 => graph.gradients.push(message.enter(&field, |m| gradient(m, kept))?),
            _ => {}
        }
    }
    Ok(())
}

fn function(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<FunctionDef, ReadError> {
    let mut function = FunctionDef::default();
    let room = room(message);
    let (mut attrs, mut texts) = (AttrList::new(), NodeTexts::with_capacity(room));
    function.nodes.reserve(room);
    kept.count(message, size_of::<FunctionDef>())?;
    while let Some(field) = message.next()? {
        match field.number {
            1 => function.signature = message.enter(&field, |m| op_def::op(m, kept))?,
            3 => {
                let nodes = &mut function.nodes;
                let read = message.enter(&field, |message| node(message, kept, &mut texts, nodes));
                let name = || format!("function {}, node_def", function.signature.name);
                read.map_err(|e| e.in_field(name()))?;
            }
            4 => function.returns.extend(message.enter(&field, |m| result(m, kept))?),
            5 if attrs.len() >= ATTRS => {
                let what = "a function of more than 4096 attributes";
                return Err(message.malformed(field.offset, what));
            }
            5 => attrs.push(attr(message, &field, kept)?),
            _ => {}
        }
    }
    texts.give(&mut function.nodes);
    function.attrs = attrs.into();
    Ok(function)
}

/// A result of a function, and where it comes from.
type FunctionResult = (Box<str>, Box<str>);

fn result(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<Option<FunctionResult>, ReadError> {
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

fn gradient(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<(String, String), ReadError> {
    let (mut of, mut is) = (String::new(), String::new());
    kept.count(message, size_of::<(String, String)>())?;
    let mut text = |message: &mut WireMessage<'_>, field: &MessageField| {
        kept.text(message, field).map(String::from)
    };
    while let Some(field) = message.next()? {
        match field.number {
            1 => of = text(message, &field)?,
            2 => is = text(message, &field)?,
            _ => {}
        }
    }
    Ok((of, is))
}
