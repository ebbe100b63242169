//! Element types, by the numbers that files carry.

use std::fmt;
use std::str::FromStr;

/// Names by number, from 1 on.
const NAMES: [&str; 32] = [
    "float",
    "double",
    "int32",
    "uint8",
    "int16",
    "int8",
    "string",
    "complex64",
    "int64",
    "bool",
    "qint8",
    "quint8",
    "qint32",
    "bfloat16",
    "qint16",
    "quint16",
    "uint16",
    "complex128",
    "half",
    "resource",
    "variant",
    "uint32",
    "uint64",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e4m3b11fnuz",
    "float8_e5m2fnuz",
    "int4",
    "uint4",
    "int2",
    "uint2",
];

/// How many bytes an element takes in a data file, by number, from 1 on; 0 where that differs from element to
/// element, or where there are none.
const SIZES: [u64; 32] = [
    4, 8, 4, 1, 2, 1, 0, 8, 8, 1, 1, 1, 4, 2, 2, 2, 2, 16, 2, 0, 0, 4, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1,
];

/// How far the number of a reference type lies above that of the type.
const REF: i32 = 100;

/// What the name of a number without a name begins with.
const UNNAMED: &str = "dtype";

/// An element type: its number in the enumeration `DataType`. Newer numbers than this crate has names
/// for are types too: they are shown as `dtype` and the number.
///
/// ```
/// use unskew_tensorflow::DataType;
/// assert_eq!(DataType(1).to_string(), "float");
/// assert_eq!(DataType(101).to_string(), "float&");
/// assert_eq!("bfloat16".parse(), Ok(DataType(14)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DataType(pub i32);

/// Why a text is no [`DataType`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an element type: {0}")]
pub struct DataTypeError(pub String);

impl DataType {
    /// How many bytes an element takes in a data file; none for texts, handles, and types without a name.
    pub fn size(self) -> Option<u64> {
        let place = usize::try_from(self.0).ok()?.checked_sub(1)?;
        SIZES.get(place).copied().filter(|size| *size > 0)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, reference) = match self.0 {
            n if n > REF => (n - REF, "&"),
            n => (n, ""),
        };
        let name = usize::try_from(number).ok().and_then(|n| NAMES.get(n.checked_sub(1)?));
        match name {
            Some(name) => write!(f, "{name}{reference}"),
            None => write!(f, "{UNNAMED}{}", self.0),
        }
    }
}

impl FromStr for DataType {
    type Err = DataTypeError;

    fn from_str(text: &str) -> Result<Self, DataTypeError> {
        let (name, offset) = text.strip_suffix('&').map_or((text, 0), |name| (name, REF));
        let place = NAMES.iter().position(|known| *known == name);
        let number = place.and_then(|place| i32::try_from(place + 1).ok());
        let unnamed = || name.strip_prefix(UNNAMED)?.parse().ok();
        number
            .map(|n| n + offset)
            .or_else(unnamed)
            .map(Self)
            .ok_or_else(|| DataTypeError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_reads_back_from_its_name() {
        for n in (-3..140).map(DataType) {
            assert_eq!(n.to_string().parse(), Ok(n));
        }
        assert!("floaty".parse::<DataType>().is_err());
    }
}
