//! Attribute values, as far as a verdict needs them: kinds always, values where they are small.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::DataType;

/// The kinds of single values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttrScalarType {
    /// Bytes, which TensorFlow calls `string`.
    String,
    /// An integer of 64 bits.
    Int,
    /// A float of 32 bits.
    Float,
    /// A boolean, true or false.
    Bool,
    /// An element type of tensors.
    Type,
    /// A shape, whose dimensions or rank may be unknown.
    Shape,
    /// A tensor with its elements.
    Tensor,
    /// The name of a function.
    Func,
    /// A name that a function body is instantiated with.
    Placeholder,
}

impl AttrScalarType {
    const ALL: [(Self, &'static str); 9] = [
        (Self::String, "string"),
        (Self::Int, "int"),
        (Self::Float, "float"),
        (Self::Bool, "bool"),
        (Self::Type, "type"),
        (Self::Shape, "shape"),
        (Self::Tensor, "tensor"),
        (Self::Func, "func"),
        (Self::Placeholder, "placeholder"),
    ];

    /// The word that OpDefs use.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

/// The kind of an attribute: `type`, `list(int)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttrKind {
    /// The kind of the value, or of each element.
    pub single: AttrScalarType,
    /// Whether it is a list.
    pub list: bool,
}

impl AttrKind {
    /// The kind that an OpDef writes so; none if there is no such kind.
    pub fn from_text(text: &str) -> Option<Self> {
        let inner = text.strip_prefix("list(").and_then(|rest| rest.strip_suffix(')'));
        let word = inner.unwrap_or(text);
        let (single, _) = AttrScalarType::ALL.into_iter().find(|(_, name)| *name == word)?;
        Some(Self { single, list: inner.is_some() })
    }
}

impl fmt::Display for AttrKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.single.as_str();
        if self.list { write!(f, "list({word})") } else { f.write_str(word) }
    }
}

/// A shape: unknown, or dimensions of which -1 is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartialTensorShape(pub Option<Vec<i64>>);

impl PartialTensorShape {
    /// How many dimensions there are, if that is known.
    pub fn rank(&self) -> Option<usize> {
        self.0.as_ref().map(Vec::len)
    }
}

impl fmt::Display for PartialTensorShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(dims) = &self.0 else { return f.write_str("?") };
        let dims: Vec<String> =
            dims.iter().map(|d| if *d < 0 { "?".to_owned() } else { d.to_string() }).collect();
        write!(f, "[{}]", dims.join(","))
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AttrValue {
    /// No value at all.
    #[default]
    Missing,
    /// Bytes, which TensorFlow calls `string`.
    String(Box<[u8]>),
    /// An integer of 64 bits.
    Int(i64),
    /// A float of 32 bits.
    Float(f32),
    /// A boolean, true or false.
    Bool(bool),
    /// An element type of tensors.
    Type(DataType),
    /// A shape, whose dimensions or rank may be unknown.
    Shape(PartialTensorShape),
    /// A tensor, of which only the head is kept.
    Tensor {
        /// The type of the elements.
        dtype: DataType,
        /// The dimensions, as far as they are known.
        shape: PartialTensorShape,
        /// Whether it is one number, which is zero.
        zero: bool,
        /// Its value, if it is one number of type `int32` between -1 and 8.
        small: Option<i8>,
        /// Whether it says values. Without any it is zeros, or empty texts.
        filled: bool,
    },
    /// The name of a function.
    Func(Box<str>),
    /// A name that a function body is instantiated with.
    Placeholder(Box<str>),
    /// A list; an empty one is of every kind.
    List(Vec<AttrValue>),
    /// A value too large to keep: its kind and its size, in elements or bytes.
    Large(AttrKind, u64),
}

