//! Attributes, as VHLO encodes them.

use std::sync::Arc;

use unskew_source::{ReadError, SourceExt};

use super::contents::Contents;
use super::types::{Type, signed};
use crate::bytecode::Cursor;

/// A constant of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstantAttribute {
    /// A string, which is UTF-8.
    Text(Arc<str>),
    /// A boolean, true or false.
    Bool(bool),
    /// A whole number of the width that its type says.
    Integer {
        /// The integer type that it has.
        r#type: Arc<Type>,
        /// Its value; of numbers above 64 bits the lowest.
        value: i64,
    },
    /// A number with a fraction.
    Float {
        /// The float type that it has.
        r#type: Arc<Type>,
        /// Its bits, as its type has them.
        bits: u64,
    },
    /// The elements of a tensor: in row-major order, of as many bytes as their type needs, or one element
    /// for all. Truth values are eight to a byte.
    Tensor {
        /// The tensor type that it has.
        r#type: Arc<Type>,
        /// The elements as bytes, or one for all.
        bytes: Arc<[u8]>,
    },
    /// A type as an attribute.
    Type(Arc<Type>),
    /// Several attributes, in their order.
    Array(Vec<Arc<ConstantAttribute>>),
    /// Several attributes, each under a name.
    Dictionary(Vec<(Arc<str>, Arc<ConstantAttribute>)>),
    /// One of a list that the operation knows, such as the direction of a comparison.
    Choice {
        /// The number of its kind.
        kind: u64,
        /// The number of the value in its enumeration.
        value: u64,
    },
    /// An attribute that is not read further, by the number of its kind; none of another dialect.
    Other(Option<u64>),
}

impl ConstantAttribute {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The text, or none of any length.
    pub(super) fn shared_text(&self) -> Arc<str> {
        if let Self::Text(text) = self { Arc::clone(text) } else { "".into() }
    }

    /// The attributes of an array, if it is one.
    pub fn array(&self) -> Option<&[Arc<Self>]> {
        if let Self::Array(all) = self { Some(all) } else { None }
    }

    /// The attribute of this name of a dictionary, if it is one.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Dictionary(all) = self else { return None };
        all.iter().find(|(other, _)| **other == *name).map(|(_, value)| &**value)
    }

    /// The elements of a tensor of 64-bit integers, one by one: what dimensions are written as. None if it
    /// is something else, or has more than 1024.
    pub fn indices(&self) -> Option<Vec<i64>> {
        const MOST: u64 = 1 << 10;
        let Self::Tensor { r#type, bytes } = self else { return None };
        let count = r#type.count().filter(|count| *count <= MOST)?;
        let Type::Tensor { element, .. } = &**r#type else { return None };
        let (Type::Scalar { name: "i64", .. }, (numbers, [])) = (&**element, bytes.as_chunks())
        else {
            return None;
        };
        let numbers: Vec<i64> = numbers.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect();
        let count = usize::try_from(count).ok()?;
        match numbers[..] {
            [one] => Some(vec![one; count]),
            _ => (numbers.len() == count).then_some(numbers),
        }
    }
}

/// The kinds of VHLO attributes that are read.
mod code {
    pub(super) const ARRAY: u64 = 1;
    pub(super) const BOOL: u64 = 2;
    pub(super) const DICTIONARY: u64 = 6;
    pub(super) const FLOAT: u64 = 8;
    pub(super) const INTEGER: u64 = 9;
    pub(super) const TEXT: u64 = 14;
    pub(super) const TENSOR: u64 = 15;
    pub(super) const TYPE: u64 = 17;
    /// Comparison direction and type, version of custom calls, kind of Fourier transform, precision,
    /// algorithm and distribution of random numbers, transposition, mode of accuracy.
    pub(super) const CHOICES: [u64; 9] = [3, 4, 5, 7, 11, 12, 13, 16, 19];
}

/// Reads the encoding of a VHLO attribute.
pub(super) fn read(
    contents: &mut Contents<'_>,
    cursor: &mut Cursor<'_>,
    depth: usize,
) -> Result<ConstantAttribute, ReadError> {
    let kind = cursor.varint()?;
    Ok(match kind {
        code::ARRAY => {
            let mut all = Vec::new();
            for _ in 0..cursor.count("attributes")? {
                all.push(contents.attribute_within(cursor.varint()?, depth)?);
            }
            ConstantAttribute::Array(all)
        }
        code::DICTIONARY => {
            let mut all = Vec::new();
            for _ in 0..cursor.count("attributes")? {
                let name = contents.attribute_within(cursor.varint()?, depth)?;
                let value = contents.attribute_within(cursor.varint()?, depth)?;
                all.push((name.shared_text(), value));
            }
            ConstantAttribute::Dictionary(all)
        }
        code::BOOL => ConstantAttribute::Bool(cursor.varint()? != 0),
        code::FLOAT => {
            let r#type = contents.type_within(cursor.varint()?, depth)?;
            let bits = number(&r#type, cursor)?;
            ConstantAttribute::Float { r#type, bits: bits.cast_unsigned() }
        }
        code::INTEGER => {
            let r#type = contents.type_within(cursor.varint()?, depth)?;
            let value = number(&r#type, cursor)?;
            ConstantAttribute::Integer { r#type, value }
        }
        code::TEXT => ConstantAttribute::Text(contents.text(cursor.varint()?)?),
        code::TENSOR => {
            let r#type = contents.type_within(cursor.varint()?, depth)?;
            let size = cursor.varint()?;
            let span = cursor.skip(size)?;
            if !contents.constants {
                return Ok(ConstantAttribute::Tensor { r#type, bytes: [].into() });
            }
            let bytes = contents.source().bytes(span.start, span.end - span.start)?;
            ConstantAttribute::Tensor { r#type, bytes: bytes.into() }
        }
        code::TYPE => ConstantAttribute::Type(contents.type_within(cursor.varint()?, depth)?),
        _ if code::CHOICES.contains(&kind) => {
            ConstantAttribute::Choice { kind, value: cursor.varint()? }
        }
        _ => ConstantAttribute::Other(Some(kind)),
    })
}

/// The bits of a number: up to eight of them are a byte, more are a signed number of variable length.
fn number(r#type: &Type, cursor: &mut Cursor<'_>) -> Result<i64, ReadError> {
    let narrow = matches!(r#type, Type::Scalar { bits, .. } if *bits <= 8);
    if narrow { Ok(cursor.byte()?.into()) } else { Ok(signed(cursor.varint()?)) }
}
