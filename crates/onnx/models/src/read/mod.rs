//! Reader of models: fields are walked where they lie, tensors are passed over.

mod graph;
pub(crate) mod ort;
mod tensor;
mod text;

pub(crate) use graph::TWICE;
pub(crate) use tensor::varints;
use unskew_source::wire::{MessageField, MessageValue as Wire, WireMessage};
use unskew_source::{BytesSource, ReadError, Source, SourceExt as _};

use crate::{OnnxFunction, OnnxModel};

/// The most domains, functions, and keys of metadata; real models have a few hundred functions.
const MANY: usize = 100_000;

/// The longest name that is kept, in bytes.
const NAME: u64 = 64 << 10;

/// The ending of a model's file.
const ENDING: &str = ".onnx";

/// The highest number that is taken for a version of the format.
const HIGHEST_IR: u64 = 10_000;

/// The fields of `ModelProto`, with whether they are length-delimited.
const FIELDS: [(u32, bool); 12] = [
    (1, false),
    (2, true),
    (3, true),
    (4, true),
    (5, false),
    (6, true),
    (7, true),
    (8, true),
    (14, true),
    (20, true),
    (25, true),
    (26, true),
];

/// The model in `source`; none if it is none. A bare message has no magic number: what is called `.onnx` is one, and
/// so is what has the fields of one and no others.
///
/// # Errors
/// If it is called so and is broken, or larger than is kept; with the byte and the field.
pub fn model(source: &dyn Source) -> Result<Option<OnnxModel>, ReadError> {
    match in_text(source)? {
        Some(bytes) if recognized(&bytes)? => read(&bytes).map(Some),
        Some(_) => {
            Err(ReadError::malformed(source.name(), "a model in text without `ir_version`").at(0))
        }
        None => in_bytes(source),
    }
}

/// The bytes of a model that stands there in the textual syntax of ONNX; none if it does not.
///
/// # Errors
/// If it begins so and is broken.
pub(crate) fn in_text(source: &dyn Source) -> Result<Option<BytesSource>, ReadError> {
    text::bytes(source)
}

/// The model in bytes; none if it is none.
///
/// # Errors
/// As [`model`].
pub(crate) fn in_bytes(source: &dyn Source) -> Result<Option<OnnxModel>, ReadError> {
    let named = source.name().to_ascii_lowercase().ends_with(ENDING);
    match recognized(source) {
        Ok(true) => read(source).map(Some),
        Ok(false) if named => Err(ReadError::malformed(
            source.name(),
            "not an ONNX model: it has no IR version or no graph",
        )
        .at(0)),
        Err(error) if named => Err(error),
        Ok(false) | Err(_) => Ok(None),
    }
}

/// Whether it has the fields of a model, of which nothing is read.
fn recognized(source: &dyn Source) -> Result<bool, ReadError> {
    let mut message = WireMessage::whole(source);
    let (mut ir, mut graph, mut opset) = (false, false, false);
    let mut functions = false;
    while let Some(field) = message.next()? {
        source.nodes(1)?;
        let known = FIELDS.iter().find(|(number, _)| *number == field.number);
        if known.is_none_or(|(_, bytes)| *bytes != matches!(field.value, Wire::Bytes(_))) {
            return Ok(false);
        }
        match (field.number, field.value) {
            (1, Wire::Varint(version)) if version <= HIGHEST_IR => ir = true,
            (1, _) => return Ok(false),
            (7, _) => graph = true,
            (8, _) => opset = true,
            (25, _) => functions = true,
            _ => {}
        }
    }
    // Models of before opsets have none; a SavedModel has no field 7.
    Ok(ir && (graph || functions && opset))
}

