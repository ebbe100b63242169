//! Calls whose result is known without running anything.

use unskew_torch_schemas::matching::{GivenValue, Literal, ScriptType};

/// The result of an operator on values that are known.
pub(super) fn operator(name: &str, given: &[GivenValue]) -> Option<Literal> {
    let name = name.strip_prefix("aten::")?;
    let literal = |at: usize| given.get(at)?.literal.as_ref();
    match (name, given.len()) {
        ("__is__", 2) => identity(given).map(Literal::Bool),
        ("__isnot__", 2) => identity(given).map(|is| Literal::Bool(!is)),
        ("__not__", 1) => literal(0)?.truth().map(|value| Literal::Bool(!value)),
        ("Bool", 1) => literal(0)?.truth().map(Literal::Bool),
        ("Int" | "Float" | "IntImplicit", 1) => number(name, literal(0)?),
        ("neg", 1) => match literal(0)? {
            Literal::Int(value) => value.checked_neg().map(Literal::Int),
            Literal::Float(value) => Some(Literal::from(-value.value())),
            _ => None,
        },
        ("len", 1) => match literal(0)? {
            Literal::List(items) | Literal::Tuple(items) => {
                i64::try_from(items.len()).ok().map(Literal::Int)
            }
            Literal::Text(text) => i64::try_from(text.chars().count()).ok().map(Literal::Int),
            _ => None,
        },
        ("__contains__", 2) => match (literal(0)?, literal(1)?) {
            (Literal::List(items), item) => Some(Literal::Bool(items.contains(item))),
            (Literal::Text(text), Literal::Text(part)) => {
                Some(Literal::Bool(text.contains(&**part)))
            }
            _ => None,
        },
        ("__and__", 2) => both(literal(0)?, literal(1)?, |a, b| a && b),
        ("__or__", 2) => both(literal(0)?, literal(1)?, |a, b| a || b),
        (_, 2) => binary(name, literal(0)?, literal(1)?),
        _ => None,
    }
}

/// Whether two values are the same object, of which one is `None`.
fn identity(given: &[GivenValue]) -> Option<bool> {
    let is_none = |one: &GivenValue| match &one.literal {
        Some(literal) => Some(*literal == Literal::None),
        None => never_or_always_none(&one.ty),
    };
    match (is_none(&given[0])?, is_none(&given[1])?) {
        (true, true) => Some(true),
        (true, false) | (false, true) => Some(false),
        (false, false) => None,
    }
}

/// Whether a value of this type is `None`, if the type says so.
pub(super) fn never_or_always_none(ty: &ScriptType) -> Option<bool> {
    match ty {
        ScriptType::None => Some(true),
        ScriptType::Unknown
        | ScriptType::Any
        | ScriptType::Optional(_)
        | ScriptType::Union(_)
        | ScriptType::Variable(_) => None,
        _ => Some(false),
    }
}

fn both(a: &Literal, b: &Literal, of: impl Fn(bool, bool) -> bool) -> Option<Literal> {
    match (a, b) {
        (Literal::Bool(a), Literal::Bool(b)) => Some(Literal::Bool(of(*a, *b))),
        _ => None,
    }
}

fn number(name: &str, literal: &Literal) -> Option<Literal> {
    match (name, literal) {
        ("Float", Literal::Int(value)) => Some(Literal::from(*value as f64)),
        ("Float", Literal::Float(_)) | ("Int" | "IntImplicit", Literal::Int(_)) => {
            Some(literal.clone())
        }
        ("Int", Literal::Bool(value)) => Some(Literal::Int(i64::from(*value))),
        _ => None,
    }
}

/// What two known values give.
pub(super) fn binary(name: &str, a: &Literal, b: &Literal) -> Option<Literal> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match (a, b) {
        (Literal::Int(a), Literal::Int(b)) => Some(a.cmp(b)),
        (Literal::Text(a), Literal::Text(b)) => Some(a.cmp(b)),
        (Literal::Bool(a), Literal::Bool(b)) => Some(a.cmp(b)),
        (Literal::Float(a), Literal::Float(b)) => a.value().partial_cmp(&b.value()),
        (Literal::Int(a), Literal::Float(b)) => (*a as f64).partial_cmp(&b.value()),
        (Literal::Float(a), Literal::Int(b)) => a.value().partial_cmp(&(*b as f64)),
        _ => None,
    };
    let same = match (a, b) {
        (Literal::List(_), Literal::List(_)) | (Literal::Tuple(_), Literal::Tuple(_)) => {
            Some(a == b)
        }
        _ => order.map(|order| order == Equal),
    };
    let value = match name {
        "eq" => same?,
        "ne" => !same?,
        "lt" => order? == Less,
        "le" => order? != Greater,
        "gt" => order? == Greater,
        "ge" => order? != Less,
        _ => {
            let (Literal::Int(a), Literal::Int(b)) = (a, b) else { return None };
            return match name {
                "add" => a.checked_add(*b),
                "sub" => a.checked_sub(*b),
                "mul" => a.checked_mul(*b),
                _ => None,
            }
            .map(Literal::Int);
        }
    };
    Some(Literal::Bool(value))
}
