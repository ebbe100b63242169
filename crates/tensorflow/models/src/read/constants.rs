//! The texts of constants, read from a file whose graphs are known: all else in it is passed over.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_source::wire::{MessageField, WireMessage};
use unskew_source::{ReadError, Source};

use super::TensorFlowFileKind;
use super::interner::Interner;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ConstantPlace {
    /// The graph, of those of a SavedModel.
    pub(crate) graph: usize,
    /// The function in whose body it stands, by its place in the library; none for the graph itself.
    pub(crate) function: Option<usize>,
    /// Its place among the nodes.
    pub(crate) node: usize,
}

/// The texts of constants; none of what is no constant, or is not of texts.
pub(crate) type ConstantTexts = BTreeMap<ConstantPlace, Vec<Arc<str>>>;

/// The most texts of a constant that are read.
const TEXTS: usize = 1 << 20;

/// The number of `string` in TensorFlow's `DataType`.
const STRING: u64 = 7;

/// Reads the texts of the constants that `wanted` has places for.
///
/// # Errors
/// If the source is no such message.
pub(crate) fn constant_texts(
    source: &dyn Source,
    kind: TensorFlowFileKind,
    wanted: ConstantTexts,
) -> Result<ConstantTexts, ReadError> {
    let place = ConstantPlace { graph: 0, function: None, node: 0 };
    let mut walk = ConstantFinder { place, wanted, kept: Interner::default() };
    let mut message = WireMessage::whole(source);
    match kind {
        TensorFlowFileKind::Graph => walk.graph(&mut message)?,
        TensorFlowFileKind::MetaGraph => walk.meta_graph(&mut message)?,
        TensorFlowFileKind::SavedModel => each(&mut message, 2, |meta| {
            walk.meta_graph(meta)?;
            walk.place.graph += 1;
            Ok(())
        })?,
        TensorFlowFileKind::Table | TensorFlowFileKind::OpList => {}
    }
    Ok(walk.wanted)
}

/// Reads every message in the field `number`.
fn each<'s>(
    message: &mut WireMessage<'s>,
    number: u32,
    mut read: impl FnMut(&mut WireMessage<'s>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    while let Some(field) = message.next()? {
        if field.number == number && field.span().is_some() {
            message.enter(&field, &mut read)?;
        }
    }
    Ok(())
}

struct ConstantFinder {
    /// Where the next node stands.
    place: ConstantPlace,
    wanted: ConstantTexts,
    kept: Interner,
}

impl ConstantFinder {
    fn meta_graph(&mut self, message: &mut WireMessage<'_>) -> Result<(), ReadError> {
        each(message, 2, |graph| self.graph(graph))
    }

    fn graph(&mut self, message: &mut WireMessage<'_>) -> Result<(), ReadError> {
        // Nodes and libraries may take turns.
        let (mut nodes, mut functions) = (0, 0);
        while let Some(field) = message.next()? {
            match field.number {
                1 => {
                    self.place = ConstantPlace { function: None, node: nodes, ..self.place };
                    self.node(message, &field)?;
                    nodes += 1;
                }
                2 => message.enter(&field, |library| {
                    each(library, 1, |function| {
                        self.place =
                            ConstantPlace { function: Some(functions), node: 0, ..self.place };
                        functions += 1;
                        self.function(function)
                    })
                })?,
                _ => {}
            }
        }
        Ok(())
    }

    fn function(&mut self, message: &mut WireMessage<'_>) -> Result<(), ReadError> {
        let first = self.place;
        let last = ConstantPlace { node: usize::MAX, ..first };
        let Some((&last, _)) = self.wanted.range(first..=last).next_back() else { return Ok(()) };
        while self.place <= last
            && let Some(field) = message.next()?
        {
            if field.number == 3 {
                self.node(message, &field)?;
                self.place.node += 1;
            }
        }
        Ok(())
    }

    fn node(
        &mut self,
        message: &mut WireMessage<'_>,
        field: &MessageField,
    ) -> Result<(), ReadError> {
        if !self.wanted.contains_key(&self.place) {
            return Ok(());
        }
        let (mut constant, mut texts) = (false, Vec::new());
        message.enter(field, |node| {
            while let Some(field) = node.next()? {
                match field.number {
                    2 => constant = self.kept.name(node, &field)?.as_ref() == "Const",
                    5 => node.enter(&field, |entry| self.attr(entry, &mut texts))?,
                    _ => {}
                }
            }
            Ok(())
        })?;
        if constant {
            self.wanted.insert(self.place, texts);
        }
        Ok(())
    }

    /// An attribute, of which the texts of a tensor called `value` are kept.
    fn attr(
        &mut self,
        message: &mut WireMessage<'_>,
        texts: &mut Vec<Arc<str>>,
    ) -> Result<(), ReadError> {
        let mut value = false;
        while let Some(field) = message.next()? {
            match field.number {
                1 => value = self.kept.name(message, &field)?.as_ref() == "value",
                2 if value => message
                    .enter(&field, |value| each(value, 8, |tensor| self.tensor(tensor, texts)))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The texts of a `TensorProto`.
    fn tensor(
        &mut self,
        message: &mut WireMessage<'_>,
        texts: &mut Vec<Arc<str>>,
    ) -> Result<(), ReadError> {
        while let Some(field) = message.next()? {
            match (field.number, field.varint()) {
                (1, Some(dtype)) if dtype != STRING => return Ok(()),
                (8, None) if texts.len() < TEXTS => {
                    let bytes = message.bytes(&field)?;
                    self.kept.count(message, bytes.len())?;
                    // Bytes that are no text stand for no name.
                    texts.push(String::from_utf8(bytes).unwrap_or_default().into());
                }
                _ => {}
            }
        }
        Ok(())
    }
}
