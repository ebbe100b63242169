//! Edits of a file, and the walk that makes them.
//!
//! A message is walked field by field. What is not changed is copied as it lies, unknown fields and unusual
//! encodings with it; only the messages on the way to a change get a new length. Values of tensors are never
//! read.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use foldhash::HashMap;
use unskew_source::ReadError;
use unskew_source::wire::{MessageField, WireMessage};

use crate::DataType;
use crate::read::TensorFlowFileKind;
use unskew_source::Rope;

/// What is changed in one node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeEdit {
    pub(super) op: Option<String>,
    /// All inputs, if they change.
    pub(super) inputs: Option<Vec<String>>,
    pub(super) drop: BTreeSet<String>,
    /// Attributes that get another name.
    pub(super) rename: BTreeMap<String, String>,
    /// The type of a constant that gets a zero for all its values.
    pub(super) zero: Option<DataType>,
    /// Attributes that it gets, which are types.
    pub(super) types: BTreeMap<String, DataType>,
}

impl NodeEdit {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The place of a node: in the body of a function, or in the graph itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodePlace {
    pub(super) function: Option<usize>,
    pub(super) node: usize,
}

/// What becomes of the versions of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum VersionsEdit {
    #[default]
    Keep,
    Clear,
    /// They are this message.
    Set(Vec<u8>),
}

/// What is changed in one graph, and in what is said about it.
#[derive(Clone, Debug, Default)]
pub(super) struct GraphEdit {
    pub(super) nodes: HashMap<NodePlace, NodeEdit>,
    pub(super) versions: VersionsEdit,
    /// Ops that the list of used ops loses.
    pub(super) unlisted: BTreeSet<String>,
    /// Ops that it gets: each an `OpDef`.
    pub(super) listed: Vec<Vec<u8>>,
}

impl GraphEdit {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.versions == VersionsEdit::Keep
    }
}

/// A message under way: the new bytes of the one that is walked.
pub(super) struct MessageRewriter<'w, 's> {
    pub(super) message: &'w mut WireMessage<'s>,
    pub(super) out: Rope,
}

/// Walks the message in which `message` stands; `edit` says of each field whether it wrote it itself.
pub(super) fn walk<'s>(
    message: &mut WireMessage<'s>,
    edit: &mut dyn FnMut(&mut MessageRewriter<'_, 's>, &MessageField) -> Result<bool, ReadError>,
) -> Result<Rope, ReadError> {
    let mut walk = MessageRewriter { message, out: Rope::default() };
    while let Some(field) = walk.message.next()? {
        let whole = field.offset..walk.message.position();
        if !edit(&mut walk, &field)? {
            walk.out.copy(whole);
        }
    }
    Ok(walk.out)
}

impl<'s> MessageRewriter<'_, 's> {
    /// Goes into the message in `field`; says whether it came out another one.
    pub(super) fn inside(
        &mut self,
        field: &MessageField,
        name: &str,
        read: impl FnOnce(&mut WireMessage<'s>) -> Result<Rope, ReadError>,
    ) -> Result<bool, ReadError> {
        let inner = self.message.enter(field, read).map_err(|error| error.in_field(name))?;
        let range = |span: unskew_source::wire::ByteSpan| Range {
            start: span.start,
            end: span.start.saturating_add(span.len),
        };
        if field.span().is_some_and(|span| inner.is(&range(span))) {
            return Ok(false);
        }
        self.out.message(field.number, inner);
        Ok(true)
    }
}

/// The file of this kind with these changes, one for each of its graphs.
pub(super) fn file(
    message: &mut WireMessage<'_>,
    kind: TensorFlowFileKind,
    edits: &[GraphEdit],
) -> Result<Rope, ReadError> {
    let mut graphs = edits.iter();
    match kind {
        TensorFlowFileKind::SavedModel => {
            walk(message, &mut |walk, field| match (field.number, graphs.as_slice()) {
                (2, [edit, ..]) => {
                    graphs.next();
                    walk.inside(field, "meta_graphs", |message| meta_graph(message, edit))
                }
                _ => Ok(false),
            })
        }
        TensorFlowFileKind::MetaGraph => {
            edits.first().map_or_else(|| Ok(Rope::default()), |edit| meta_graph(message, edit))
        }
        TensorFlowFileKind::Graph | TensorFlowFileKind::Table | TensorFlowFileKind::OpList => {
            edits.first().map_or_else(|| Ok(Rope::default()), |edit| graph(message, edit))
        }
    }
}

