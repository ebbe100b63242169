//! Attribute values, shapes and versions.

use unskew_core::DataVersions;
use unskew_source::ReadError;
use unskew_source::wire::{MessageField, MessageValue, WireMessage};

use super::interner::Interner;
use crate::{AttrKind, AttrScalarType, AttrValue, DataType, PartialTensorShape};

/// The longest text of an attribute that is kept, in bytes.
const TEXT: u64 = 4 << 10;

/// The longest list of an attribute that is kept, in elements.
const LIST: usize = 4 << 10;

/// The most dimensions of a shape; TensorFlow allows 254.
const DIMS: usize = 256;

/// The number of `int32` in TensorFlow's `DataType`.
const INT32: DataType = DataType(3);

/// The most `bad_consumers` that a file may name.
const BAD_CONSUMERS: usize = 4 << 10;

/// An `AttrValue`; tensors by their heads.
pub(crate) fn attr_value(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<AttrValue, ReadError> {
    let mut value = AttrValue::Missing;
    while let Some(field) = message.next()? {
        value = match field.number {
            1 => message.enter(&field, |list| list_value(list, kept))?,
            9 => AttrValue::Placeholder(kept.text(message, &field)?),
            number => match single_kind(number) {
                Some(kind) => single(message, &field, kind, kept)?,
                None => continue,
            },
        };
    }
    Ok(value)
}

/// A `ListValue`. Lists of more than [`LIST`] elements are counted only.
fn list_value(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<AttrValue, ReadError> {
    let mut values = Vec::new();
    let mut large: Option<(AttrScalarType, u64)> = None;
    while let Some(field) = message.next()? {
        // Functions stand at another number in a list than alone.
        let kind = match field.number {
            9 => Some(AttrScalarType::Func),
            10 => None,
            number => single_kind(number),
        };
        let Some(kind) = kind else { continue };
        let packed = matches!(field.value, MessageValue::Bytes(_));
        match kind {
            AttrScalarType::Int
            | AttrScalarType::Float
            | AttrScalarType::Bool
            | AttrScalarType::Type
                if packed =>
            {
                let span = field.span().map_or(0, |span| span.len);
                let least = if kind == AttrScalarType::Float { 4 } else { 1 };
                if span / least > LIST as u64 {
                    let (_, count) = large.get_or_insert((kind, values.len() as u64));
                    *count = count.saturating_add(span / least);
                    continue;
                }
                let bytes = message.bytes(&field)?;
                values.extend(packed_values(message, &field, kind, &bytes)?);
            }
            _ => values.push(single(message, &field, kind, kept)?),
        }
        if values.len() > LIST {
            let (_, count) = large.get_or_insert((kind, 0));
            *count = count.saturating_add(values.len() as u64);
            values.clear();
        }
    }
    kept.count(message, values.len() * size_of::<AttrValue>())?;
    Ok(match large {
        Some((single, count)) => {
            let count = count.saturating_add(values.len() as u64);
            AttrValue::Large(AttrKind { single, list: true }, count)
        }
        None => AttrValue::List(values),
    })
}

fn single_kind(number: u32) -> Option<AttrScalarType> {
    Some(match number {
        2 => AttrScalarType::String,
        3 => AttrScalarType::Int,
        4 => AttrScalarType::Float,
        5 => AttrScalarType::Bool,
        6 => AttrScalarType::Type,
        7 => AttrScalarType::Shape,
        8 => AttrScalarType::Tensor,
        10 => AttrScalarType::Func,
        _ => return None,
    })
}

fn single(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    kind: AttrScalarType,
    kept: &mut Interner,
) -> Result<AttrValue, ReadError> {
    let number = || {
        let what = format!("a value of the attribute kind {} has another wire type", kind.as_str());
        field.varint().ok_or_else(|| message.malformed(field.offset, &what))
    };
    Ok(match kind {
        AttrScalarType::Int => AttrValue::Int(number()? as i64),
        AttrScalarType::Bool => AttrValue::Bool(number()? != 0),
        AttrScalarType::Type => AttrValue::Type(DataType(number()? as i32)),
        AttrScalarType::Float => match field.value {
            MessageValue::Fixed32(bits) => AttrValue::Float(f32::from_bits(bits)),
            _ => return Err(message.malformed(field.offset, "a float of another wire type")),
        },
        AttrScalarType::String => match field.span() {
            Some(span) if span.len > TEXT => {
                AttrValue::Large(AttrKind { single: kind, list: false }, span.len)
            }
            _ => {
                let bytes = message.bytes(field)?;
                kept.count(message, bytes.len())?;
                AttrValue::String(bytes.into())
            }
        },
        AttrScalarType::Shape => {
            let shape = message.enter(field, shape)?;
            kept.count(message, shape.rank().unwrap_or(0) * size_of::<i64>())?;
            AttrValue::Shape(shape)
        }
        AttrScalarType::Tensor => {
            let tensor = message.enter(field, tensor_head)?;
            if let AttrValue::Tensor { shape, .. } = &tensor {
                kept.count(message, shape.rank().unwrap_or(0) * size_of::<i64>())?;
            }
            tensor
        }
        AttrScalarType::Func => {
            let mut name: Box<str> = "".into();
            message.enter(field, |message| {
                while let Some(field) = message.next()? {
                    if field.number == 1 {
                        name = kept.text(message, &field)?;
                    }
                }
                Ok(())
            })?;
            AttrValue::Func(name)
        }
        AttrScalarType::Placeholder => AttrValue::Placeholder(kept.text(message, field)?),
    })
}

fn packed_values(
    message: &WireMessage<'_>,
    field: &MessageField,
    kind: AttrScalarType,
    bytes: &[u8],
) -> Result<Vec<AttrValue>, ReadError> {
    if kind == AttrScalarType::Float {
        let (floats, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(message.malformed(field.offset, "packed floats that end early"));
        }
        return Ok(floats.iter().map(|f| AttrValue::Float(f32::from_le_bytes(*f))).collect());
    }
    let numbers = packed_varints(bytes)
        .ok_or_else(|| message.malformed(field.offset, "packed numbers that end early"))?;
    let value = |n: u64| match kind {
        AttrScalarType::Bool => AttrValue::Bool(n != 0),
        AttrScalarType::Type => AttrValue::Type(DataType(n as i32)),
        _ => AttrValue::Int(n as i64),
    };
    Ok(numbers.into_iter().map(value).collect())
}

/// The numbers in a packed field; none if the last one ends early or one is too long.
fn packed_varints(bytes: &[u8]) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    let (mut number, mut shift) = (0u64, 0u32);
    for byte in bytes {
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if *byte < 0x80 {
            numbers.push(number);
            (number, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(numbers)
}

/// What is read of a `TensorShapeProto`.
pub(crate) fn shape(message: &mut WireMessage<'_>) -> Result<PartialTensorShape, ReadError> {
    let mut dims = Vec::new();
    let mut unknown = false;
    while let Some(field) = message.next()? {
        match field.number {
            2 if dims.len() >= DIMS => {
                return Err(message.malformed(field.offset, "a shape of more than 256 dimensions"));
            }
            2 => dims.push(message.enter(&field, dim)?),
            3 => unknown = field.varint() == Some(1),
            _ => {}
        }
    }
    Ok(PartialTensorShape((!unknown).then_some(dims)))
}

fn dim(message: &mut WireMessage<'_>) -> Result<i64, ReadError> {
    let mut size = 0;
    while let Some(field) = message.next()? {
        if field.number == 1 {
            size = field.varint().unwrap_or(0) as i64;
        }
    }
    Ok(size)
}

/// The longest value of one number.
const NUMBER: u64 = 16;

/// The element type and the shape of a `TensorProto`, whether it says values, and whether it is one number that is
/// zero. No other value is read.
fn tensor_head(message: &mut WireMessage<'_>) -> Result<AttrValue, ReadError> {
    let mut dtype = DataType(0);
    let mut dims = PartialTensorShape(Some(Vec::new()));
    // Values that are left out are zero.
    let (mut other, mut filled) = (false, false);
    let mut number = None;
    while let Some(field) = message.next()? {
        filled |=
            field.number > 3 && !matches!(field.value, MessageValue::Bytes(span) if span.len == 0);
        match (field.number, field.value) {
            (1, _) => dtype = DataType(field.varint().unwrap_or(0) as i32),
            (2, _) => dims = message.enter(&field, shape)?,
            (3, _) => {}
            // The bytes of the tensor, or one number in a field of its type; texts are no numbers.
            (4..=7 | 10 | 13, MessageValue::Bytes(span)) if span.len <= NUMBER => {
                let bytes = message.bytes(&field)?;
                other |= bytes.iter().any(|byte| *byte != 0);
                number = match field.number {
                    4 => bytes.first_chunk().map(|first| i32::from_le_bytes(*first)),
                    7 => packed_varints(&bytes).and_then(|all| Some(*all.first()? as i32)),
                    _ => None,
                };
            }
            (7, MessageValue::Varint(value)) => {
                other |= value != 0;
                number = Some(value as i32);
            }
            (
                4..=7 | 10 | 13,
                MessageValue::Varint(0) | MessageValue::Fixed32(0) | MessageValue::Fixed64(0),
            ) => {}
            _ => other = true,
        }
    }
    let one = dims.0.as_ref().is_some_and(|dims| dims.iter().all(|dim| *dim == 1));
    let number = number.filter(|number| one && dtype == INT32 && (-1..=8).contains(number));
    let small = number.and_then(|number| i8::try_from(number).ok());
    Ok(AttrValue::Tensor { dtype, shape: dims, zero: one && !other, small, filled })
}

/// What is read of a `VersionDef`.
pub(crate) fn versions(message: &mut WireMessage<'_>) -> Result<DataVersions, ReadError> {
    // Numbers of 32 bits: a negative one is written with 64.
    let number = |field: &MessageField| i64::from(field.varint().unwrap_or(0) as i32);
    let mut versions = DataVersions::default();
    while let Some(field) = message.next()? {
        match (field.number, field.value) {
            (1, _) => versions.producer = number(&field),
            (2, _) => versions.min_consumer = number(&field),
            (3, MessageValue::Bytes(span)) if span.len <= BAD_CONSUMERS as u64 => {
                let numbers = packed_varints(&message.bytes(&field)?);
                let torn = || message.malformed(field.offset, "bad_consumers that end early");
                let numbers = numbers.ok_or_else(torn)?;
                versions.bad_consumers.extend(numbers.into_iter().map(|n| i64::from(n as i32)));
            }
            (3, MessageValue::Varint(_)) if versions.bad_consumers.len() < BAD_CONSUMERS => {
                versions.bad_consumers.insert(number(&field));
            }
            (3, _) => return Err(message.malformed(field.offset, "too many bad_consumers")),
            _ => {}
        }
    }
    Ok(versions)
}
