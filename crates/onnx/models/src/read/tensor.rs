//! Tensors: what they are and where they lie. Their values are passed over.

use unskew_source::wire::{MessageField, MessageValue as Wire, WireMessage};
use unskew_source::{ReadError, SourceExt as _};

use super::kept;
use crate::{ExternalData, OnnxElementType, OnnxTensor, TensorData};

/// The most dimensions that are kept; a tensor with more is no tensor.
pub(super) const DIMS: usize = 1024;

/// The longest list of numbers that are counted, in bytes.
const COUNTED: u64 = 1 << 20;

/// The most elements that are kept; sizes, axes and pads are fewer.
const KEPT: usize = 64;

/// Reads a `TensorProto`.
pub(super) fn tensor(message: &mut WireMessage<'_>) -> Result<OnnxTensor, ReadError> {
    let mut tensor = OnnxTensor::default();
    let start = message.position();
    let (mut external, mut elsewhere) = (ExternalData::default(), false);
    while let Some(field) = message.next()? {
        message.source().nodes(1)?;
        match (field.number, field.value) {
            (1, Wire::Varint(size)) => {
                dims(message, &field, &mut tensor, [size as i64])?;
            }
            (1, Wire::Bytes(_)) => {
                let packed = message.bytes(&field)?;
                let sizes = varints(&packed);
                let sizes =
                    sizes.ok_or_else(|| message.malformed(field.offset, "sizes that end early"))?;
                dims(message, &field, &mut tensor, sizes)?;
            }
            (2, Wire::Varint(number)) => tensor.element = OnnxElementType(number as i32),
            (4..=7 | 9..=11, _) => {
                let size = field.span().map_or(4, |span| span.len);
                tensor.stored = tensor.stored.saturating_add(size);
                data(message, &field, &mut tensor.data)?;
                elements(message, &field, &mut tensor.ints)?;
            }
            (8, _) => tensor.name = kept(message, &field)?,
            (13, _) => message.enter(&field, |message| place(message, &mut external))?,
            (14, Wire::Varint(number)) => elsewhere = number == 1,
            _ => {}
        }
    }
    tensor.place = start..message.position();
    settle(&mut tensor);
    tensor.external = elsewhere.then_some(external);
    Ok(tensor)
}

/// Keeps the elements of a short field, by its number: bytes of `raw_data` one by one, until the type is known.
fn elements(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    all: &mut Vec<i64>,
) -> Result<(), ReadError> {
    match (field.number, field.value) {
        (5 | 7 | 11, Wire::Varint(number)) if all.len() < KEPT => all.push(number as i64),
        (5 | 7 | 11, Wire::Bytes(span)) if span.len <= 10 * KEPT as u64 => {
            all.extend(varints(&message.bytes(field)?).unwrap_or_default());
        }
        (4, Wire::Fixed32(bits)) if all.len() < 4 * KEPT => {
            all.extend(bits.to_le_bytes().map(i64::from));
        }
        (4, Wire::Bytes(span)) if span.len <= 4 * KEPT as u64 => {
            all.extend(message.bytes(field)?.iter().map(|byte| i64::from(*byte)));
        }
        (9, Wire::Bytes(span)) if span.len <= 8 * KEPT as u64 => {
            *all = message.bytes(field)?.iter().map(|byte| i64::from(*byte)).collect();
        }
        _ => {}
    }
    Ok(())
}