fn meta_graph(message: &mut WireMessage<'_>, edit: &GraphEdit) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| match field.number {
        1 => walk.inside(field, "meta_info_def", |message| info(message, edit)),
        2 => walk.inside(field, "graph_def", |message| graph(message, edit)),
        _ => Ok(false),
    })
}

fn info(message: &mut WireMessage<'_>, edit: &GraphEdit) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| match field.number {
        2 => walk.inside(field, "stripped_op_list", |message| op_list(message, edit)),
        _ => Ok(false),
    })
}

fn op_list(message: &mut WireMessage<'_>, edit: &GraphEdit) -> Result<Rope, ReadError> {
    let mut listed = BTreeSet::new();
    let mut list = walk(message, &mut |walk, field| {
        let name = match field.number {
            1 => name_of(walk.message, field)?,
            _ => return Ok(false),
        };
        let goes = edit.unlisted.contains(&name);
        listed.insert(name);
        Ok(goes)
    })?;
    for op in &edit.listed {
        let name = unskew_source::BytesSource::new("op", op.clone());
        let name = own_name(&mut WireMessage::whole(&name))?;
        if listed.insert(name) {
            let mut inner = Rope::default();
            inner.bytes(op);
            list.message(1, inner);
        }
    }
    Ok(list)
}

/// The header of a checkpoint of this format, with these versions or none.
pub(super) fn header(
    message: &mut WireMessage<'_>,
    format: u8,
    versions: Option<&[u8]>,
) -> Result<Rope, ReadError> {
    // Format 1 has the versions inside of what it says of its tensors.
    if format == 1 {
        return walk(message, &mut |walk, field| match field.number {
            1 => walk.inside(field, "meta", |message| versioned(message, 2, versions)),
            _ => Ok(false),
        });
    }
    versioned(message, 3, versions)
}

fn versioned(
    message: &mut WireMessage<'_>,
    number: u32,
    versions: Option<&[u8]>,
) -> Result<Rope, ReadError> {
    let mut rope = walk(message, &mut |_, field| Ok(field.number == number))?;
    if let Some(versions) = versions {
        let mut inner = Rope::default();
        inner.bytes(versions);
        rope.message(number, inner);
    }
    Ok(rope)
}

fn graph(message: &mut WireMessage<'_>, edit: &GraphEdit) -> Result<Rope, ReadError> {
    let (mut nodes, mut functions) = (0, 0);
    let mut graph = walk(message, &mut |walk, field| match field.number {
        1 => {
            let place = NodePlace { function: None, node: nodes };
            nodes += 1;
            match edit.nodes.get(&place) {
                Some(edit) => walk.inside(field, "node", |message| node(message, edit)),
                None => Ok(false),
            }
        }
        2 => walk.inside(field, "library", |message| library(message, edit, &mut functions)),
        4 => Ok(edit.versions != VersionsEdit::Keep),
        _ => Ok(false),
    })?;
    if let VersionsEdit::Set(versions) = &edit.versions {
        let mut inner = Rope::default();
        inner.bytes(versions);
        graph.message(4, inner);
    }
    Ok(graph)
}

fn library(
    message: &mut WireMessage<'_>,
    edit: &GraphEdit,
    functions: &mut usize,
) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| {
        if field.number != 1 {
            return Ok(false);
        }
        let function = *functions;
        *functions += 1;
        walk.inside(field, "function", |message| {
            let mut nodes = 0;
            walk_function(message, edit, function, &mut nodes)
        })
    })
}

fn walk_function(
    message: &mut WireMessage<'_>,
    edit: &GraphEdit,
    function: usize,
    nodes: &mut usize,
) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| {
        if field.number != 3 {
            return Ok(false);
        }
        let place = NodePlace { function: Some(function), node: *nodes };
        *nodes += 1;
        match edit.nodes.get(&place) {
            Some(edit) => walk.inside(field, "node_def", |message| node(message, edit)),
            None => Ok(false),
        }
    })
}

