//! Element types, and single elements.

use std::fmt;

use crate::float::{self, FloatFormat};

/// An element type, named as in the PJRT C API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the interface")]
#[rustfmt::skip]
pub enum ArrayElementType {
    PRED,
    S1, S2, S4, S8, S16, S32, S64,
    U1, U2, U4, U8, U16, U32, U64,
    F16, F32, F64, BF16, C64, C128,
    F8E5M2, F8E4M3FN, F8E4M3B11FNUZ, F8E5M2FNUZ, F8E4M3FNUZ, F8E4M3, F8E3M4, F8E8M0FNU,
    F4E2M1FN, F6E2M3FN, F6E3M2FN,
}

/// What kind of number a type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementClass {
    /// A boolean, one byte in memory.
    Bool,
    /// An integer with a sign, of so many bits.
    Signed(u32),
    /// An integer without a sign, of so many bits.
    Unsigned(u32),
    /// A float of at most 16 bits.
    Small(FloatFormat),
    /// A float of 32 bits, `f32`.
    Single,
    /// A float of 64 bits, `f64`.
    Double,
    /// Real and imaginary part, each an `f32`.
    ComplexSingle,
    /// Real and imaginary part, each an `f64`.
    ComplexDouble,
}

/// One element as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A boolean, from a byte that is 0 or 1.
    Bool(bool),
    /// An integer of any width and sign.
    Int(i128),
    /// A float of at most 32 bits.
    Single(f32),
    /// A float of 64 bits.
    Double(f64),
    /// Real and imaginary part, of 32 bits.
    ComplexSingle(f32, f32),
    /// Real and imaginary part, of 64 bits.
    ComplexDouble(f64, f64),
}

impl ArrayElementType {
    /// Every element type of the PJRT C API.
    #[rustfmt::skip]
    pub const ALL: [Self; 32] = [
        Self::PRED,
        Self::S1, Self::S2, Self::S4, Self::S8, Self::S16, Self::S32, Self::S64,
        Self::U1, Self::U2, Self::U4, Self::U8, Self::U16, Self::U32, Self::U64,
        Self::F16, Self::F32, Self::F64, Self::BF16, Self::C64, Self::C128,
        Self::F8E5M2, Self::F8E4M3FN, Self::F8E4M3B11FNUZ, Self::F8E5M2FNUZ, Self::F8E4M3FNUZ,
        Self::F8E4M3, Self::F8E3M4, Self::F8E8M0FNU, Self::F4E2M1FN, Self::F6E2M3FN, Self::F6E3M2FN,
    ];