/// Makes numbers of what was kept; nothing is left if these are not all of them.
fn settle(tensor: &mut OnnxTensor) {
    let raw = matches!(tensor.data, TensorData::Raw(_));
    let joined = |width: usize| -> Vec<i64> {
        let number = |bytes: &[i64]| {
            bytes.iter().rev().fold(0_u64, |all, byte| all << 8 | *byte as u64 & 0xff)
        };
        tensor.ints.chunks_exact(width).map(|bytes| number(bytes) as i64).collect()
    };
    let element = tensor.element.0;
    if element == 1 {
        let numbers = joined(4).into_iter();
        tensor.floats = numbers.map(|bits| f32::from_bits(bits as u32)).collect();
    }
    tensor.ints = match (element, raw) {
        (7 | 13, true) => joined(8),
        (6, true) => joined(4).into_iter().map(|number| i64::from(number as i32)).collect(),
        (12, true) => joined(4),
        (5, true) => joined(2).into_iter().map(|number| i64::from(number as i16)).collect(),
        (4, true) => joined(2),
        (3, true) => joined(1).into_iter().map(|number| i64::from(number as i8)).collect(),
        // Eight bits with fractions are kept as they stand: only whether all are 0 is asked.
        (2 | 9 | 17..=20, true) => joined(1),
        (2..=7 | 9 | 12 | 13 | 17..=20, false) => std::mem::take(&mut tensor.ints),
        _ => Vec::new(),
    };
    let count = tensor.dims.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
    let whole = |found: usize| count == Some(found as i64) && found <= KEPT;
    if !whole(tensor.ints.len()) {
        tensor.ints = Vec::new();
    }
    if !whole(tensor.floats.len()) {
        tensor.floats = Vec::new();
    }
}

/// Adds a field with elements to what is known of them. Bytes count more than a list beside them.
fn data(
    message: &mut WireMessage<'_>,
    field: &MessageField,
    known: &mut TensorData,
) -> Result<(), ReadError> {
    let more = match (field.number, field.span()) {
        (9, Some(span)) => {
            *known = TensorData::Raw(span.len);
            return Ok(());
        }
        (4, Some(span)) => span.len / 4,
        (10, Some(span)) => span.len / 8,
        (6, _) | (_, None) => 1,
        (_, Some(span)) if span.len > COUNTED => {
            *known = TensorData::Uncounted;
            return Ok(());
        }
        _ => message.bytes(field)?.iter().filter(|byte| **byte < 0x80).count() as u64,
    };
    *known = match *known {
        TensorData::Nothing => TensorData::Listed(field.number, more),
        TensorData::Listed(number, count) if number == field.number => {
            TensorData::Listed(number, count.saturating_add(more))
        }
        // Two lists: which of them counts depends on the type.
        TensorData::Listed(..) => TensorData::Uncounted,
        other => other,
    };
    Ok(())
}

/// Reads a `SparseTensorProto` as the tensor of its values, with the dimensions of the whole.
pub(super) fn sparse(message: &mut WireMessage<'_>) -> Result<OnnxTensor, ReadError> {
    let mut tensor = OnnxTensor::default();
    while let Some(field) = message.next()? {
        if field.number == 1 {
            tensor = message.enter(&field, self::tensor)?;
        }
    }
    Ok(tensor)
}

fn dims(
    message: &WireMessage<'_>,
    field: &MessageField,
    tensor: &mut OnnxTensor,
    sizes: impl IntoIterator<Item = i64>,
) -> Result<(), ReadError> {
    tensor.dims.extend(sizes.into_iter().take(DIMS + 1));
    match tensor.dims.len() <= DIMS {
        true => Ok(()),
        false => Err(message.malformed(field.offset, "a tensor of more than 1024 dimensions")),
    }
}

/// One entry of `external_data`: a key and what it says.
fn place(message: &mut WireMessage<'_>, external: &mut ExternalData) -> Result<(), ReadError> {
    let (mut key, mut value) = (Box::<str>::default(), Box::<str>::default());
    while let Some(field) = message.next()? {
        match field.number {
            1 => key = kept(message, &field)?,
            2 => value = kept(message, &field)?,
            _ => {}
        }
    }
    match &*key {
        "location" => external.location = value,
        "offset" | "length" => match value.parse() {
            Ok(number) if &*key == "offset" => external.offset = Some(number),
            Ok(number) => external.length = Some(number),
            Err(_) => external.broken = Some(format!("{key} {value}").into()),
        },
        _ => {}
    }
    Ok(())
}

/// The numbers of a packed field; none if the last one ends early or one is too long.
pub(crate) fn varints(bytes: &[u8]) -> Option<Vec<i64>> {
    let mut numbers = Vec::new();
    let (mut number, mut shift) = (0_u64, 0_u32);
    for byte in bytes {
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if *byte < 0x80 {
            numbers.push(number as i64);
            (number, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(numbers)
}