fn read(source: &dyn Source) -> Result<OnnxModel, ReadError> {
    let mut model = OnnxModel::default();
    let mut message = WireMessage::whole(source);
    while let Some(field) = message.next()? {
        source.nodes(1)?;
        match field.number {
            1 => model.ir_version = field.varint().unwrap_or(0) as i64,
            2 => model.producer[0] = kept(&mut message, &field)?,
            3 => model.producer[1] = kept(&mut message, &field)?,
            7 => {
                let read = message.enter(&field, graph::graph);
                // A field that stands twice is one message: what the second says is added.
                let more = read.map_err(|error| error.in_field("graph"))?;
                join(&mut model.graph, more);
            }
            8 => {
                few(&message, &field, model.opsets.len())?;
                model
                    .opsets
                    .push(message.enter(&field, opset).map_err(|e| e.in_field("opset_import"))?);
            }
            14 => {
                few(&message, &field, model.metadata.len())?;
                model.metadata.push(message.enter(&field, entry)?);
            }
            20 => model.training = true,
            25 => {
                few(&message, &field, model.functions.len())?;
                let read = message.enter(&field, function);
                model.functions.push(read.map_err(|error| error.in_field("functions"))?);
            }
            _ => {}
        }
    }
    Ok(model)
}

fn join(graph: &mut crate::OnnxGraph, more: crate::OnnxGraph) {
    if graph.nodes.is_empty() && graph.inputs.is_empty() && graph.initializers.is_empty() {
        *graph = more;
        return;
    }
    graph.nodes.extend(more.nodes);
    graph.inputs.extend(more.inputs);
    graph.outputs.extend(more.outputs);
    graph.values.extend(more.values);
    graph.initializers.extend(more.initializers);
}

/// A text that is kept, within its length.
fn kept(message: &mut WireMessage<'_>, field: &MessageField) -> Result<Box<str>, ReadError> {
    if field.span().is_some_and(|span| span.len > NAME) {
        return Err(message.malformed(field.offset, "a name of more than 64 KiB"));
    }
    Ok(message.string(field)?.into())
}

fn few(message: &WireMessage<'_>, field: &MessageField, count: usize) -> Result<(), ReadError> {
    match count < MANY {
        true => Ok(()),
        false => Err(message.malformed(field.offset, "more than 100000 of one field")),
    }
}

/// A domain with its version. The name `ai.onnx` means the same as none.
fn opset(message: &mut WireMessage<'_>) -> Result<(Box<str>, i64), ReadError> {
    let (mut domain, mut version) = (Box::default(), 0);
    while let Some(field) = message.next()? {
        match field.number {
            1 => domain = self::domain(kept(message, &field)?),
            2 => version = field.varint().unwrap_or(0) as i64,
            _ => {}
        }
    }
    Ok((domain, version))
}

/// The domain that a name means.
fn domain(name: Box<str>) -> Box<str> {
    if &*name == "ai.onnx" { Box::default() } else { name }
}

fn entry(message: &mut WireMessage<'_>) -> Result<(Box<str>, u64), ReadError> {
    let (mut key, mut length) = (Box::default(), 0);
    while let Some(field) = message.next()? {
        match field.number {
            1 => key = kept(message, &field)?,
            2 => length = field.span().map_or(0, |span| span.len),
            _ => {}
        }
    }
    Ok((key, length))
}

fn function(message: &mut WireMessage<'_>) -> Result<OnnxFunction, ReadError> {
    let mut function = OnnxFunction::default();
    while let Some(field) = message.next()? {
        message.source().nodes(1)?;
        match field.number {
            1 => function.name = kept(message, &field)?,
            4 => function.inputs.push(kept(message, &field)?),
            5 => function.outputs.push(kept(message, &field)?),
            7 => {
                let read = message.enter(&field, graph::node);
                let name = || format!("function {}, node", function.name);
                function.body.nodes.push(read.map_err(|error| error.in_field(name()))?);
            }
            9 => {
                few(message, &field, function.opsets.len())?;
                function.opsets.push(message.enter(&field, opset)?);
            }
            10 => function.domain = domain(kept(message, &field)?),
            11 => {
                few(message, &field, function.defaults.len())?;
                let (name, value, _) = message.enter(&field, graph::attribute)?;
                function.defaults.push((name, value));
            }
            12 => function.body.values.push(message.enter(&field, graph::value)?),
            13 => function.overload = kept(message, &field)?,
            _ => {}
        }
    }
    Ok(function)
}
