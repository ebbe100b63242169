//! Graphs, nodes, attributes and types.

use unskew_source::wire::{MessageField, MessageValue as Wire, WireMessage};
use unskew_source::{ReadError, SourceExt as _};

use super::kept;
use super::tensor::{sparse, tensor, varints};
use crate::{Dim, OnnxAttribute, OnnxElementType, OnnxGraph, OnnxNode, ValueInfo, ValueType};

/// The longest text of an attribute that is kept, in bytes.
const TEXT: u64 = 256;

/// What is wrong with an attribute of which a node has two.
pub(crate) const TWICE: &str = "stands twice";

/// `AttributeProto.AttributeType` of what is not kept.
mod kind_number {
    pub(super) const STRING: i64 = 3;
}

/// Reads a `GraphProto`.
pub(super) fn graph(message: &mut WireMessage<'_>) -> Result<OnnxGraph, ReadError> {
    let mut graph = OnnxGraph::default();
    while let Some(field) = message.next()? {
        message.source().nodes(1)?;
        match field.number {
            1 => {
                let read = message.enter(&field, node).map_err(|error| error.in_field("node"));
                graph.nodes.push(read?);
            }
            2 => graph.name = kept(message, &field)?,
            5 => {
                let read = message.enter(&field, tensor).map_err(|e| e.in_field("initializer"));
                graph.initializers.push(read?);
            }
            15 => {
                let read =
                    message.enter(&field, sparse).map_err(|e| e.in_field("sparse_initializer"));
                graph.initializers.push(read?);
            }
            11 => graph.inputs.push(message.enter(&field, value)?),
            12 => graph.outputs.push(message.enter(&field, value)?),
            13 => graph.values.push(message.enter(&field, value)?),
            _ => {}
        }
    }
    Ok(graph)
}

/// Reads a `NodeProto`.
pub(super) fn node(message: &mut WireMessage<'_>) -> Result<OnnxNode, ReadError> {
    let mut node = OnnxNode::default();
    while let Some(field) = message.next()? {
        message.source().nodes(1)?;
        match field.number {
            1 => node.inputs.push(kept(message, &field)?),
            2 => node.outputs.push(kept(message, &field)?),
            3 => node.name = kept(message, &field)?,
            4 => node.op = kept(message, &field)?,
            5 => {
                let read = message.enter(&field, attribute);
                let place = || format!("attribute of {}", node.op);
                let (name, value, broken) = read.map_err(|error| error.in_field(place()))?;
                let twice = node.attributes.iter().any(|(one, _)| *one == name);
                let broken = broken.or(twice.then_some(TWICE));
                if let Some(what) = broken.filter(|_| node.broken.is_none()) {
                    node.broken = Some(format!("{name} {what}").into());
                }
                node.attributes.push((name, value));
            }
            7 => node.domain = super::domain(kept(message, &field)?),
            8 => node.overload = kept(message, &field)?,
            _ => {}
        }
    }
    Ok(node)
}

