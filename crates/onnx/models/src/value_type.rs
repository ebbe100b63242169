//! Type of a value: a tensor of an element type, or something made of such.

use std::fmt;

use crate::OnnxElementType;

/// How deep types of values nest in what is kept; deeper ones are not known.
const DEPTH: usize = 8;

/// The type of a value, without its shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueType {
    /// A dense tensor of this element type.
    Tensor(OnnxElementType),
    /// A sparse tensor of this element type.
    Sparse(OnnxElementType),
    /// A sequence of values of one type.
    Sequence(Box<ValueType>),
    /// A value that may be missing.
    Optional(Box<ValueType>),
    /// A map from keys of an element type to values.
    Map(OnnxElementType, Box<ValueType>),
}

impl ValueType {
    /// The type that a table writes like this: `float`, `seq(float)`, `map(int64,float)`.
    ///
    /// ```
    /// use unskew_onnx::ValueType;
    /// let kind = ValueType::parse("optional(seq(float16))").unwrap();
    /// assert_eq!(kind.to_string(), "optional(seq(float16))");
    /// assert_eq!(ValueType::parse("seq(half)"), None);
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

    /// A sequence of such values; none if that nests too deep to be kept. A model can put a value into another as often as it
    /// has nodes, and each has a type of its own.
    pub(crate) fn in_sequence(self) -> Option<Self> {
        self.nests().then(|| Self::Sequence(Box::new(self)))
    }

    /// Such a value, that may be missing; none if that nests too deep to be kept.
    pub(crate) fn optional(self) -> Option<Self> {
        self.nests().then(|| Self::Optional(Box::new(self)))
    }

    /// Whether something of this type may be in something else.
    fn nests(&self) -> bool {
        let (mut depth, mut kind) = (1, self);
        while let Self::Sequence(of) | Self::Optional(of) | Self::Map(_, of) = kind {
            depth += 1;
            kind = of;
        }
        depth < DEPTH
    }

    /// What a sequence or an optional value holds.
    pub fn inner(&self) -> Option<&Self> {
        match self {
            Self::Sequence(of) | Self::Optional(of) => Some(of),
            _ => None,
        }
    }
}

impl fmt::Display for ValueType {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nests_too_deep_is_not_known() {
        let mut kind = ValueType::Tensor(OnnxElementType(1));
        let mut depth = 1;
        while let Some(deeper) = kind.clone().optional() {
            assert_eq!(ValueType::parse(&deeper.to_string()), Some(deeper.clone()));
            kind = deeper;
            depth += 1;
        }
        assert_eq!(depth, DEPTH);
        assert_eq!(kind.clone().in_sequence(), None);
        assert!(kind.inner().unwrap().clone().in_sequence().is_some());
    }
}
