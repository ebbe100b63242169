//! Plain numbers: what programs calculate with outside of tensors.

use std::cmp::Ordering;
use std::fmt;

use crate::Dtype;

/// A number, or true or false.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalarValue {
    /// A boolean, which counts as 0 or 1.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A real number of 64 bits.
    Float(f64),
    /// Real and imaginary part.
    Complex(f64, f64),
}

impl ScalarValue {
    /// The type that it has as a tensor.
    pub fn dtype(self) -> Dtype {
        match self {
            Self::Bool(_) => Dtype::Bool,
            Self::Int(_) => Dtype::I64,
            Self::Float(_) => Dtype::F32,
            Self::Complex(..) => Dtype::C64,
        }
    }

    /// As a real number; of a complex one its real part.
    pub fn float(self) -> f64 {
        match self {
            Self::Bool(yes) => f64::from(u8::from(yes)),
            Self::Int(number) => number as f64,
            Self::Float(number) | Self::Complex(number, _) => number,
        }
    }

    /// As an integer, rounded towards zero.
    pub fn int(self) -> i64 {
        match self {
            Self::Bool(yes) => i64::from(yes),
            Self::Int(number) => number,
            Self::Float(number) | Self::Complex(number, _) => truncate(number),
        }
    }

    /// As a complex number.
    pub fn complex(self) -> (f64, f64) {
        match self {
            Self::Complex(real, imaginary) => (real, imaginary),
            other => (other.float(), 0.0),
        }
    }

    pub(crate) fn is_true(self) -> bool {
        match self {
            Self::Bool(yes) => yes,
            Self::Int(number) => number != 0,
            Self::Float(number) => number != 0.0,
            Self::Complex(real, imaginary) => real != 0.0 || imaginary != 0.0,
        }
    }

    /// Which of two real numbers is larger; none if one is no number or complex.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Complex(..), _) | (_, Self::Complex(..)) => {
                (self.complex() == other.complex()).then_some(Ordering::Equal)
            }
            (Self::Float(_), _) | (_, Self::Float(_)) => self.float().partial_cmp(&other.float()),
            _ => Some(self.int().cmp(&other.int())),
        }
    }
}

/// Towards zero, with the result of x86 for what is too large or no number.
pub(crate) fn truncate(number: f64) -> i64 {
    // 2^63 is a float, the largest integer is not.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number) {
        number as i64
    } else {
        i64::MIN
    }
}

impl fmt::Display for ScalarValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => float(f, *number),
            Self::Complex(real, imaginary) => {
                write!(f, "({real}{}{imaginary}j)", if *imaginary < 0.0 { "" } else { "+" })
            }
        }
    }
}

/// As Python shows it: always with a point, an exponent or a name.
fn float(f: &mut fmt::Formatter<'_>, number: f64) -> fmt::Result {
    let size = number.abs();
    if number.is_nan() {
        f.write_str("nan")
    } else if number.is_infinite() {
        f.write_str(if number > 0.0 { "inf" } else { "-inf" })
    } else if size >= 1e16 || (size < 1e-4 && size > 0.0) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        write!(f, "{digits}e{sign}{exponent:0>2}")
    } else {
        write!(f, "{number:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_in_python() {
        let shown = |number| ScalarValue::Float(number).to_string();
        assert_eq!(shown(1.0), "1.0");
        assert_eq!(shown(0.1), "0.1");
        assert_eq!(shown(1e16), "1e+16");
        assert_eq!(shown(1.5e-5), "1.5e-05");
        assert_eq!(shown(f64::NEG_INFINITY), "-inf");
        assert_eq!(ScalarValue::Bool(true).to_string(), "True");
    }

    #[test]
    fn integers_compare_exactly() {
        let (a, b) =
            (ScalarValue::Int(9_007_199_254_740_993), ScalarValue::Int(9_007_199_254_740_992));
        assert_eq!(a.compare(b), Some(Ordering::Greater));
        assert_eq!(ScalarValue::Float(f64::NAN).compare(a), None);
    }
}