impl AttrValue {
    /// The kind; none for a missing value and an empty list, which may be of any.
    pub fn kind(&self) -> Option<AttrKind> {
        let single = match self {
            Self::Missing => return None,
            Self::List(values) => {
                let kind = values.first()?.kind()?;
                return Some(AttrKind { list: true, ..kind });
            }
            Self::Large(kind, _) => return Some(*kind),
            Self::String(_) => AttrScalarType::String,
            Self::Int(_) => AttrScalarType::Int,
            Self::Float(_) => AttrScalarType::Float,
            Self::Bool(_) => AttrScalarType::Bool,
            Self::Type(_) => AttrScalarType::Type,
            Self::Shape(_) => AttrScalarType::Shape,
            Self::Tensor { .. } => AttrScalarType::Tensor,
            Self::Func(_) => AttrScalarType::Func,
            Self::Placeholder(_) => AttrScalarType::Placeholder,
        };
        Some(AttrKind { single, list: false })
    }

    /// Whether a value of an attribute of this kind may look so.
    pub(crate) fn is_a(&self, kind: AttrKind) -> bool {
        match self {
            Self::List(values) if values.is_empty() => kind.list,
            Self::Placeholder(_) => true,
            _ => self.kind() == Some(kind),
        }
    }

    /// The integer, if it is one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// How many elements a list has.
    pub fn len(&self) -> Option<u64> {
        match self {
            Self::List(values) => Some(values.len() as u64),
            Self::Large(kind, len) if kind.list => Some(*len),
            _ => None,
        }
    }

    /// Whether this is an empty list.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The part of the value that a verdict looks at: of a tensor, the element type.
    #[must_use]
    pub fn judged(&self) -> Self {
        match self {
            Self::Tensor { dtype, .. } => Self::Tensor {
                dtype: *dtype,
                shape: PartialTensorShape(None),
                zero: false,
                small: None,
                filled: false,
            },
            other => other.clone(),
        }
    }

    /// The functions that the value names.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let values = match self {
            Self::List(values) => values.as_slice(),
            single => std::slice::from_ref(single),
        };
        values.iter().filter_map(|value| match value {
            Self::Func(name) => Some(&**name),
            _ => None,
        })
    }
}

impl Hash for AttrValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Missing => {}
            Self::String(bytes) => bytes.hash(state),
            Self::Int(n) => n.hash(state),
            // Zero has two signs and one value.
            Self::Float(n) => (n + 0.0).to_bits().hash(state),
            Self::Bool(b) => b.hash(state),
            Self::Type(dtype) => dtype.hash(state),
            Self::Shape(shape) => shape.hash(state),
            Self::Tensor { dtype, shape, zero, small, filled } => {
                (dtype, shape, zero, small, filled).hash(state);
            }
            Self::Func(name) | Self::Placeholder(name) => name.hash(state),
            Self::List(values) => values.hash(state),
            Self::Large(kind, len) => (kind, len).hash(state),
        }
    }
}

impl fmt::Display for AttrValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no value"),
            Self::String(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(n) => write!(f, "{n:?}"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Type(t) => write!(f, "{t}"),
            Self::Shape(shape) => write!(f, "{shape}"),
            Self::Tensor { dtype, shape, .. } => write!(f, "tensor({dtype} {shape})"),
            Self::Func(name) => write!(f, "@{name}"),
            Self::Placeholder(name) => write!(f, "${name}"),
            Self::Large(kind, len) => write!(f, "{kind} of {len}"),
            Self::List(values) => {
                let values: Vec<String> = values.iter().map(Self::to_string).collect();
                write!(f, "[{}]", values.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_is_a_list_of_every_kind_and_no_single_value() {
        let empty = AttrValue::List(vec![]);
        for kind in ["list(int)", "list(type)"] {
            assert!(empty.is_a(AttrKind::from_text(kind).unwrap()));
        }
        assert!(!empty.is_a(AttrKind::from_text("int").unwrap()));
        assert_eq!(AttrKind::from_text("list(list(int))"), None);
    }

    #[test]
    fn the_kind_of_a_list_is_that_of_its_elements() {
        let list = AttrValue::List(vec![AttrValue::Type(DataType(1))]);
        assert_eq!(list.kind().unwrap().to_string(), "list(type)");
        assert_eq!(list.to_string(), "[float]");
    }
}
