//! The types of values in TorchScript.

use std::fmt;
use std::sync::Arc;

use crate::SchemaType;

/// The largest type, counted in the types that it is made of. Real ones have some ten.
const LARGEST: usize = 512;

/// The most members of a union.
const MEMBERS: usize = 32;

/// The type of a value in a program.
///
/// The numbers that stand for element types, layouts and memory formats are `int`, as the loader has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScriptType {
    /// Cannot be told: it may be anything, and fits everywhere.
    Unknown,
    /// `Any`: what takes every value.
    Any,
    /// The type `NoneType` of TorchScript.
    None,
    /// The type `Tensor` of TorchScript.
    Tensor,
    /// The type `int` of TorchScript, of 64 bits.
    Int,
    /// The type `float` of TorchScript, of 64 bits.
    Float,
    /// The type `complex` of TorchScript, twice 64 bits.
    Complex,
    /// The type `bool` of TorchScript.
    Bool,
    /// `number`: an integer, a float, or a complex number.
    Number,
    /// The type `str` of TorchScript.
    Str,
    /// A type of the language without parts: `Device`, `Generator`, `AnyEnumType`.
    Named(Arc<str>),
    /// A class by its full name, the program's own or one that is registered in C++.
    Class(Arc<str>),
    /// A type variable of a schema: `t`.
    Variable(Arc<str>),
    /// The type `List[T]` of TorchScript.
    List(Arc<ScriptType>),
    /// The type `Dict[K, V]` of TorchScript.
    Dict(Arc<(ScriptType, ScriptType)>),
    /// The type `Tuple[...]` of TorchScript.
    Tuple(Arc<[ScriptType]>),
    /// The type `Optional[T]` of TorchScript.
    Optional(Arc<ScriptType>),
    /// The type `Union[...]` of TorchScript.
    Union(Arc<[ScriptType]>),
    /// A name with types: `Future[T]`, `RRef[T]`, `Await[T]`.
    Applied(Arc<str>, Arc<[ScriptType]>),
}

impl ScriptType {
    /// The type `List[T]` of items of this type.
    pub fn list(item: Self) -> Self {
        Self::List(Arc::new(item)).bounded()
    }

    /// The type `Dict[K, V]` of these two types.
    pub fn dict(key: Self, value: Self) -> Self {
        Self::Dict(Arc::new((key, value))).bounded()
    }

    /// The type `Tuple[...]` of items of these types.
    pub fn tuple(items: impl IntoIterator<Item = Self>) -> Self {
        Self::Tuple(items.into_iter().collect()).bounded()
    }

    /// `Optional[T]`; of what takes `None` already the same.
    pub fn optional(inner: Self) -> Self {
        match inner {
            Self::Optional(_) | Self::None | Self::Any | Self::Unknown => inner,
            inner => Self::Optional(Arc::new(inner)).bounded(),
        }
    }

    /// A name with types.
    pub fn applied(name: &str, types: impl IntoIterator<Item = Self>) -> Self {
        Self::Applied(name.into(), types.into_iter().collect()).bounded()
    }

    /// A union; with `None` in it an optional, of one type that type.
    pub fn union(members: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        let mut none = false;
        for member in members {
            let inner: &[Self] = match &member {
                Self::Unknown => return Self::Unknown,
                Self::Union(inner) => inner,
                one => std::slice::from_ref(one),
            };
            for one in inner {
                none |= matches!(one, Self::None | Self::Optional(_));
                let one = one.without_none();
                if !matches!(one, Self::None) && !flat.contains(&one) {
                    flat.push(one);
                }
            }
            if flat.len() > MEMBERS {
                return Self::Unknown;
            }
        }
        let plain = match flat.len() {
            0 => return Self::None,
            1 => flat.swap_remove(0),
            _ => Self::Union(flat.into()).bounded(),
        };
        if none { Self::optional(plain) } else { plain }
    }

    /// A type larger than any real one is not looked into: types of a program may double with each of
    /// its lines.
    fn bounded(self) -> Self {
        if self.size() > LARGEST { Self::Unknown } else { self }
    }

    fn size(&self) -> usize {
        1 + match self {
            Self::List(inner) | Self::Optional(inner) => inner.size(),
            Self::Dict(pair) => pair.0.size() + pair.1.size(),
            Self::Tuple(all) | Self::Union(all) | Self::Applied(_, all) => {
                all.iter().map(Self::size).sum()
            }
            _ => 0,
        }
    }