/// A node: its changed inputs stand where the first one stood.
fn node(message: &mut WireMessage<'_>, edit: &NodeEdit) -> Result<Rope, ReadError> {
    let mut inputs = edit.inputs.as_ref();
    let mut node = walk(message, &mut |walk, field| match field.number {
        2 => {
            let Some(op) = &edit.op else { return Ok(false) };
            walk.out.text(2, op);
            Ok(true)
        }
        3 if edit.inputs.is_some() => {
            for input in inputs.take().into_iter().flatten() {
                walk.out.text(3, input);
            }
            Ok(true)
        }
        5 => {
            let key = name_of(walk.message, field)?;
            match edit.rename.get(&key) {
                _ if edit.drop.contains(&key) => Ok(true),
                None if key == "value" && edit.zero.is_some() => {
                    walk.inside(field, "attr", |message| zeroed(message, edit.zero))
                }
                Some(name) => walk.inside(field, "attr", |message| renamed(message, name)),
                None => Ok(false),
            }
        }
        _ => Ok(false),
    })?;
    for (name, dtype) in &edit.types {
        let (mut value, mut attr) = (Rope::default(), Rope::default());
        value.number(6, dtype.0 as u64);
        attr.text(1, name);
        attr.message(2, value);
        node.message(5, attr);
    }
    Ok(node)
}

/// An attribute whose value is a tensor, with one zero of this type: it counts for all its elements.
fn zeroed(message: &mut WireMessage<'_>, dtype: Option<DataType>) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| match field.number {
        2 => walk.inside(field, "value", |value| {
            walk_in(value, 8, |tensor| {
                let mut rope = walk_all(tensor)?;
                match dtype.map_or(0, |dtype| dtype.0) {
                    1 => rope.fixed32(5, 0),
                    9 => rope.number(10, 0),
                    _ => rope.number(7, 0),
                }
                Ok(rope)
            })
        }),
        _ => Ok(false),
    })
}

/// A message as it is.
fn walk_all(message: &mut WireMessage<'_>) -> Result<Rope, ReadError> {
    walk(message, &mut |_, _| Ok(false))
}

/// A message of which one field, a message itself, becomes another.
fn walk_in<'s>(
    message: &mut WireMessage<'s>,
    number: u32,
    mut read: impl FnMut(&mut WireMessage<'s>) -> Result<Rope, ReadError>,
) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| match field.number == number {
        true => walk.inside(field, "tensor", &mut read),
        false => Ok(false),
    })
}

/// An attribute under another name.
fn renamed(message: &mut WireMessage<'_>, name: &str) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| {
        if field.number == 1 {
            walk.out.text(1, name);
        }
        Ok(field.number == 1)
    })
}

/// The name of an attribute, an op or a function: the first field of its message.
pub(super) fn name_of(
    message: &mut WireMessage<'_>,
    field: &MessageField,
) -> Result<String, ReadError> {
    message.enter(field, own_name)
}

fn own_name(message: &mut WireMessage<'_>) -> Result<String, ReadError> {
    let mut name = String::new();
    while let Some(field) = message.next()? {
        if field.number == 1 {
            name = message.string(&field)?;
        }
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use unskew_source::{BytesSource, Source, SourceExt as _};

    use super::*;

    fn unchanged(bytes: Vec<u8>, kind: TensorFlowFileKind) -> Option<Vec<u8>> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("any", bytes));
        let rope = file(&mut WireMessage::whole(&*source), kind, &[GraphEdit::default()]).ok()?;
        rope.assemble(&source, "out").ok()?.all().ok()
    }

    #[test]
    fn a_node_that_changes_leaves_unknown_fields_and_odd_lengths_of_others_as_they_are() {
        // A node with a length of two bytes, one of an unknown field, then the node that changes.
        let bytes = b"\x0a\x83\x00\x0a\x01a\xfa\x01\x01z\x0a\x09\x0a\x01b\x12\x01X\xd2\x3e\x00";
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("graph", bytes.to_vec()));
        let mut edit = GraphEdit::default();
        let place = NodePlace { function: None, node: 1 };
        edit.nodes.insert(place, NodeEdit { op: Some("Yes".into()), ..NodeEdit::default() });
        let rope =
            file(&mut WireMessage::whole(&*source), TensorFlowFileKind::Graph, &[edit]).unwrap();
        let out = rope.assemble(&source, "out").unwrap().all().unwrap();
        let wanted = b"\x0a\x83\x00\x0a\x01a\xfa\x01\x01z\x0a\x0b\x0a\x01b\x12\x03Yes\xd2\x3e\x00";
        assert_eq!(out, wanted);
    }

    proptest! {
        #[test]
        fn what_is_not_changed_keeps_every_byte(
            bytes in proptest::collection::vec(prop_oneof![3 => 0u8..40, 1 => any::<u8>()], 0..200),
            kind in prop_oneof![Just(TensorFlowFileKind::Graph), Just(TensorFlowFileKind::MetaGraph), Just(TensorFlowFileKind::SavedModel)],
        ) {
            if let Some(same) = unchanged(bytes.clone(), kind) {
                prop_assert_eq!(same, bytes);
            }
        }
    }
}
