//! Types of values, as VHLO encodes them.

use std::sync::Arc;

use unskew_source::ReadError;

use super::contents::Contents;
use crate::bytecode::Cursor;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A type of single numbers.
    Scalar {
        /// Its name in MLIR text: `f32`, `i32`, `ui8`, and `i1` for truth values.
        name: &'static str,
        /// How many bits it has.
        bits: u32,
    },
    /// A number with an imaginary part.
    Complex(Arc<Type>),
    /// Numbers in a grid.
    Tensor {
        /// The dimensions; none for one that is not known before the program runs.
        dims: Vec<Option<u64>>,
        /// What an element is.
        element: Arc<Type>,
    },
    /// Several types, as one value has them.
    Tuple(Vec<Arc<Type>>),
    /// The type of a function.
    Function {
        /// The types of its parameters.
        inputs: Arc<[Arc<Type>]>,
        /// The types of its results.
        outputs: Arc<[Arc<Type>]>,
    },
    /// What orders side effects.
    Token,
    /// A type that is not read further, by the number of its kind; none of another dialect.
    Other(Option<u64>),
}

impl Type {
    /// How many elements a tensor has; none if that is not known, or it is no tensor.
    pub fn count(&self) -> Option<u64> {
        let Self::Tensor { dims, .. } = self else { return None };
        dims.iter().try_fold(1_u64, |count, dim| count.checked_mul((*dim)?))
    }
}

/// Numbers by the code of their type.
const SCALARS: [(u64, &str, u32); 31] = [
    (0, "i1", 1),
    (2, "bf16", 16),
    (3, "f16", 16),
    (4, "f32", 32),
    (5, "f64", 64),
    (6, "f8E4M3FN", 8),
    (7, "f8E5M2", 8),
    (9, "index", 64),
    (10, "i4", 4),
    (11, "i8", 8),
    (12, "i16", 16),
    (13, "i32", 32),
    (14, "i64", 64),
    (15, "ui4", 4),
    (16, "ui8", 8),
    (17, "ui16", 16),
    (18, "ui32", 32),
    (19, "ui64", 64),
    (27, "f8E4M3FNUZ", 8),
    (28, "f8E5M2FNUZ", 8),
    (29, "f8E4M3B11FNUZ", 8),
    (31, "i2", 2),
    (32, "ui2", 2),
    (34, "tf32", 19),
    (35, "f8E4M3", 8),
    (36, "f8E3M4", 8),
    (37, "f4E2M1FN", 4),
    (38, "f6E2M3FN", 6),
    (39, "f6E3M2FN", 6),
    (40, "f8E8M0FNU", 8),
    (33, "none", 0),
];

/// The name of a number by the code of its type.
pub(crate) fn name(code: u64) -> Option<&'static str> {
    SCALARS.iter().find(|(own, ..)| *own == code).map(|(_, name, _)| *name)
}

/// The code of the type of numbers that has this name.
pub(crate) fn code(name: &str) -> Option<u64> {
    SCALARS.iter().find(|(_, own, _)| *own == name).map(|(code, ..)| *code)
}

/// How many bits the numbers of this name have.
pub(crate) fn bits(name: &str) -> Option<u32> {
    SCALARS.iter().find(|(_, own, _)| *own == name).map(|(.., bits)| *bits)
}

mod code {
    pub(super) const COMPLEX: u64 = 1;
    pub(super) const FUNCTION: u64 = 8;
    pub(super) const TENSOR: u64 = 20;
    pub(super) const ENCODED_TENSOR: u64 = 21;
    pub(super) const TOKEN: u64 = 22;
    pub(super) const TUPLE: u64 = 23;
}

/// Reads the encoding of a VHLO type.
pub(super) fn read(
    contents: &mut Contents<'_>,
    cursor: &mut Cursor<'_>,
    depth: usize,
) -> Result<Type, ReadError> {
    let kind = cursor.varint()?;
    Ok(match kind {
        code::COMPLEX => Type::Complex(one(contents, cursor, depth)?),
        code::TENSOR | code::ENCODED_TENSOR => {
            if kind == code::ENCODED_TENSOR {
                cursor.varint()?; // the encoding, which stands in front
            }
            let mut dims = Vec::new();
            for _ in 0..cursor.count("dimensions")? {
                dims.push(u64::try_from(signed(cursor.varint()?)).ok());
            }
            Type::Tensor { dims, element: one(contents, cursor, depth)? }
        }
        code::FUNCTION => Type::Function {
            inputs: several(contents, cursor, depth)?.into(),
            outputs: several(contents, cursor, depth)?.into(),
        },
        code::TUPLE => Type::Tuple(several(contents, cursor, depth)?),
        code::TOKEN => Type::Token,
        _ => match SCALARS.iter().find(|(code, ..)| *code == kind) {
            Some((_, name, bits)) => Type::Scalar { name, bits: *bits },
            None => Type::Other(Some(kind)),
        },
    })
}

fn one(
    contents: &mut Contents<'_>,
    cursor: &mut Cursor<'_>,
    depth: usize,
) -> Result<Arc<Type>, ReadError> {
    let number = cursor.varint()?;
    contents.type_within(number, depth)
}

fn several(
    contents: &mut Contents<'_>,
    cursor: &mut Cursor<'_>,
    depth: usize,
) -> Result<Vec<Arc<Type>>, ReadError> {
    let count = cursor.count("types")?;
    (0..count).map(|_| one(contents, cursor, depth)).collect()
}

/// A number whose sign is its lowest bit.
pub(super) fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}