    /// A type that a schema names; small letters are type variables.
    pub(crate) fn of_name(name: &str) -> Self {
        match name {
            "Tensor" => Self::Tensor,
            "int" | "ScalarType" | "Layout" | "MemoryFormat" | "SymInt" | "QScheme" => Self::Int,
            "float" | "SymFloat" => Self::Float,
            "complex" => Self::Complex,
            "bool" | "SymBool" => Self::Bool,
            "Scalar" | "number" => Self::Number,
            "str" | "Dimname" => Self::Str,
            "Any" | "AnyType" => Self::Any,
            "NoneType" => Self::None,
            _ if name.starts_with("__torch__.") => Self::Class(name.into()),
            _ if name.starts_with(|c: char| c.is_ascii_lowercase()) => Self::Variable(name.into()),
            _ => Self::Named(name.into()),
        }
    }

    /// The type without `None`.
    pub fn without_none(&self) -> Self {
        match self {
            Self::Optional(inner) => (**inner).clone(),
            other => other.clone(),
        }
    }

    /// Whether something in it cannot be told.
    pub fn is_vague(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::List(inner) | Self::Optional(inner) => inner.is_vague(),
            Self::Dict(pair) => pair.0.is_vague() || pair.1.is_vague(),
            Self::Tuple(all) | Self::Union(all) | Self::Applied(_, all) => {
                all.iter().any(Self::is_vague)
            }
            _ => false,
        }
    }

    /// Whether a type variable stands in it.
    pub(crate) fn is_generic(&self) -> bool {
        match self {
            Self::Variable(_) => true,
            Self::List(inner) | Self::Optional(inner) => inner.is_generic(),
            Self::Dict(pair) => pair.0.is_generic() || pair.1.is_generic(),
            Self::Tuple(all) | Self::Union(all) | Self::Applied(_, all) => {
                all.iter().any(Self::is_generic)
            }
            _ => false,
        }
    }

    /// Whether every value of this type is one of the other. Lists and dicts are of equal items only.
    pub fn is_subtype_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown | Self::Any) => true,
            (Self::Union(members), _) => members.iter().all(|one| one.is_subtype_of(other)),
            (Self::None, Self::Optional(_)) => true,
            (Self::Optional(a), Self::Optional(b)) => a.is_subtype_of(b),
            (Self::Optional(inner), Self::Union(_)) => {
                inner.is_subtype_of(other) && Self::None.is_subtype_of(other)
            }
            (one, Self::Optional(inner)) => one.is_subtype_of(inner),
            (one, Self::Union(members)) => members.iter().any(|member| one.is_subtype_of(member)),
            (Self::Int | Self::Float | Self::Complex, Self::Number) => true,
            (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.is_subtype_of(b))
            }
            (Self::Applied(a, of), Self::Applied(b, to)) => {
                a == b
                    && of.len() == to.len()
                    && of.iter().zip(to.iter()).all(|(a, b)| a.is_subtype_of(b))
            }
            (Self::List(a), Self::List(b)) => **b == Self::Any || a.is_same(b),
            (Self::Dict(a), Self::Dict(b)) => a.0.is_same(&b.0) && a.1.is_same(&b.1),
            (Self::Tuple(_), Self::Named(name)) => &**name == "AnyTupleType",
            (Self::List(_), Self::Named(name)) => &**name == "AnyListType",
            (Self::Class(_), Self::Named(name)) => {
                matches!(&**name, "AnyClassType" | "AnyEnumType")
            }
            (one, other) => one == other,
        }
    }

    /// Whether both are the same, as far as both can be told.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::List(a), Self::List(b)) | (Self::Optional(a), Self::Optional(b)) => a.is_same(b),
            (Self::Dict(a), Self::Dict(b)) => a.0.is_same(&b.0) && a.1.is_same(&b.1),
            (Self::Tuple(a), Self::Tuple(b)) | (Self::Union(a), Self::Union(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.is_same(b))
            }
            (one, other) => one == other,
        }
    }

    /// The least type that takes values of both: what a variable has behind the two branches of an `if`.
    pub fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (a, b) if a.is_vague() || b.is_vague() => {
                if a.is_same(b) {
                    a.clone()
                } else {
                    Self::Unknown
                }
            }
            (a, b) if a.is_subtype_of(b) => b.clone(),
            (a, b) if b.is_subtype_of(a) => a.clone(),
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                Self::tuple(a.iter().zip(b.iter()).map(|(a, b)| a.join(b)))
            }
            (a, b) => Self::union([a.clone(), b.clone()]),
        }
    }
}

