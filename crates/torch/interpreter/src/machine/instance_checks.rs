//! Types as programs write them, compared with values.

use std::cell::Cell;

use unskew_script::{Expression, LiteralConstant};

use crate::{ScalarValue, ScriptValue};

/// Whether a value has a type: `float`, `List[int]`, `Optional[Tensor]`, `(int, float)`.
pub(super) fn is_instance(value: &ScriptValue, kind: &Expression) -> bool {
    is(value, kind, &Cell::new(MOST_LOOKED_AT))
}

/// How many items are looked at before a value counts as none of a type: a list may hold another many times
/// over, which holds another many times over.
const MOST_LOOKED_AT: usize = 1 << 20;

fn is(value: &ScriptValue, kind: &Expression, left: &Cell<usize>) -> bool {
    if left.get() == 0 {
        return false;
    }
    left.set(left.get() - 1);
    match kind {
        Expression::Tuple { items, .. } | Expression::List { items, .. } => {
            items.iter().any(|kind| is(value, kind, left))
        }
        Expression::Constant { value: LiteralConstant::None, .. } => {
            matches!(value, ScriptValue::None)
        }
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

fn applied(value: &ScriptValue, of: &str, inner: &[&Expression], left: &Cell<usize>) -> bool {
    let first = |value: &ScriptValue| inner.first().is_none_or(|kind| is(value, kind, left));
    match (of, value) {
        ("Optional", ScriptValue::None) => true,
        ("Optional" | "Final", _) => first(value),
        ("Union", _) => inner.iter().any(|kind| is(value, kind, left)),
        ("List", ScriptValue::List(items)) => items.borrow().iter().all(first),
        ("Tuple", ScriptValue::Tuple(tuple)) => {
            tuple.items.len() == inner.len()
                && tuple.items.iter().zip(inner).all(|(item, kind)| is(item, kind, left))
        }
        ("Dict", ScriptValue::Dict(_)) => true,
        _ => false,
    }
}

fn named(value: &ScriptValue, name: &str) -> bool {
    match (name, value) {
        ("Tensor" | "torch.Tensor", ScriptValue::Tensor(_))
        | ("int", ScriptValue::Number(ScalarValue::Int(_)))
        | ("float", ScriptValue::Number(ScalarValue::Float(_)))
        | ("bool", ScriptValue::Number(ScalarValue::Bool(_)))
        | ("complex", ScriptValue::Number(ScalarValue::Complex(..)))
        | ("number" | "Scalar", ScriptValue::Number(_))
        | ("str", ScriptValue::Text(_))
        | ("list" | "List" | "AnyList", ScriptValue::List(_))
        | ("tuple" | "Tuple" | "AnyTuple", ScriptValue::Tuple(_))
        | ("dict" | "Dict", ScriptValue::Dict(_))
        | ("Device" | "torch.device", ScriptValue::Device(_))
        | ("NoneType", ScriptValue::None)
        | ("Any", _) => true,
        (_, ScriptValue::Object(object)) => &*object.class == name,
        (_, ScriptValue::Tuple(tuple)) => {
            tuple.named.as_ref().is_some_and(|(class, _)| &**class == name)
        }
        _ => false,
    }
}

/// The value with the type that the program says it has: an integer may be said to be a float.
pub(super) fn annotated(kind: &Expression, value: ScriptValue) -> ScriptValue {
    match (kind.path().as_deref(), &value) {
        (Some("float"), ScriptValue::Number(number @ ScalarValue::Int(_))) => {
            ScriptValue::from(number.float())
        }
        _ => value,
    }
}
