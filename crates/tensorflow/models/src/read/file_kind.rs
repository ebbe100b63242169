//! Recognition of TensorFlow's files.
//!
//! None of its messages has a magic number, and protobuf takes almost anything for a message. So a
//! file is taken for a graph only if its first structure is one: a node with a name and an op, a
//! function with a signature, a description of an export with ops, tags or a version.

use unskew_source::wire::{MessageField, WireMessage};
use unskew_source::{ReadError, Source, SourceExt, SourceProblem};

use super::{schema, table};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorFlowFileKind {
    /// A GraphDef, one graph without signatures.
    Graph,
    /// A MetaGraphDef, a graph with its collections and signatures.
    MetaGraph,
    /// A SavedModel, which may have several graphs.
    SavedModel,
    /// A table of the kind that checkpoints are.
    Table,
    /// An OpList: the registry of ops of a TensorFlow.
    OpList,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Protobuf's bytes, or a table.
    Binary,
    /// The text format of protobuf.
    Text,
}

/// How many fields are looked at before a file is given up.
const LOOKS: usize = 64;

/// How many bytes of a text are looked at.
const HEAD: u64 = 4 << 10;

/// The kind of `source`; none if it is not TensorFlow's.
///
/// # Errors
/// Only if the bytes cannot be read at all.
pub fn recognize(source: &dyn Source) -> Result<Option<(TensorFlowFileKind, Encoding)>, ReadError> {
    if table::recognizes(source) {
        return Ok(Some((TensorFlowFileKind::Table, Encoding::Binary)));
    }
    let head = source.head(HEAD)?;
    if let Some(kind) = schema::kind_of_text(&head) {
        return Ok(Some((kind, Encoding::Text)));
    }
    match message_kind(&mut WireMessage::whole(source)) {
        Ok(kind) => Ok(kind.map(|kind| (kind, Encoding::Binary))),
        Err(error) if matches!(*error.problem, SourceProblem::Io(_)) => Err(error),
        Err(_) => Ok(None),
    }
}

fn message_kind(message: &mut WireMessage<'_>) -> Result<Option<TensorFlowFileKind>, ReadError> {
    let Some(first) = message.next()? else { return Ok(None) };
    match (first.number, first.varint().is_some()) {
        // A schema number, then graphs.
        (1, true) => {
            let Some(second) = message.next()? else { return Ok(None) };
            let is = second.number == 2 && message.enter(&second, is_meta_graph)?;
            Ok(is.then_some(TensorFlowFileKind::SavedModel))
        }
        (1, false) if probe(message, &first, is_node)? => {
            // Many messages begin with a name and a word; few go on like a graph. A graph that is
            // torn here is one all the same.
            let next = message.next().ok().flatten();
            let goes_on = next.is_none_or(|next| match next.number {
                1 | 2 | 4 | 5 => next.span().is_some(),
                3 => next.varint().is_some(),
                _ => false,
            });
            Ok(goes_on.then_some(TensorFlowFileKind::Graph))
        }
        (1, false) if probe(message, &first, is_op_def)? => Ok(Some(TensorFlowFileKind::OpList)),
        (1, false) if probe(message, &first, is_info)? => {
            let graph = message.next()?.filter(|field| field.number == 2);
            let Some(graph) = graph else { return Ok(None) };
            Ok(message.enter(&graph, is_graph)?.then_some(TensorFlowFileKind::MetaGraph))
        }
        // A graph of functions alone, a MetaGraphDef without a description, or a SavedModel whose
        // schema number is 0 and so not written.
        (2, false) if probe(message, &first, is_library)? => Ok(Some(TensorFlowFileKind::Graph)),
        (2, false) if probe(message, &first, is_meta_graph)? => {
            Ok(Some(TensorFlowFileKind::SavedModel))
        }
        (2, false) if probe(message, &first, is_graph)? => Ok(Some(TensorFlowFileKind::MetaGraph)),
        _ => Ok(None),
    }
}

/// Whether the message in `field` passes `test`; one that is no message at all does not.
fn probe<'s>(
    message: &mut WireMessage<'s>,
    field: &MessageField,
    test: impl FnOnce(&mut WireMessage<'s>) -> Result<bool, ReadError>,
) -> Result<bool, ReadError> {
    match message.enter(field, test) {
        Err(error) if !matches!(*error.problem, SourceProblem::Io(_)) => Ok(false),
        other => other,
    }
}

