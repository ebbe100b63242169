//! `dense<[0, 1]> : tensor<2xi64>` as `array<i64: 0, 1>`.

use unskew_source::{ReadError, SourceExt};

use super::numbers::varint;
use crate::bytecode::entries::{Entries, builtin};

/// The most elements of such an attribute; a real one has as many as a tensor has dimensions.
const MOST: u64 = 128;

pub(super) enum ElementsValue {
    /// It is an array already.
    Array,
    /// It was elements; its encoding as an array.
    Rewritten(Vec<u8>),
    /// It is neither, or elements that no array of this width can hold.
    Other(String),
}

/// Rewrites the attribute `index`, of which an element shall have this many bits.
pub(super) fn rewrite(
    entries: &Entries<'_>,
    index: u64,
    bits: u64,
) -> Result<ElementsValue, ReadError> {
    if entries.attribute(index, builtin::attribute::ARRAY)?.is_some() {
        return Ok(ElementsValue::Array);
    }
    let Some(mut elements) = entries.attribute(index, builtin::attribute::ELEMENTS)? else {
        return Ok(ElementsValue::Other("neither elements nor an array".to_owned()));
    };
    let tensor = elements.varint()?;
    let size = elements.varint()?;
    let span = elements.skip(size)?;
    let Some(mut shape) = entries.of_type(tensor, builtin::types::TENSOR)? else {
        return Ok(ElementsValue::Other("elements of something that is no tensor".to_owned()));
    };
    let mut count = 1u64;
    for _ in 0..shape.count("dimensions")? {
        // Signed numbers have their sign in the lowest bit.
        let dimension = shape.varint()?;
        count = match dimension & 1 {
            0 => count.saturating_mul(dimension >> 1),
            _ => u64::MAX,
        };
    }
    let element = shape.varint()?;
    let width = match entries.of_type(element, builtin::types::INTEGER)? {
        Some(mut integer) => integer.varint()? >> 2,
        None => 0,
    };
    if width != bits || count > MOST {
        let found = format!("{count} elements of {width} bits, instead of {bits}");
        return Ok(ElementsValue::Other(found));
    }
    let raw = entries.source.bytes(span.start, span.end - span.start)?;
    let Some(data) = unpacked(&raw, count as usize, width) else {
        return Ok(ElementsValue::Other(format!("{count} elements in {} bytes", raw.len())));
    };
    let mut array = Vec::new();
    varint(&mut array, builtin::attribute::ARRAY);
    varint(&mut array, element);
    varint(&mut array, count);
    varint(&mut array, data.len() as u64);
    array.extend_from_slice(&data);
    Ok(ElementsValue::Rewritten(array))
}

/// The elements of 64 bits, or of one, one by one: one for all stands only once, truth values stand
/// eight to a byte, and become a byte each.
fn unpacked(raw: &[u8], count: usize, width: u64) -> Option<Vec<u8>> {
    match (width, raw.len()) {
        (_, 0) if count == 0 => Some(Vec::new()),
        (64, len) if len == count * 8 => Some(raw.to_vec()),
        (64, 8) => Some(raw.repeat(count)),
        (1, 1) if raw == [0xff] => Some(vec![1; count]),
        (1, 1) if raw == [0] => Some(vec![0; count]),
        (1, len) if len == count.div_ceil(8) => {
            (0..count).map(|at| Some(raw.get(at / 8)? >> (at % 8) & 1)).collect()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_element_for_all_becomes_as_many_as_there_are() {
        let one = 7i64.to_le_bytes();
        assert_eq!(unpacked(&one, 3, 64), Some(one.repeat(3)));
        assert_eq!(unpacked(&one, 0, 64), Some(Vec::new()));
        assert_eq!(unpacked(&one.repeat(2), 2, 64), Some(one.repeat(2)));
        assert_eq!(unpacked(&one.repeat(2), 3, 64), None);
    }

    #[test]
    fn truth_values_become_a_byte_each() {
        assert_eq!(unpacked(&[0xff], 2, 1), Some(vec![1, 1]));
        assert_eq!(unpacked(&[0], 10, 1), Some(vec![0; 10]));
        assert_eq!(unpacked(&[0b10], 2, 1), Some(vec![0, 1]));
        assert_eq!(unpacked(&[1, 2], 10, 1), Some(vec![1, 0, 0, 0, 0, 0, 0, 0, 0, 1]));
        assert_eq!(unpacked(&[1], 9, 1), None);
    }
}
