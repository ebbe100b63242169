//! Element types, by the numbers that models carry.

use std::fmt;
use std::str::FromStr;

/// Names by number, from 1 on, with the bits of an element; 0 where that differs from element to element.
const ELEMENTS: [(&str, u64); 28] = [
    ("float", 32),
    ("uint8", 8),
    ("int8", 8),
    ("uint16", 16),
    ("int16", 16),
    ("int32", 32),
    ("int64", 64),
    ("string", 0),
    ("bool", 8),
    ("float16", 16),
    ("double", 64),
    ("uint32", 32),
    ("uint64", 64),
    ("complex64", 64),
    ("complex128", 128),
    ("bfloat16", 16),
    ("float8e4m3fn", 8),
    ("float8e4m3fnuz", 8),
    ("float8e5m2", 8),
    ("float8e5m2fnuz", 8),
    ("uint4", 4),
    ("int4", 4),
    ("float4e2m1", 4),
    ("float8e8m0", 8),
    ("uint2", 2),
    ("int2", 2),
    ("float6e2m3", 6),
    ("float6e3m2", 6),
];

/// An element type: its number in the enumeration `TensorProto.DataType`. A number without a name here is shown as
/// `type` and the number.
///
/// ```
/// use unskew_onnx::OnnxElementType;
/// assert_eq!(OnnxElementType(1).to_string(), "float");
/// assert_eq!("bfloat16".parse(), Ok(OnnxElementType(16)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OnnxElementType(pub i32);

impl OnnxElementType {
    fn row(self) -> Option<&'static (&'static str, u64)> {
        usize::try_from(self.0).ok()?.checked_sub(1).and_then(|at| ELEMENTS.get(at))
    }

    /// The bytes that `count` elements take where they are stored as they are; none for texts and types without a
    /// name.
    pub fn bytes(self, count: u64) -> Option<u64> {
        let bits = self.row().map(|row| row.1).filter(|bits| *bits > 0)?;
        Some(count.checked_mul(bits)?.div_ceil(8))
    }
}

impl fmt::Display for OnnxElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row() {
            Some((name, _)) => f.pad(name),
            None => write!(f, "type{}", self.0),
        }
    }
}

/// Why a text is no [`OnnxElementType`]: no element type has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownElementType;

impl FromStr for OnnxElementType {
    type Err = UnknownElementType;

    fn from_str(text: &str) -> Result<Self, UnknownElementType> {
        let at = ELEMENTS.iter().position(|(name, _)| *name == text);
        at.and_then(|at| i32::try_from(at + 1).ok()).map(Self).ok_or(UnknownElementType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_reads_back_from_its_name() {
        for number in 1..=28 {
            assert_eq!(OnnxElementType(number).to_string().parse(), Ok(OnnxElementType(number)));
        }
        assert_eq!(OnnxElementType(99).to_string(), "type99");
        assert!("type99".parse::<OnnxElementType>().is_err());
    }

    #[test]
    fn four_bits_share_a_byte() {
        assert_eq!(OnnxElementType(22).bytes(3), Some(2));
        assert_eq!(OnnxElementType(8).bytes(3), None);
        assert_eq!(OnnxElementType(11).bytes(u64::MAX), None);
    }
}