    /// The type of this name: that of the PJRT C API, without its prefix, or in small letters.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| format!("{t:?}").eq_ignore_ascii_case(name))
    }

    /// What kind of number it holds.
    pub fn kind(self) -> ElementClass {
        use ElementClass::{
            Bool, ComplexDouble, ComplexSingle, Double, Signed, Single, Small, Unsigned,
        };
        match self {
            Self::PRED => Bool,
            Self::S1 => Signed(1),
            Self::S2 => Signed(2),
            Self::S4 => Signed(4),
            Self::S8 => Signed(8),
            Self::S16 => Signed(16),
            Self::S32 => Signed(32),
            Self::S64 => Signed(64),
            Self::U1 => Unsigned(1),
            Self::U2 => Unsigned(2),
            Self::U4 => Unsigned(4),
            Self::U8 => Unsigned(8),
            Self::U16 => Unsigned(16),
            Self::U32 => Unsigned(32),
            Self::U64 => Unsigned(64),
            Self::F32 => Single,
            Self::F64 => Double,
            Self::C64 => ComplexSingle,
            Self::C128 => ComplexDouble,
            Self::F16 => Small(float::F16),
            Self::BF16 => Small(float::BF16),
            Self::F8E5M2 => Small(float::F8E5M2),
            Self::F8E4M3FN => Small(float::F8E4M3FN),
            Self::F8E4M3B11FNUZ => Small(float::F8E4M3B11FNUZ),
            Self::F8E5M2FNUZ => Small(float::F8E5M2FNUZ),
            Self::F8E4M3FNUZ => Small(float::F8E4M3FNUZ),
            Self::F8E4M3 => Small(float::F8E4M3),
            Self::F8E3M4 => Small(float::F8E3M4),
            Self::F8E8M0FNU => Small(float::F8E8M0FNU),
            Self::F4E2M1FN => Small(float::F4E2M1FN),
            Self::F6E2M3FN => Small(float::F6E2M3FN),
            Self::F6E3M2FN => Small(float::F6E3M2FN),
        }
    }

    /// How many bytes an element takes; types of less than a byte take one.
    pub fn bytes(self) -> usize {
        match self.kind() {
            ElementClass::Bool => 1,
            ElementClass::Signed(bits) | ElementClass::Unsigned(bits) => bits.div_ceil(8) as usize,
            ElementClass::Small(format) => format.bits().div_ceil(8) as usize,
            ElementClass::Single => 4,
            ElementClass::Double | ElementClass::ComplexSingle => 8,
            ElementClass::ComplexDouble => 16,
        }
    }

    /// Gives every element that takes less than its byte the bits above it that it should have: those of
    /// its sign for integers with one, zeros for all others. What numpy holds as an integer of four bits
    /// may have either.
    pub(crate) fn tidy(self, bytes: &mut [u8]) {
        let unused = |bits: u32| 8_u32.saturating_sub(bits);
        match self.kind() {
            ElementClass::Bool => bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0)),
            ElementClass::Signed(bits) if bits < 8 => bytes.iter_mut().for_each(|byte| {
                *byte = ((*byte << unused(bits)).cast_signed() >> unused(bits)).cast_unsigned();
            }),
            ElementClass::Unsigned(bits) if bits < 8 => {
                bytes.iter_mut().for_each(|byte| *byte = *byte << unused(bits) >> unused(bits));
            }
            ElementClass::Small(format) if format.bits() < 8 => {
                let unused = unused(format.bits());
                bytes.iter_mut().for_each(|byte| *byte = *byte << unused >> unused);
            }
            _ => {}
        }
    }

    /// The element in these bytes, of which there are [`ArrayElementType::bytes`].
    pub fn decode(self, bytes: &[u8]) -> Scalar {
        let low = bytes.iter().rev().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        match self.kind() {
            ElementClass::Bool => Scalar::Bool(low != 0),
            ElementClass::Signed(bits) => {
                let unused = 128 - bits;
                Scalar::Int((low << unused).cast_signed() >> unused)
            }
            ElementClass::Unsigned(bits) => {
                let unused = 128 - bits;
                Scalar::Int((low << unused >> unused).cast_signed())
            }
            ElementClass::Small(format) => Scalar::Single(format.decode(low as u16)),
            ElementClass::Single => Scalar::Single(f32::from_bits(low as u32)),
            ElementClass::Double => Scalar::Double(f64::from_bits(low as u64)),
            ElementClass::ComplexSingle => Scalar::ComplexSingle(
                f32::from_bits(low as u32),
                f32::from_bits((low >> 32) as u32),
            ),
            ElementClass::ComplexDouble => Scalar::ComplexDouble(
                f64::from_bits(low as u64),
                f64::from_bits((low >> 64) as u64),
            ),
        }
    }

    /// Adds the element that is nearest to `number` to `out`: integers wrap around, floats round to
    /// the even one of two that are as near, and the imaginary part of a complex one is 0.
    pub fn encode(self, number: f64, out: &mut Vec<u8>) {
        match self.kind() {
            ElementClass::Bool => out.push(u8::from(number != 0.0)),
            ElementClass::Signed(bits) => {
                let unused = 64 - bits;
                let wrapped = (number as i64) << unused >> unused;
                out.extend_from_slice(&wrapped.to_le_bytes()[..self.bytes()]);
            }
            ElementClass::Unsigned(bits) => {
                let unused = 64 - bits;
                let wrapped = (number as i64).cast_unsigned() << unused >> unused;
                out.extend_from_slice(&wrapped.to_le_bytes()[..self.bytes()]);
            }
            ElementClass::Small(format) => {
                let code = format.encode(number);
                out.extend_from_slice(&code.to_le_bytes()[..self.bytes()]);
            }
            ElementClass::Single => out.extend_from_slice(&(number as f32).to_le_bytes()),
            ElementClass::Double => out.extend_from_slice(&number.to_le_bytes()),
            ElementClass::ComplexSingle => {
                out.extend_from_slice(&(number as f32).to_le_bytes());
                out.extend_from_slice(&[0; 4]);
            }
            ElementClass::ComplexDouble => {
                out.extend_from_slice(&number.to_le_bytes());
                out.extend_from_slice(&[0; 8]);
            }
        }
    }
}

impl fmt::Display for ArrayElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}").to_ascii_lowercase())
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(yes) => write!(f, "{yes}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Single(number) if has_exponent((*number).into()) => write!(f, "{number:e}"),
            Self::Single(number) => write!(f, "{number}"),
            Self::Double(number) if has_exponent(*number) => write!(f, "{number:e}"),
            Self::Double(number) => write!(f, "{number}"),
            Self::ComplexSingle(real, imaginary) => {
                complex(f, Self::Single(*real), Self::Single(*imaginary))
            }
            Self::ComplexDouble(real, imaginary) => {
                complex(f, Self::Double(*real), Self::Double(*imaginary))
            }
        }
    }
}

/// Whether a number is so large or so small that its digits would be mostly zeros.
fn has_exponent(number: f64) -> bool {
    let size = number.abs();
    size.is_finite() && (size >= 1e16 || (size < 1e-4 && size > 0.0))
}

fn complex(f: &mut fmt::Formatter<'_>, real: Scalar, imaginary: Scalar) -> fmt::Result {
    let text = imaginary.to_string();
    let plus = if text.starts_with('-') { "" } else { "+" };
    write!(f, "{real}{plus}{text}j")
}