/// A name and an op, and nothing that a node does not have.
fn is_node(message: &mut WireMessage<'_>) -> Result<bool, ReadError> {
    let (mut name, mut op) = (false, false);
    for _ in 0..LOOKS {
        let Some(field) = message.next()? else { break };
        match field.number {
            1 => name = is_name(message, &field)?,
            2 => op = is_name(message, &field)? && is_op(&message.bytes(&field)?),
            3..=7 if field.span().is_some() => {}
            _ => return Ok(false),
        }
        if name && op {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A definition of an op: a name, and arguments or attributes that are messages with names.
fn is_op_def(message: &mut WireMessage<'_>) -> Result<bool, ReadError> {
    let mut name = false;
    for _ in 0..LOOKS {
        let Some(field) = message.next()? else { return Ok(name) };
        match field.number {
            1 => name = is_name(message, &field)? && is_op(&message.bytes(&field)?),
            2..=4 => return Ok(name && probe(message, &field, begins_with_name)?),
            5 | 6 | 8 | 20 if field.span().is_some() => {}
            16..=19 | 21 if field.varint().is_some() => {}
            _ => return Ok(false),
        }
    }
    Ok(false)
}

/// Whether a field is a text of the characters that names of nodes and ops have.
fn is_name(message: &mut WireMessage<'_>, field: &MessageField) -> Result<bool, ReadError> {
    if field.span().is_none_or(|span| span.len == 0 || span.len > HEAD) {
        return Ok(false);
    }
    let bytes = message.bytes(field)?;
    let legal = |b: &u8| b.is_ascii_alphanumeric() || b"_./>-\\:".contains(b);
    Ok(bytes.iter().all(legal) && bytes[0] != b'/' && bytes[0] != b'-')
}

/// Ops begin with a capital, functions that TensorFlow makes with an underscore.
fn is_op(name: &[u8]) -> bool {
    name.first().is_some_and(|b| b.is_ascii_uppercase() || *b == b'_')
}

/// A description of an export: ops, tags or a version.
fn is_info(message: &mut WireMessage<'_>) -> Result<bool, ReadError> {
    let mut says = false;
    for _ in 0..LOOKS {
        let Some(field) = message.next()? else { break };
        match field.number {
            2 => {
                return probe(message, &field, |list| {
                    let Some(op) = list.next()? else { return Ok(true) };
                    Ok(op.number == 1 && list.enter(&op, begins_with_name)?)
                });
            }
            4..=6 => says |= is_name(message, &field)?,
            1 | 3 | 8 if field.span().is_some() => {}
            7 if field.varint().is_some() => {}
            _ => return Ok(false),
        }
    }
    Ok(says)
}

fn begins_with_name(message: &mut WireMessage<'_>) -> Result<bool, ReadError> {
    match message.next()? {
        Some(field) if field.number == 1 => is_name(message, &field),
        _ => Ok(false),
    }
}

/// A library of functions: a function, whose signature has a name.
fn is_library(message: &mut WireMessage<'_>) -> Result<bool, ReadError> {
    match message.next()? {
        Some(function) if function.number == 1 => message.enter(&function, |function| {
            match function.next()? {
                Some(signature) if signature.number == 1 => {
                    // A node begins with a name too, but that is no message with a name in it.
                    function.enter(&signature, begins_with_name)
                }
                _ => Ok(false),
            }
        }),
        _ => Ok(false),
    }
}

/// A graph: its first field is a node, a library or versions.
fn is_graph(message: &mut WireMessage<'_>) -> Result<bool, ReadError> {
    match message.next()? {
        Some(field) if field.number == 1 => probe(message, &field, is_node),
        Some(field) if field.number == 2 => probe(message, &field, is_library),
        Some(field) => Ok(field.number == 4 && field.span().is_some_and(|span| span.len < 64)),
        None => Ok(true),
    }
}

/// A graph with a description before it.
fn is_meta_graph(message: &mut WireMessage<'_>) -> Result<bool, ReadError> {
    let Some(first) = message.next()? else { return Ok(false) };
    match first.number {
        1 => {
            if !probe(message, &first, is_info)? {
                return Ok(false);
            }
            let graph = message.next()?;
            match graph {
                Some(graph) if graph.number == 2 => probe(message, &graph, is_graph),
                _ => Ok(false),
            }
        }
        2 => match message.enter(&first, |graph| graph.next())? {
            Some(_) => probe(message, &first, is_graph),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}
