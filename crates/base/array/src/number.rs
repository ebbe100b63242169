//! Numbers that people write, and which types have them.

use std::fmt;
use std::str::FromStr;

use crate::{ArrayElementType, ElementClass, Scalar};

/// A number as somebody wrote it: `3`, `-1.5e3`, `inf`, `true`, `1+2j`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// `true` or `false`, which NumPy keeps as one byte.
    Bool(bool),
    /// Without a point and an exponent, and exact.
    Int(i128),
    /// Any other real number; `nan` and `inf` too.
    Float(f64),
    /// Real and imaginary part, as Python writes them: `1+2j`, `-2j`.
    Complex(f64, f64),
}

/// A text that is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a number, true or false: {0}")]
pub struct ParseNumberError(String);

/// A number that an element type does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// It is too small or too large.
    #[error("{element} has numbers from {lowest} to {highest}: {number}")]
    Outside {
        /// The element type that was wanted.
        element: ArrayElementType,
        /// The lowest number of the type.
        lowest: String,
        /// The highest number of the type.
        highest: String,
        /// The number as the user wrote it.
        number: String,
    },
    /// It has a fraction, an imaginary part, or is no number, and the type has none such.
    #[error("{element} has only {}: {number}", .has)]
    OtherKind {
        /// The element type that was wanted.
        element: ArrayElementType,
        /// What the type has.
        has: &'static str,
        /// The number as the user wrote it.
        number: String,
    },
}

impl FromStr for Number {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<Self, ParseNumberError> {
        if let Ok(yes) = text.parse() {
            return Ok(Self::Bool(yes));
        }
        if let Ok(number) = text.parse() {
            return Ok(Self::Int(number));
        }
        if let Ok(number) = text.parse() {
            return Ok(Self::Float(number));
        }
        let complex = text.strip_suffix('j').and_then(complex);
        complex.ok_or_else(|| ParseNumberError(text.to_owned()))
    }
}

/// `1+2`, `-2`, `1e-3-4`: all but the `j` of a complex number.
fn complex(text: &str) -> Option<Number> {
    // The sign of the imaginary part is the last that stands neither first nor behind an exponent.
    let mut signs = text.match_indices(['+', '-']).map(|(at, _)| at);
    let sign = signs.rfind(|at| *at > 0 && !text[..*at].ends_with(['e', 'E']));
    let (real, imaginary) = text.split_at(sign.unwrap_or(0));
    let real = if real.is_empty() { 0.0 } else { real.parse().ok()? };
    Some(Number::Complex(real, imaginary.parse().ok()?))
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bool(yes) => write!(f, "{yes}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => Scalar::Double(number).fmt(f),
            Self::Complex(real, imaginary) => Scalar::ComplexDouble(real, imaginary).fmt(f),
        }
    }
}

impl Number {
    /// Adds the number as an element of this type to `out`. Floats round; everything else is exact.
    ///
    /// # Errors
    /// [`NumberError`] if the type has no such number: integers do not wrap around, and floats do not
    /// become infinite.
    pub fn element(self, element: ArrayElementType, out: &mut Vec<u8>) -> Result<(), NumberError> {
        match element.kind() {
            ElementClass::Bool => self.truth(element, out),
            ElementClass::Signed(_) | ElementClass::Unsigned(_) => self.integer(element, out),
            ElementClass::Small(_) | ElementClass::Single | ElementClass::Double => {
                let number = self.real(element)?;
                element.encode(self.within(element, number)?, out);
                Ok(())
            }
            ElementClass::ComplexSingle => self.complex(element, ArrayElementType::F32, out),
            ElementClass::ComplexDouble => self.complex(element, ArrayElementType::F64, out),
        }
    }

    fn truth(self, element: ArrayElementType, out: &mut Vec<u8>) -> Result<(), NumberError> {
        let truth = match self {
            Self::Bool(yes) => yes,
            Self::Int(0) => false,
            Self::Int(1) => true,
            _ => return Err(self.other_kind(element, "true and false")),
        };
        out.push(u8::from(truth));
        Ok(())
    }

    fn integer(self, element: ArrayElementType, out: &mut Vec<u8>) -> Result<(), NumberError> {
        let number = match self {
            Self::Bool(yes) => i128::from(yes),
            Self::Int(number) => number,
            // `1e3` is a whole number, and floats hold those below this one exactly.
            Self::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => number as i128,
            _ => return Err(self.other_kind(element, "whole numbers")),
        };
        let (lowest, highest) = element.integers().unwrap_or((0, 0));
        if number < lowest || number > highest {
            return Err(self.outside(element, lowest, highest));
        }
        out.extend(number.to_le_bytes().iter().take(element.bytes()));
        Ok(())
    }

    fn complex(
        self,
        element: ArrayElementType,
        part: ArrayElementType,
        out: &mut Vec<u8>,
    ) -> Result<(), NumberError> {
        let (real, imaginary) = match self {
            Self::Complex(real, imaginary) => (real, imaginary),
            _ => (self.real(element)?, 0.0),
        };
        part.encode(self.within(part, real)?, out);
        part.encode(self.within(part, imaginary)?, out);
        Ok(())
    }

    fn real(self, element: ArrayElementType) -> Result<f64, NumberError> {
        match self {
            Self::Bool(yes) => Ok(f64::from(u8::from(yes))),
            Self::Int(number) => Ok(number as f64),
            Self::Float(number) => Ok(number),
            Self::Complex(..) => Err(self.other_kind(element, "real numbers")),
        }
    }

