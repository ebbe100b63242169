//! The texts of the nodes of a body while they are read.

use std::borrow::Cow;
use std::sync::Arc;

use unskew_source::ReadError;
use unskew_source::wire::{MessageField, WireMessage};

use super::interner::Interner;
use crate::{NodeDef, SharedText};

/// The names and the inputs of nodes, each all in one text. The bytes are those of texts that were looked at one by one.
pub(super) struct NodeTexts {
    names: Vec<u8>,
    inputs: Vec<u8>,
}

/// The number of the field of a node that has its name.
pub(super) const NAME: u32 = 1;

impl NodeTexts {
    /// With room for the texts of so many nodes: more than most have, so that they are moved once.
    pub(super) fn with_capacity(nodes: usize) -> Self {
        Self { names: Vec::with_capacity(nodes * 96), inputs: Vec::with_capacity(nodes * 256) }
    }

    /// Reads the name of a node, or one more input of it, those of which are read in a row.
    pub(super) fn read(
        &mut self,
        message: &mut WireMessage<'_>,
        field: &MessageField,
        kept: &mut Interner,
        node: &mut NodeDef,
    ) -> Result<(), ReadError> {
        if field.number == NAME {
            let (start, end) = add(&mut self.names, message, field, kept)?;
            node.name = SharedText::at(start..end);
        } else {
            let (start, end) = add(&mut self.inputs, message, field, kept)?;
            node.inputs.push(start, end);
        }
        Ok(())
    }

    pub(super) fn name_of(&self, node: &NodeDef) -> Cow<'_, str> {
        String::from_utf8_lossy(self.names.get(node.name.range()).unwrap_or_default())
    }

    pub(super) fn give(self, nodes: &mut [NodeDef]) {
        let whole = |bytes| -> Arc<str> { String::from_utf8(bytes).unwrap_or_default().into() };
        let (names, inputs) = (whole(self.names), whole(self.inputs));
        for node in nodes {
            node.name.lies_in(&names);
            node.inputs.lie_in(&inputs);
        }
    }
}

fn add(
    all: &mut Vec<u8>,
    message: &mut WireMessage<'_>,
    field: &MessageField,
    kept: &mut Interner,
) -> Result<(u32, u32), ReadError> {
    let start = all.len();
    // Nearly all are ASCII, which is told sooner than whether bytes are any text.
    match message.ahead(field).filter(|bytes| bytes.is_ascii()) {
        Some(bytes) => all.extend_from_slice(bytes),
        None => all.extend_from_slice(message.string(field)?.as_bytes()),
    }
    kept.count(message, all.len() - start)?;
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Ok((place(start), place(all.len())))
}