/// An attribute with its name, and what is wrong with how it is written.
type ParsedAttribute = (Box<str>, OnnxAttribute, Option<&'static str>);

/// Reads an `AttributeProto`. Models of before IR version 2 do not say the kind: then the field that is filled tells.
pub(super) fn attribute(message: &mut WireMessage<'_>) -> Result<ParsedAttribute, ReadError> {
    let mut name = Box::default();
    let mut kind = None;
    let mut value = None;
    let mut filled = FilledFields::default();
    while let Some(field) = message.next()? {
        message.source().nodes(1)?;
        filled.add(field.number);
        match field.number {
            1 => name = kept(message, &field)?,
            20 => kind = field.varint().map(|number| number as i64),
            21 => value = Some(OnnxAttribute::Of(kept(message, &field)?)),
            2 => value = Some(OnnxAttribute::Float(float(&field))),
            3 => value = Some(OnnxAttribute::Int(field.varint().unwrap_or(0) as i64)),
            4 => value = Some(short(message, &field)?),
            5 => value = Some(OnnxAttribute::Tensor(message.enter(&field, tensor)?)),
            6 => value = Some(OnnxAttribute::Graph(Box::new(message.enter(&field, graph)?))),
            11 => {
                let more = message.enter(&field, graph)?;
                match &mut value {
                    Some(OnnxAttribute::Graphs(all)) => all.push(more),
                    _ => value = Some(OnnxAttribute::Graphs(vec![more])),
                }
            }
            7 => floats(message, &field, &mut value)?,
            8 => ints(message, &field, &mut value)?,
            other => {
                if let Some(number) = list_kind(other).filter(|_| value.is_none()) {
                    value = Some(OnnxAttribute::Other(number));
                }
            }
        }
    }
    let value = value.unwrap_or_else(|| unwritten(kind));
    let broken = filled.broken(kind);
    Ok((name, value, broken))
}

/// The kinds whose fields are filled in an attribute.
#[derive(Default)]
struct FilledFields {
    kind: Option<i64>,
    several: bool,
}

impl FilledFields {
    fn add(&mut self, field: u32) {
        let kind = match field {
            2..=6 => Some(i64::from(field) - 1),
            7 => Some(6),
            8 => Some(7),
            11 => Some(10),
            other => list_kind(other),
        };
        if let Some(kind) = kind {
            self.several |= self.kind.is_some_and(|one| one != kind);
            self.kind = Some(kind);
        }
    }

    /// What readers refuse: no kind, values of two kinds, a value of another kind. A value of zero may be left out.
    fn broken(&self, kind: Option<i64>) -> Option<&'static str> {
        match (kind.unwrap_or(0), self.kind) {
            (0, _) => Some("has no type"),
            _ if self.several => Some("has values of two types"),
            (kind, Some(filled)) if kind != filled => {
                Some("has a value of another type than it says")
            }
            _ => None,
        }
    }
}

/// What an attribute is whose value is left out: zeros are not written by every writer.
fn unwritten(kind: Option<i64>) -> OnnxAttribute {
    match kind {
        Some(1) => OnnxAttribute::Float(0.0),
        Some(2) => OnnxAttribute::Int(0),
        Some(kind_number::STRING) => OnnxAttribute::Text(Box::default()),
        Some(6) => OnnxAttribute::Floats(Vec::new()),
        Some(7) => OnnxAttribute::Ints(Vec::new()),
        other => OnnxAttribute::Other(other.unwrap_or(0)),
    }
}

fn list_kind(field: u32) -> Option<i64> {
    Some(match field {
        9 => 8,
        10 => 9,
        14 => 13,
        15 => 14,
        22 => 11,
        23 => 12,
        _ => return None,
    })
}

fn float(field: &MessageField) -> f32 {
    match field.value {
        Wire::Fixed32(bits) => f32::from_bits(bits),
        _ => 0.0,
    }
}

/// Adds numbers to a list; packed or one by one, as writers have it.
fn ints(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    value: &mut Option<OnnxAttribute>,
) -> Result<(), ReadError> {
    let more = match field.value {
        Wire::Varint(number) => vec![number as i64],
        _ => {
            let packed = message.bytes(field)?;
            let early = || message.malformed(field.offset, "numbers that end early");
            varints(&packed).ok_or_else(early)?
        }
    };
    match value {
        Some(OnnxAttribute::Ints(all)) => all.extend(more),
        Some(_) => {}
        None => *value = Some(OnnxAttribute::Ints(more)),
    }
    Ok(())
}

/// The same for numbers with fractions.
fn floats(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    value: &mut Option<OnnxAttribute>,
) -> Result<(), ReadError> {
    let more: Vec<f32> = match field.value {
        Wire::Fixed32(bits) => vec![f32::from_bits(bits)],
        _ => {
            let packed = message.bytes(field)?;
            let (whole, _) = packed.as_chunks::<4>();
            whole.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        }
    };
    match value {
        Some(OnnxAttribute::Floats(all)) => all.extend(more),
        Some(_) => {}
        None => *value = Some(OnnxAttribute::Floats(more)),
    }
    Ok(())
}

