//! Tensors as lists of numbers, and tuples with the names that bytecode gives them.

use std::rc::Rc;

use crate::ScriptTuple;
use crate::limits::Meter;
use crate::problem::{malformed, refused};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

/// `tolist()`: lists of lists of numbers, as deep as the tensor has dimensions; a number for one without any.
pub(super) fn nested_list(meter: &Meter, tensor: &Tensor) -> Result<ScriptValue, RunProblem> {
    meter.could_hold(tensor.count())?;
    meter.step((tensor.count() as u64).saturating_mul(4))?;
    let mut numbers = tensor.numbers().into_iter();
    Ok(level(tensor.shape(), &mut numbers))
}

fn level(shape: &[usize], numbers: &mut dyn Iterator<Item = ScalarValue>) -> ScriptValue {
    match shape {
        [] => numbers.next().map_or(ScriptValue::None, ScriptValue::from),
        [size, inner @ ..] => {
            ScriptValue::list((0..*size).map(|_| level(inner, numbers)).collect())
        }
    }
}

/// What bytecode does for `tolist()`, which says what its lists are of (0 integers, 1 floats, 2 booleans, 3 complex
/// numbers) and how deep they are, and refuses a tensor of anything else.
pub(super) fn checked(
    meter: &Meter,
    tensor: &Tensor,
    depth: i64,
    kind: i64,
) -> Result<ScriptValue, RunProblem> {
    let fits = match kind {
        0 => tensor.dtype() == Dtype::I64,
        1 => tensor.dtype().is_float(),
        2 => tensor.dtype() == Dtype::Bool,
        3 => tensor.dtype().is_complex(),
        _ => return malformed(format!("lists of a kind that there is not: {kind}")),
    };
    if !fits {
        return refused("the elements of the tensor are of another type than tolist() says");
    }
    if depth != tensor.rank() as i64 {
        return refused("the tensor has another number of dimensions than tolist() says");
    }
    nested_list(meter, tensor)
}

/// The class and the fields of a named tuple, as the table of types writes them:
/// `__torch__.Point[NamedTuple, [[x, Tensor], [rest, List[int]]]]`.
pub(super) fn named_type(ty: &str) -> Option<(&str, Vec<&str>)> {
    let (class, fields) = ty.split_once("[NamedTuple, [")?;
    let (mut names, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, letter) in fields.char_indices() {
        match letter {
            '[' => {
                depth += 1;
                if depth == 1 {
                    start = at + 1;
                }
            }
            ',' if depth == 1 && start <= at => {
                names.push(fields.get(start..at)?.trim());
                // What follows the first comma is the type.
                start = usize::MAX;
            }
            ']' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            _ => {}
        }
    }
    Some((class, names))
}

/// A tuple whose items have names; without any if there are not as many as items.
pub(super) fn tuple(class: &str, names: &[&str], items: Vec<ScriptValue>) -> ScriptValue {
    let named = (names.len() == items.len())
        .then(|| (class.into(), names.iter().map(|name| Rc::from(*name)).collect()));
    ScriptValue::Tuple(Rc::new(ScriptTuple { items, named }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_becomes_lists_as_deep_as_it_is() {
        let numbers: Vec<ScalarValue> = (0..6).map(ScalarValue::Int).collect();
        let tensor = Tensor::new(Dtype::I64, &[2, 3], &numbers).unwrap();
        let meter = Meter::new(crate::RunLimits::default());
        let nested = |tensor: &Tensor| nested_list(&meter, tensor).unwrap();
        let checked = |tensor: &Tensor, depth, kind| checked(&meter, tensor, depth, kind);
        assert_eq!(nested(&tensor).to_string(), "[[0, 1, 2], [3, 4, 5]]");
        assert_eq!(checked(&tensor, 2, 0).unwrap().to_string(), "[[0, 1, 2], [3, 4, 5]]");
        assert!(checked(&tensor, 1, 0).is_err() && checked(&tensor, 2, 1).is_err());
        assert!(checked(&tensor, 2, 7).is_err());
        let one = Tensor::new(Dtype::Bool, &[], &[ScalarValue::Bool(true)]).unwrap();
        assert_eq!(checked(&one, 0, 2).unwrap().to_string(), "True");
    }

    #[test]
    fn names_are_told_from_types() {
        let ty = "__torch__.P[NamedTuple, [[x, Tensor], [rest, Dict[str, List[int]]], [n, int]]]";
        assert_eq!(named_type(ty), Some(("__torch__.P", vec!["x", "rest", "n"])));
        assert_eq!(named_type("Tuple[int, int]"), None);
        for broken in
            ["P[NamedTuple, [", "P[NamedTuple, [[x", "P[NamedTuple, []]]]]", "P[NamedTuple, [[,[,"]
        {
            assert!(named_type(broken).is_some(), "{broken}");
        }
        let two = vec![ScriptValue::from(1_i64), ScriptValue::from(2_i64)];
        let ScriptValue::Tuple(named) = tuple("P", &["a", "b"], two.clone()) else { panic!() };
        assert_eq!(named.named.as_ref().unwrap().1.len(), 2);
        let ScriptValue::Tuple(plain) = tuple("P", &["a"], two) else { panic!() };
        assert!(plain.named.is_none());
    }
}
