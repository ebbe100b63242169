//! What a value is: a tensor of an element type, or something made of such.

use std::fmt;

use crate::Element;

/// How deep types of values nest in what is kept; deeper ones are not known.
const DEPTH: usize = 8;

/// The type of a value, without its shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A dense tensor of this element type.
    Tensor(Element),
    /// A sparse tensor of this element type.
    Sparse(Element),
    /// A sequence of values of one type.
    Sequence(Box<Kind>),
    /// A value that may be missing.
    Optional(Box<Kind>),
    /// A map from keys of an element type to values.
    Map(Element, Box<Kind>),
}

impl Kind {
    /// The type that a table writes like this: `float`, `seq(float)`, `map(int64,float)`.
    ///
    /// ```
    /// use unskew_onnx::Kind;
    /// let kind = Kind::parse("optional(seq(float16))").unwrap();
    /// assert_eq!(kind.to_string(), "optional(seq(float16))");
    /// assert_eq!(Kind::parse("seq(half)"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        Self::within(text, DEPTH)
    }

    fn within(text: &str, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        let inside = |head: &str| text.strip_prefix(head)?.strip_suffix(')');
        if let Some(of) = inside("seq(") {
            Some(Self::Sequence(Box::new(Self::within(of, depth)?)))
        } else if let Some(of) = inside("optional(") {
            Some(Self::Optional(Box::new(Self::within(of, depth)?)))
        } else if let Some(of) = inside("sparse_tensor(") {
            of.parse().ok().map(Self::Sparse)
        } else if let Some(of) = inside("map(") {
            let (key, value) = of.split_once(',')?;
            Some(Self::Map(key.parse().ok()?, Box::new(Self::within(value, depth)?)))
        } else {
            text.parse().ok().map(Self::Tensor)
        }
    }

    /// What a sequence or an optional value holds.
    pub fn inner(&self) -> Option<&Self> {
        match self {
            Self::Sequence(of) | Self::Optional(of) => Some(of),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(element) => write!(f, "{element}"),
            Self::Sparse(element) => write!(f, "sparse_tensor({element})"),
            Self::Sequence(of) => write!(f, "seq({of})"),
            Self::Optional(of) => write!(f, "optional({of})"),
            Self::Map(key, value) => write!(f, "map({key},{value})"),
        }
    }
}
