//! Types as programs write them, compared with values.

use std::cell::Cell;

use unskew_script::{Constant, Expression};

use crate::{Number, Value};

/// Whether a value has a type: `float`, `List[int]`, `Optional[Tensor]`, `(int, float)`.
pub(super) fn is_instance(value: &Value, kind: &Expression) -> bool {
    is(value, kind, &Cell::new(MOST_LOOKED_AT))
}

/// How many items are looked at before a value counts as none of a type: a list may hold another many times
/// over, which holds another many times over.
const MOST_LOOKED_AT: usize = 1 << 20;

fn is(value: &Value, kind: &Expression, left: &Cell<usize>) -> bool {
    if left.get() == 0 {
        return false;
    }
    left.set(left.get() - 1);
    match kind {
        Expression::Tuple { items, .. } | Expression::List { items, .. } => {
            items.iter().any(|kind| is(value, kind, left))
        }
        Expression::Constant { value: Constant::None, .. } => matches!(value, Value::None),
        Expression::Subscript { of, index, .. } => {
            let of = of.path().unwrap_or_default();
            let inner: Vec<&Expression> = match &**index {
                Expression::Tuple { items, .. } => items.iter().collect(),
                one => vec![one],
            };
            applied(value, &of, &inner, left)
        }
        _ => named(value, &kind.path().unwrap_or_default()),
    }
}

fn applied(value: &Value, of: &str, inner: &[&Expression], left: &Cell<usize>) -> bool {
    let first = |value: &Value| inner.first().is_none_or(|kind| is(value, kind, left));
    match (of, value) {
        ("Optional", Value::None) => true,
        ("Optional" | "Final", _) => first(value),
        ("Union", _) => inner.iter().any(|kind| is(value, kind, left)),
        ("List", Value::List(items)) => items.borrow().iter().all(first),
        ("Tuple", Value::Tuple(tuple)) => {
            tuple.items.len() == inner.len()
                && tuple.items.iter().zip(inner).all(|(item, kind)| is(item, kind, left))
        }
        ("Dict", Value::Dict(_)) => true,
        _ => false,
    }
}

fn named(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("Tensor" | "torch.Tensor", Value::Tensor(_))
        | ("int", Value::Number(Number::Int(_)))
        | ("float", Value::Number(Number::Float(_)))
        | ("bool", Value::Number(Number::Bool(_)))
        | ("complex", Value::Number(Number::Complex(..)))
        | ("number" | "Scalar", Value::Number(_))
        | ("str", Value::Text(_))
        | ("list" | "List" | "AnyList", Value::List(_))
        | ("tuple" | "Tuple" | "AnyTuple", Value::Tuple(_))
        | ("dict" | "Dict", Value::Dict(_))
        | ("Device" | "torch.device", Value::Device(_))
        | ("NoneType", Value::None)
        | ("Any", _) => true,
        (_, Value::Object(object)) => &*object.class == name,
        (_, Value::Tuple(tuple)) => tuple.named.as_ref().is_some_and(|(class, _)| &**class == name),
        _ => false,
    }
}

/// The value with the type that the program says it has: an integer may be said to be a float.
pub(super) fn annotated(kind: &Expression, value: Value) -> Value {
    match (kind.path().as_deref(), &value) {
        (Some("float"), Value::Number(number @ Number::Int(_))) => Value::from(number.float()),
        _ => value,
    }
}
