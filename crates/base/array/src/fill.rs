//! Contents that are made.

use std::str::FromStr;

use crate::{ArrayElementType, ElementClass};

/// What an array is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Every element is 0.
    Zeros,
    /// Every element is 1.
    Ones,
    /// 0, 1, 2, …; integers wrap around, and small floats end at their largest number or infinity.
    Iota,
    /// Reproducible: floats from -1 to 1, integers of any bits, by a seed.
    Random(u64),
}

/// A text that is no [`Fill`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not zeros, ones, iota, random or random:SEED: {0}")]
pub struct ParseFillError(String);

impl FromStr for Fill {
    type Err = ParseFillError;

    fn from_str(text: &str) -> Result<Self, ParseFillError> {
        match (text, text.strip_prefix("random:").map(str::parse)) {
            ("zeros", _) => Ok(Self::Zeros),
            ("ones", _) => Ok(Self::Ones),
            ("iota", _) => Ok(Self::Iota),
            ("random", _) => Ok(Self::Random(0)),
            (_, Some(Ok(seed))) => Ok(Self::Random(seed)),
            _ => Err(ParseFillError(text.to_owned())),
        }
    }
}

impl Fill {
    /// Adds `count` elements to `out`.
    pub(crate) fn into(self, element: ArrayElementType, count: usize, out: &mut Vec<u8>) {
        let mut random = Random(match self {
            Self::Random(seed) => seed,
            _ => 0,
        });
        for i in 0..count {
            match self {
                Self::Zeros => element.encode(0.0, out),
                Self::Ones => element.encode(1.0, out),
                Self::Iota => element.encode(i as f64, out),
                Self::Random(_) => random.element(element, out),
            }
        }
    }
}

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From -1 to 1, in steps of 2^-52.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn element(&mut self, element: ArrayElementType, out: &mut Vec<u8>) {
        match element.kind() {
            ElementClass::Bool => out.push((self.next() & 1) as u8),
            // Few enough bits that a float holds them; wide integers do without the highest.
            ElementClass::Signed(_) | ElementClass::Unsigned(_) => {
                element.encode((self.next() >> 12).cast_signed() as f64, out);
            }
            ElementClass::ComplexSingle => {
                for _ in 0..2 {
                    out.extend_from_slice(&(self.unit() as f32).to_le_bytes());
                }
            }
            ElementClass::ComplexDouble => {
                for _ in 0..2 {
                    out.extend_from_slice(&self.unit().to_le_bytes());
                }
            }
            ElementClass::Small(_) | ElementClass::Single | ElementClass::Double => {
                element.encode(self.unit(), out)
            }
        }
    }
}
