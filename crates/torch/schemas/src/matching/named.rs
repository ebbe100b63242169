//! Given arguments of a call, one by one.

use super::{BoundArgument, CallBinding, GivenValue, ScriptType, TypedSchema};
use crate::SchemaType;

/// One argument that a call gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenArgument {
    /// The argument's name in the schema, also if it is given by place.
    pub name: String,
    /// Whether it is given by name.
    pub by_name: bool,
    /// The value as TorchScript writes it, if it is a literal.
    pub value: Option<String>,
    /// The type of the value, if it is known better than from the schema.
    pub ty: Option<SchemaType>,
}

impl CallBinding {
    /// The values of a call that was bound so, each with the name of its argument, those by place first.
    pub fn named(&self, signature: &TypedSchema, given: &[GivenValue]) -> Vec<GivenArgument> {
        let bound = signature.schema.arguments.iter().zip(&self.arguments);
        let mut named: Vec<(bool, GivenArgument)> = bound
            .filter_map(|(argument, bound)| {
                let (place, whole) = match bound {
                    BoundArgument::Given(place) => (*place, true),
                    BoundArgument::Rest(place) => (*place, false),
                    BoundArgument::Default => return None,
                };
                let value = given.get(place)?;
                let by_name = value.keyword.is_some();
                let literal = value.literal.as_ref().filter(|_| whole);
                let one = GivenArgument {
                    name: argument.name.clone(),
                    by_name,
                    value: literal.map(ToString::to_string),
                    ty: value.ty.schema_type().filter(|_| whole),
                };
                Some((by_name, one))
            })
            .collect();
        named.sort_by_key(|(by_name, _)| *by_name);
        named.into_iter().map(|(_, one)| one).collect()
    }
}

impl ScriptType {
    /// The type as a schema writes it: `int[]?`; none if something in it cannot be told.
    pub fn schema_type(&self) -> Option<SchemaType> {
        let named = |name: &str| Some(SchemaType::Named(name.to_owned()));
        let all = |types: &[Self]| types.iter().map(Self::schema_type).collect::<Option<Vec<_>>>();
        match self {
            Self::Unknown => None,
            Self::Any => named("Any"),
            Self::None => named("NoneType"),
            Self::Tensor => named("Tensor"),
            Self::Int => named("int"),
            Self::Float => named("float"),
            Self::Complex => named("complex"),
            Self::Bool => named("bool"),
            Self::Number => named("Scalar"),
            Self::Str => named("str"),
            Self::Named(name) | Self::Class(name) | Self::Variable(name) => named(name),
            Self::List(item) => Some(SchemaType::List(Box::new(item.schema_type()?), None)),
            Self::Optional(inner) => Some(SchemaType::Optional(Box::new(inner.schema_type()?))),
            Self::Dict(pair) => {
                let types = vec![pair.0.schema_type()?, pair.1.schema_type()?];
                Some(SchemaType::Applied("Dict".to_owned(), types))
            }
            Self::Tuple(items) => Some(SchemaType::Tuple(all(items)?)),
            Self::Union(members) => Some(SchemaType::Applied("Union".to_owned(), all(members)?)),
            Self::Applied(name, types) => Some(SchemaType::Applied(name.to_string(), all(types)?)),
        }
    }
}