    /// The number, if it is one of the float type.
    fn within(self, element: ArrayElementType, number: f64) -> Result<f64, NumberError> {
        let (lowest, highest, nan, infinity) = match element.kind() {
            ElementClass::Small(format) => {
                let highest = f64::from(format.largest());
                let lowest =
                    if format.is_positive() { f64::from(format.decode(0)) } else { -highest };
                (lowest, highest, format.nan().is_some(), format.infinity().is_some())
            }
            ElementClass::Single => (f64::from(f32::MIN), f64::from(f32::MAX), true, true),
            _ => (f64::MIN, f64::MAX, true, true),
        };
        match number {
            _ if number.is_nan() && !nan => Err(self.other_kind(element, "finite numbers")),
            _ if number.is_nan() || (number.is_infinite() && infinity) => Ok(number),
            _ if number < lowest || number > highest => {
                Err(self.outside(element, Scalar::Double(lowest), Scalar::Double(highest)))
            }
            _ => Ok(number),
        }
    }

    fn other_kind(self, element: ArrayElementType, has: &'static str) -> NumberError {
        NumberError::OtherKind { element, has, number: self.to_string() }
    }

    fn outside(
        self,
        element: ArrayElementType,
        lowest: impl fmt::Display,
        highest: impl fmt::Display,
    ) -> NumberError {
        let (lowest, highest) = (lowest.to_string(), highest.to_string());
        NumberError::Outside { element, lowest, highest, number: self.to_string() }
    }
}

impl ArrayElementType {
    /// The lowest and the highest number of an integer type; none for others.
    pub(crate) fn integers(self) -> Option<(i128, i128)> {
        match self.kind() {
            ElementClass::Signed(bits) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            ElementClass::Unsigned(bits) => Some((0, (1 << bits) - 1)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(text: &str, element: ArrayElementType) -> Result<Scalar, String> {
        let number: Number = text.parse().map_err(|error: ParseNumberError| error.to_string())?;
        let mut bytes = Vec::new();
        number.element(element, &mut bytes).map_err(|error| error.to_string())?;
        assert_eq!(bytes.len(), element.bytes());
        Ok(element.decode(&bytes))
    }

    #[test]
    fn integers_are_exact() {
        assert_eq!(
            element("9007199254740993", ArrayElementType::S64),
            Ok(Scalar::Int(9_007_199_254_740_993))
        );
        assert_eq!(
            element("18446744073709551615", ArrayElementType::U64),
            Ok(Scalar::Int(u64::MAX.into()))
        );
        assert_eq!(element("-8", ArrayElementType::S4), Ok(Scalar::Int(-8)));
        assert_eq!(element("1e3", ArrayElementType::S32), Ok(Scalar::Int(1000)));
        assert_eq!(element("true", ArrayElementType::PRED), Ok(Scalar::Bool(true)));
    }

    #[test]
    fn what_a_type_does_not_have_is_refused_with_what_it_has() {
        let said = |text, of| element(text, of).unwrap_err();
        assert_eq!(said("300", ArrayElementType::S8), "s8 has numbers from -128 to 127: 300");
        assert_eq!(said("-1", ArrayElementType::U2), "u2 has numbers from 0 to 3: -1");
        assert_eq!(said("1.5", ArrayElementType::S8), "s8 has only whole numbers: 1.5");
        assert_eq!(said("2", ArrayElementType::PRED), "pred has only true and false: 2");
        assert_eq!(said("1+2j", ArrayElementType::F32), "f32 has only real numbers: 1+2j");
        assert_eq!(
            said("449", ArrayElementType::F8E4M3FN),
            "f8e4m3fn has numbers from -448 to 448: 449"
        );
        assert_eq!(
            said("inf", ArrayElementType::F8E4M3FN),
            "f8e4m3fn has numbers from -448 to 448: inf"
        );
        assert_eq!(
            said("nan", ArrayElementType::F4E2M1FN),
            "f4e2m1fn has only finite numbers: NaN"
        );
        assert!(said("0", ArrayElementType::F8E8M0FNU).ends_with(": 0"));
        assert!(said("1e39", ArrayElementType::F32).starts_with("f32 has numbers from -3.402823"));
        assert_eq!(said("seven", ArrayElementType::F32), "not a number, true or false: seven");
        assert_eq!(said("1+2+j", ArrayElementType::C64), "not a number, true or false: 1+2+j");
    }

    #[test]
    fn floats_round_and_may_be_infinite_or_no_number() {
        assert_eq!(element("0.1", ArrayElementType::F32), Ok(Scalar::Single(0.1)));
        assert_eq!(element("-inf", ArrayElementType::BF16), Ok(Scalar::Single(f32::NEG_INFINITY)));
        assert!(
            matches!(element("nan", ArrayElementType::F16), Ok(Scalar::Single(n)) if n.is_nan())
        );
        assert!(
            matches!(element("-0.0", ArrayElementType::BF16), Ok(Scalar::Single(n)) if n.is_sign_negative())
        );
    }

    #[test]
    fn complex_numbers_are_written_as_in_python() {
        assert_eq!(element("1+2j", ArrayElementType::C64), Ok(Scalar::ComplexSingle(1.0, 2.0)));
        assert_eq!(element("-2j", ArrayElementType::C128), Ok(Scalar::ComplexDouble(0.0, -2.0)));
        assert_eq!(
            element("1e-3-4e+2j", ArrayElementType::C128),
            Ok(Scalar::ComplexDouble(1e-3, -400.0))
        );
        assert_eq!(element("3", ArrayElementType::C64), Ok(Scalar::ComplexSingle(3.0, 0.0)));
    }
}
