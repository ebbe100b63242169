//! Outline of a schema, told by its text: enough to pass over most overloads without parsing them.

use memchr::memchr;

use super::{GivenValue, ScriptType, converts};

/// What the text of a schema shows of the calls that it takes.
#[derive(Debug)]
pub(crate) struct SchemaOutline {
    first: FirstParameter,
    /// Whether it writes to an argument that is given by name.
    out: bool,
}

/// The first parameter of a schema.
#[derive(Debug)]
enum FirstParameter {
    /// Of a type without parts: `Tensor(a!) self`, `Scalar a`.
    Plain(ScriptType),
    /// A list of any length: `t[] l`.
    List(ScriptType),
    /// A dictionary: `Dict(str, t) self`.
    Dict,
    /// There is none, or it is of another type.
    Other,
}

impl SchemaOutline {
    /// That of a schema as it is written.
    pub(crate) fn from_schema(schema: &str) -> Self {
        let open = memchr(b'(', schema.as_bytes()).unwrap_or(schema.len());
        let parameters = schema.get(open + 1..).unwrap_or_default();
        Self { first: FirstParameter::from_parameters(parameters), out: is_out(parameters) }
    }

    /// Whether it does not take what a call gives, by what the text shows.
    pub(crate) fn refuses(&self, given: &[GivenValue], conversions: bool) -> bool {
        let by_name = given.iter().any(|one| one.keyword.is_some());
        self.out && !by_name || self.first.refuses(given, conversions)
    }
}

/// Whether the last parameter is an output, which has no default: `*, Tensor(a!) out) -> Tensor(a!)`.
fn is_out(parameters: &str) -> bool {
    // Most schemas write to nothing.
    memchr(b'!', parameters.as_bytes()).is_some()
        && parameters.rsplit_once(") -> ").is_some_and(|(parameters, _)| {
            let last = parameters.rsplit(", ").next().unwrap_or_default();
            let by_name = parameters.contains(" *, ") || parameters.starts_with("*, ");
            by_name && last.contains("!) ") && !last.contains(['='])
        })
}

impl FirstParameter {
    fn from_parameters(parameters: &str) -> Self {
        let end = parameters.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let (name, mut behind) = parameters.split_at(end);
        if let Some(alias) = behind.strip_prefix(['(']) {
            behind = alias.split_once([')']).map_or("", |(_, behind)| behind);
        }
        let plain = match ScriptType::of_name(name) {
            plain @ (ScriptType::Tensor
            | ScriptType::Int
            | ScriptType::Float
            | ScriptType::Complex
            | ScriptType::Bool
            | ScriptType::Number
            | ScriptType::Str) => Some(plain),
            _ => None,
        };
        match (plain, behind.as_bytes()) {
            (None, [b' ', ..]) if name == "Dict" => Self::Dict,
            (Some(plain), [b' ', ..]) => Self::Plain(plain),
            // What a variable stands for is found by what a call gives.
            (item, [b'[', b']', b' ', ..]) => {
                Self::List(ScriptType::list(item.unwrap_or(ScriptType::Unknown)))
            }
            _ => Self::Other,
        }
    }

    /// Whether it does not take what a call gives first, so that the call does not fit whatever else it gives.
    fn refuses(&self, given: &[GivenValue], conversions: bool) -> bool {
        let Some(first) = given.first() else { return false };
        if first.keyword.is_some() || given.iter().any(|one| one.receiver) {
            return false;
        }
        match self {
            Self::Plain(wants) => !converts(&first.ty, wants, conversions),
            // With conversions a list may take all values as its items.
            Self::List(wants) => !conversions && !converts(&first.ty, wants, false),
            Self::Dict => matches!(
                first.ty,
                ScriptType::Tensor | ScriptType::Int | ScriptType::Str | ScriptType::List(_)
            ),
            Self::Other => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FunctionSchema;
    use crate::matching::TypedSchema;

    #[test]
    fn what_the_text_refuses_fits_no_parsed_schema() {
        let list = |item| ScriptType::List(std::sync::Arc::new(item));
        let mut refused = 0;
        for text in [
            "a::f(Tensor(a!) self, *, bool b=False) -> ()",
            "a::f.x(Tensor? self) -> ()",
            "a::f(Tensor[] all) -> ()",
            "a::f(int[] all) -> ()",
            "a::f(Tensor[](a!) all) -> ()",
            "a::f(int[]? all=None) -> ()",
            "a::f(int[][] all) -> ()",
            "a::f(int[2] size) -> ()",
            "a::f(SymInt a, int b=0) -> ()",
            "a::f(Scalar a) -> ()",
            "a::f(str a) -> ()",
            "a::f(t[] l) -> t",
            "a::f(t x) -> t",
            "a::f(Dict(str, t) self) -> ()",
            "a::f(*, int a=1) -> ()",
            "a::f(Tensor b, *, Tensor(a!) a) -> Tensor(a!)",
            "a::f(*, Tensor(a!) a) -> Tensor(a!)",
            "a::f(Tensor(a!) self, *, int[2] b=[1, 1]) -> Tensor(a!)",
            "a::f(Tensor(a!) self, *, Tensor(b!)? b=None) -> Tensor(a!)",
            "a::f(...) -> ()",
            "a::f() -> ()",
        ] {
            let signature = TypedSchema::new(text.parse::<FunctionSchema>().unwrap());
            let outline = SchemaOutline::from_schema(text);
            for ty in [
                ScriptType::Unknown,
                ScriptType::None,
                ScriptType::Tensor,
                ScriptType::Int,
                ScriptType::Float,
                ScriptType::Bool,
                ScriptType::Str,
                ScriptType::Number,
                list(ScriptType::Int),
                list(ScriptType::Tensor),
                list(list(ScriptType::Int)),
                ScriptType::tuple([ScriptType::Int]),
                ScriptType::dict(ScriptType::Str, ScriptType::Int),
            ] {
                let by_place = GivenValue::from_type(ty.clone());
                let by_name = GivenValue { keyword: Some("a".to_owned()), ..by_place.clone() };
                let receiver = GivenValue { receiver: true, ..by_place.clone() };
                for given in [vec![by_place], vec![by_name], vec![receiver]] {
                    for conversions in [false, true] {
                        let refuses = outline.refuses(&given, conversions);
                        refused += usize::from(refuses);
                        let fits = signature.matches(&given, conversions).is_ok();
                        assert!(!(refuses && fits), "{text} {given:?} {conversions}");
                    }
                }
            }
        }
        assert!(refused > 50, "{refused}");
    }
}
