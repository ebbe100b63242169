//! The types of the schema language.

use std::fmt;

/// A type as a schema writes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SchemaType {
    /// `Tensor`, `int`, `t`, `__torch__.torch.classes.quantized.LinearPackedParamsBase`.
    Named(String),
    /// `int[]`, or `int[2]`, for which one `int` may stand too.
    List(Box<SchemaType>, Option<u64>),
    /// A type that may be absent: `Tensor?`.
    Optional(Box<SchemaType>),
    /// Several types in parentheses: `(Tensor, Tensor)`.
    Tuple(Vec<SchemaType>),
    /// `Dict(str, Tensor)`, `Future(t)`, `Union(int, str)`: a name with types.
    Applied(String, Vec<SchemaType>),
}

impl SchemaType {
    /// Whether it is a list without a fixed size, which takes any number of values.
    pub(crate) fn is_open_list(&self) -> bool {
        matches!(self, Self::List(_, None))
    }

    /// The length of a list that has a fixed one; of an optional list too.
    pub fn list_size(&self) -> Option<u64> {
        match self {
            Self::List(_, size) => *size,
            Self::Optional(inner) => inner.list_size(),
            _ => None,
        }
    }

    /// Whether it is a list of any type: `t[]`.
    pub fn is_generic(&self) -> bool {
        matches!(self, Self::List(item, _) if matches!(&**item, Self::Named(name) if is_variable(name)))
    }

    /// Whether it is a type variable, which stands for any type: `t`, `t1`.
    pub fn is_variable(&self) -> bool {
        matches!(self, Self::Named(name) if is_variable(name))
    }

    /// Whether `None` may stand for it: an optional, or a type that may be anything.
    pub fn takes_none(&self) -> bool {
        match self {
            Self::Optional(_) => true,
            Self::Named(name) => {
                matches!(&**name, "Any" | "NoneType" | "AnyType") || is_variable(name)
            }
            Self::Applied(name, types) => {
                name == "Union" && types.iter().any(SchemaType::takes_none)
            }
            Self::List(..) | Self::Tuple(_) => false,
        }
    }

    /// The name of a script class (`__torch__....`) that this type is or contains.
    pub fn class(&self) -> Option<&str> {
        match self {
            Self::Named(name) => name.starts_with("__torch__.").then_some(name.as_str()),
            Self::List(inner, _) | Self::Optional(inner) => inner.class(),
            Self::Tuple(inner) | Self::Applied(_, inner) => {
                inner.iter().find_map(SchemaType::class)
            }
        }
    }
}

/// Whether the name is that of a type variable: `t`, `t1`.
fn is_variable(name: &str) -> bool {
    name.strip_prefix('t').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

impl fmt::Display for SchemaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, types: &[SchemaType]| {
            f.write_str("(")?;
            for (i, ty) in types.iter().enumerate() {
                write!(f, "{}{ty}", if i == 0 { "" } else { ", " })?;
            }
            f.write_str(")")
        };
        match self {
            Self::Named(name) => f.write_str(name),
            Self::List(inner, None) => write!(f, "{inner}[]"),
            Self::List(inner, Some(size)) => write!(f, "{inner}[{size}]"),
            Self::Optional(inner) => write!(f, "{inner}?"),
            Self::Tuple(types) => list(f, types),
            Self::Applied(name, types) => {
                f.write_str(name)?;
                list(f, types)
            }
        }
    }
}

/// What a schema says about the memory behind a value: `(a!)`, `(a -> *)`, `(a|b)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AliasInfo {
    /// The alias sets before the call, as written: `a`, `a|b`, `*`.
    pub sets: String,
    /// Whether the operator writes to it.
    pub written: bool,
    /// The alias sets after the call, if they are others.
    pub after: Option<String>,
}

impl fmt::Display for AliasInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}{}", self.sets, if self.written { "!" } else { "" })?;
        if let Some(after) = &self.after {
            write!(f, " -> {after}")?;
        }
        f.write_str(")")
    }
}