impl From<&SchemaType> for ScriptType {
    fn from(ty: &SchemaType) -> Self {
        match ty {
            SchemaType::Named(name) => Self::of_name(name),
            SchemaType::List(item, _) => Self::list(Self::from(&**item)),
            SchemaType::Optional(inner) => Self::optional(Self::from(&**inner)),
            SchemaType::Tuple(items) => Self::tuple(items.iter().map(Self::from)),
            SchemaType::Applied(name, types) => match (&**name, &types[..]) {
                ("Dict", [key, value]) => Self::dict(key.into(), value.into()),
                ("Union", all) => Self::union(all.iter().map(Self::from)),
                (name, all) => Self::applied(name, all.iter().map(Self::from)),
            },
        }
    }
}

/// As TorchScript writes it: `Optional[List[int]]`.
impl fmt::Display for ScriptType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |f: &mut fmt::Formatter<'_>, name: &str, types: &[Self]| {
            write!(f, "{name}[")?;
            for (i, one) in types.iter().enumerate() {
                write!(f, "{}{one}", if i == 0 { "" } else { ", " })?;
            }
            f.write_str("]")
        };
        match self {
            Self::Unknown => f.write_str("?"),
            Self::Any => f.write_str("Any"),
            Self::None => f.write_str("NoneType"),
            Self::Tensor => f.write_str("Tensor"),
            Self::Int => f.write_str("int"),
            Self::Float => f.write_str("float"),
            Self::Complex => f.write_str("complex"),
            Self::Bool => f.write_str("bool"),
            Self::Number => f.write_str("number"),
            Self::Str => f.write_str("str"),
            Self::Named(name) | Self::Class(name) | Self::Variable(name) => f.write_str(name),
            Self::List(item) => write!(f, "List[{item}]"),
            Self::Dict(pair) => write!(f, "Dict[{}, {}]", pair.0, pair.1),
            Self::Tuple(items) if items.is_empty() => f.write_str("Tuple[()]"),
            Self::Tuple(items) => all(f, "Tuple", items),
            Self::Optional(inner) => write!(f, "Optional[{inner}]"),
            Self::Union(members) => all(f, "Union", members),
            Self::Applied(name, types) => all(f, name, types),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_type(text: &str) -> ScriptType {
        let schema: crate::FunctionSchema = format!("a::b({text} x) -> ()").parse().unwrap();
        ScriptType::from(&schema.arguments[0].ty)
    }

    #[test]
    fn values_of_a_subtype_fit() {
        for (one, other) in [
            ("int", "Scalar"),
            ("int", "int?"),
            ("NoneType", "Tensor?"),
            ("int", "Any"),
            ("(int, float)", "(Scalar, float?)"),
            ("int[]", "Any[]"),
            ("ScalarType?", "int?"),
        ] {
            assert!(parse_type(one).is_subtype_of(&parse_type(other)), "{one} {other}");
        }
        for (one, other) in
            [("float", "int"), ("int[]", "Scalar[]"), ("int?", "int"), ("bool", "Scalar")]
        {
            assert!(!parse_type(one).is_subtype_of(&parse_type(other)), "{one} {other}");
        }
    }

    #[test]
    fn branches_join_to_what_takes_both() {
        assert_eq!(parse_type("int").join(&ScriptType::None), parse_type("int?"));
        assert_eq!(parse_type("int").join(&parse_type("Scalar")), ScriptType::Number);
        assert_eq!(
            parse_type("(int, Tensor)").join(&parse_type("(int, Tensor?)")),
            parse_type("(int, Tensor?)")
        );
        assert_eq!(parse_type("int").join(&parse_type("str")).to_string(), "Union[int, str]");
    }

    #[test]
    fn types_that_double_with_every_line_end() {
        let mut ty = ScriptType::Int;
        for _ in 0..1000 {
            ty = ScriptType::tuple([ty.clone(), ty]);
        }
        assert!(ty.size() <= LARGEST);
    }
}
