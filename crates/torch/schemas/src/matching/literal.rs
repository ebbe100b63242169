//! Values that stand in a program itself.

use std::fmt;
use std::sync::Arc;

use super::ScriptType;

/// The largest value that is known, counted in the values that it is made of. Tuples of tuples may double with
/// each line of a program.
const LARGEST: usize = 256;

/// A value that is known without running anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    /// The literal `None`, as in Python.
    None,
    /// The literals `True` and `False`.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A float, by its bits.
    Float(FloatBits),
    /// A string, without its quotes.
    Text(Arc<str>),
    /// A list of literals.
    List(Arc<[Literal]>),
    /// A tuple of literals.
    Tuple(Arc<[Literal]>),
}

/// A float that is compared by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FloatBits(u64);

impl FloatBits {
    /// The float, as it was written.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl From<f64> for Literal {
    fn from(value: f64) -> Self {
        Self::Float(FloatBits(value.to_bits()))
    }
}

impl Literal {
    /// A tuple of these, if it is not too large to be kept.
    pub fn tuple(items: Vec<Self>) -> Option<Self> {
        let size: usize = items.iter().map(Self::size).sum();
        (size < LARGEST).then(|| Self::Tuple(items.into()))
    }

    fn size(&self) -> usize {
        match self {
            Self::List(items) | Self::Tuple(items) => {
                1 + items.iter().map(Self::size).sum::<usize>()
            }
            _ => 1,
        }
    }

    /// Its type; none for a tuple, and for a list of anything but integers.
    pub fn ty(&self) -> Option<ScriptType> {
        Some(match self {
            Self::None => ScriptType::None,
            Self::Bool(_) => ScriptType::Bool,
            Self::Int(_) => ScriptType::Int,
            Self::Float(_) => ScriptType::Float,
            Self::Text(_) => ScriptType::Str,
            Self::List(items) if items.iter().all(|item| matches!(item, Self::Int(_))) => {
                ScriptType::List(ScriptType::Int.into())
            }
            Self::List(_) | Self::Tuple(_) => return None,
        })
    }

    /// Whether it counts as true in a condition.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            Self::Int(value) => Some(*value != 0),
            Self::Float(value) => Some(value.value() != 0.0),
            _ => None,
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |f: &mut fmt::Formatter<'_>, items: &[Self]| {
            for (i, item) in items.iter().enumerate() {
                write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{:?}", value.value()),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => {
                f.write_str("[")?;
                all(f, items)?;
                f.write_str("]")
            }
            Self::Tuple(items) => {
                f.write_str("(")?;
                all(f, items)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
        }
    }
}