fn short(message: &mut WireMessage<'_>, field: &MessageField) -> Result<OnnxAttribute, ReadError> {
    if field.span().is_none_or(|span| span.len > TEXT) {
        return Ok(OnnxAttribute::Other(kind_number::STRING));
    }
    let bytes = message.bytes(field)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => OnnxAttribute::Text(text.into()),
        Err(_) => OnnxAttribute::Other(kind_number::STRING),
    })
}

/// Reads a `ValueInfoProto`.
pub(super) fn value(message: &mut WireMessage<'_>) -> Result<ValueInfo, ReadError> {
    let mut value = ValueInfo { is_untyped: true, ..ValueInfo::default() };
    while let Some(field) = message.next()? {
        match field.number {
            1 => value.name = kept(message, &field)?,
            2 => {
                let stated;
                (value.kind, value.dims, stated) = message.enter(&field, kind)?;
                value.is_untyped = !stated;
            }
            _ => {}
        }
    }
    Ok(value)
}

/// A type, if it has a name here; the dimensions of a tensor; whether any type is said.
type DeclaredType = (Option<ValueType>, Option<Vec<Dim>>, bool);

/// Reads a `TypeProto`.
fn kind(message: &mut WireMessage<'_>) -> Result<DeclaredType, ReadError> {
    let (mut found, mut dims, mut stated) = (None, None, false);
    while let Some(field) = message.next()? {
        message.source().nodes(1)?;
        stated |= matches!(field.number, 4 | 5 | 7..=9);
        match field.number {
            1 => {
                let element;
                (element, dims) = message.enter(&field, tensor_type)?;
                stated |= element.is_some();
                found = element.map(ValueType::Tensor);
            }
            8 => found = message.enter(&field, tensor_type)?.0.map(ValueType::Sparse),
            4 => found = message.enter(&field, inner)?.map(|of| ValueType::Sequence(Box::new(of))),
            9 => found = message.enter(&field, inner)?.map(|of| ValueType::Optional(Box::new(of))),
            5 => found = message.enter(&field, map)?,
            _ => {}
        }
    }
    Ok((found, dims, stated))
}

fn tensor_type(
    message: &mut WireMessage<'_>,
) -> Result<(Option<OnnxElementType>, Option<Vec<Dim>>), ReadError> {
    let (mut element, mut dims) = (None, None);
    while let Some(field) = message.next()? {
        match field.number {
            1 => element = field.varint().map(|number| OnnxElementType(number as i32)),
            2 => dims = Some(message.enter(&field, shape)?),
            _ => {}
        }
    }
    Ok((element.filter(|one| one.0 != 0), dims))
}

fn shape(message: &mut WireMessage<'_>) -> Result<Vec<Dim>, ReadError> {
    let mut dims = Vec::new();
    while let Some(field) = message.next()? {
        if dims.len() >= super::tensor::DIMS {
            return Err(message.malformed(field.offset, "a shape of more than 1024 dimensions"));
        }
        if field.number == 1 {
            dims.push(message.enter(&field, dim)?);
        }
    }
    Ok(dims)
}

fn dim(message: &mut WireMessage<'_>) -> Result<Dim, ReadError> {
    let mut dim = Dim::Unknown;
    while let Some(field) = message.next()? {
        match field.number {
            1 => dim = field.varint().map_or(Dim::Unknown, |size| Dim::Size(size as i64)),
            2 => dim = Dim::Symbol(kept(message, &field)?),
            _ => {}
        }
    }
    Ok(dim)
}

fn inner(message: &mut WireMessage<'_>) -> Result<Option<ValueType>, ReadError> {
    let mut found = None;
    while let Some(field) = message.next()? {
        if field.number == 1 {
            found = message.enter(&field, kind)?.0;
        }
    }
    Ok(found)
}

fn map(message: &mut WireMessage<'_>) -> Result<Option<ValueType>, ReadError> {
    let (mut key, mut value) = (None, None);
    while let Some(field) = message.next()? {
        match field.number {
            1 => key = field.varint().map(|number| OnnxElementType(number as i32)),
            2 => value = message.enter(&field, kind)?.0,
            _ => {}
        }
    }
    Ok(key.zip(value).map(|(key, value)| ValueType::Map(key, Box::new(value))))
}
