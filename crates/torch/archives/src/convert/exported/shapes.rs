//! Shapes of new nodes: the row that a tensor has in the table of a graph.
//!
//! Whoever loads a graph wants the type and the shape of every tensor in it. They are told here for the operators that
//! the registry's functions take others apart into: those that go element by element, and sums along dimensions. Sizes
//! may be symbols, which are equal if they are written alike.

use unskew_torch_schemas::FunctionSchema;

use crate::json::JsonValue;

/// Operators that go element by element, and give the type that they are given.
const ELEMENTS: [&str; 10] = [
    "aten::abs",
    "aten::add",
    "aten::div",
    "aten::exp",
    "aten::mul",
    "aten::neg",
    "aten::pow",
    "aten::rsqrt",
    "aten::sqrt",
    "aten::sub",
];

/// Operators that go along dimensions, and give the type that they are given.
const ALONG: [&str; 3] = ["aten::amax", "aten::mean", "aten::sum"];

/// The scalar types that are floats, by their numbers in a graph.
pub(super) const FLOATS: [i64; 4] = [6, 7, 8, 13];

/// The number that PyTorch has for a type whose number in a graph is this.
pub(super) fn of_graph(number: i64) -> Option<i64> {
    match number {
        1..=12 => Some(number - 1),
        13 => Some(15),
        _ => None,
    }
}

/// The number in a graph of a type of PyTorch's.
pub(super) fn in_graph(number: i64) -> Option<i64> {
    match number {
        0..=11 => Some(number + 1),
        15 => Some(13),
        _ => None,
    }
}

/// The row of what an operator gives with these inputs; none if that cannot be told.
pub(super) fn result(
    schema: &FunctionSchema,
    inputs: &[JsonValue],
    tensors: &JsonValue,
) -> Option<JsonValue> {
    let rows: Vec<&JsonValue> = inputs.iter().filter_map(|input| row(input, tensors)).collect();
    let first = *rows.first()?;
    let dtype = first.get("dtype")?.as_int().filter(|dtype| FLOATS.contains(dtype))?;
    if rows.iter().any(|row| row.get("dtype").and_then(JsonValue::as_int) != Some(dtype)) {
        return None;
    }
    let argument = |name: &str| {
        let is = |input: &&JsonValue| input.get("name").and_then(JsonValue::as_text) == Some(name);
        inputs.iter().find(is)?.get("arg")
    };
    let mut new = first.clone();
    let sizes = match schema.name.as_str() {
        name if ELEMENTS.contains(&name) => {
            let sizes = rows.iter().map(|row| Some(row.get("sizes")?.items()));
            broadcast(&sizes.collect::<Option<Vec<_>>>()?)?
        }
        name if ALONG.contains(&name) && rows.len() == 1 => {
            let kept = argument("keepdim").and_then(|keep| keep.get("as_bool"));
            let dims = argument("dim")?.get("as_ints")?.items();
            along(first.get("sizes")?.items(), dims, kept == Some(&JsonValue::Bool(true)))?
        }
        "aten::to" => {
            let dtype = argument("dtype")?.get("as_scalar_type")?.clone();
            new.set("dtype", dtype);
            first.get("sizes")?.items().to_vec()
        }
        _ => return None,
    };
    if first.get("sizes")?.items() != sizes {
        new.set("strides", JsonValue::List(contiguous(&sizes)?));
    }
    new.set("sizes", JsonValue::List(sizes));
    // In the first schema it is a number.
    let plain = first.get("storage_offset").is_some_and(|offset| offset.as_int().is_some());
    new.set("storage_offset", if plain { JsonValue::number(0) } else { integer(0) });
    let grad = |row: &&JsonValue| row.get("requires_grad") == Some(&JsonValue::Bool(true));
    new.set("requires_grad", JsonValue::Bool(rows.iter().any(grad)));
    let wrapped = tensors.fields().first().is_some_and(|(_, value)| value.get("meta").is_some());
    Some(if wrapped { JsonValue::object([("meta", new)]) } else { new })
}

fn row<'t>(input: &JsonValue, tensors: &'t JsonValue) -> Option<&'t JsonValue> {
    let name = input.get("arg")?.get("as_tensor")?.get("name")?.as_text()?;
    let row = tensors.get(name)?;
    // In the first schema it lies in another object.
    Some(row.get("meta").unwrap_or(row))
}

fn integer(number: i64) -> JsonValue {
    JsonValue::object([("as_int", JsonValue::number(number))])
}

fn number(size: &JsonValue) -> Option<i64> {
    size.get("as_int")?.as_int()
}

/// The sizes of tensors that are brought to one shape.
fn broadcast(all: &[&[JsonValue]]) -> Option<Vec<JsonValue>> {
    let rank = all.iter().map(|sizes| sizes.len()).max()?;
    let mut result = vec![integer(1); rank];
    for sizes in all {
        for (at, size) in sizes.iter().rev().enumerate() {
            let known = result.get_mut(rank - 1 - at)?;
            if number(known) == Some(1) {
                *known = size.clone();
            } else if number(size) != Some(1) && known != size {
                return None;
            }
        }
    }
    Some(result)
}

fn along(sizes: &[JsonValue], dims: &[JsonValue], kept: bool) -> Option<Vec<JsonValue>> {
    let rank = i64::try_from(sizes.len()).ok()?;
    let mut gone = vec![dims.is_empty(); sizes.len()];
    for dim in dims {
        let dim = dim.as_int()?;
        let dim = if dim < 0 { dim + rank } else { dim };
        *gone.get_mut(usize::try_from(dim).ok()?)? = true;
    }
    let each = sizes.iter().zip(gone);
    Some(if kept {
        each.map(|(size, gone)| if gone { integer(1) } else { size.clone() }).collect()
    } else {
        each.filter(|(_, gone)| !gone).map(|(size, _)| size.clone()).collect()
    })
}

/// The strides of a tensor without gaps; none if a size that is a symbol stands behind another one.
pub(super) fn contiguous(sizes: &[JsonValue]) -> Option<Vec<JsonValue>> {
    let mut strides = Vec::with_capacity(sizes.len());
    let mut stride = Some(1_i64);
    for size in sizes.iter().rev() {
        strides.push(integer(stride?));
        stride = number(size).and_then(|size| stride?.checked_mul(size.max(1)));
    }
    strides.reverse();
    Some(strides)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<JsonValue> {
        JsonValue::literal(text).items().to_vec()
    }

    #[test]
    fn shapes_are_told_or_not() {
        let (a, b) = (sizes(r#"[{"as_int": 3}, {"as_int": 1}]"#), sizes(r#"[{"as_int": 4}]"#));
        let both = broadcast(&[&a, &b]).unwrap();
        assert_eq!(both, sizes(r#"[{"as_int": 3}, {"as_int": 4}]"#));
        assert_eq!(broadcast(&[&both, &sizes(r#"[{"as_int": 5}]"#)]), None);
        let symbol = sizes(r#"[{"as_expr": {"expr_str": "s0"}}, {"as_int": 4}]"#);
        let last = [JsonValue::number(-1)];
        assert_eq!(along(&symbol, &last, true).unwrap()[1], integer(1));
        assert_eq!(along(&symbol, &last, false).unwrap().len(), 1);
        assert_eq!(along(&symbol, &[JsonValue::number(2)], true), None);
        assert_eq!(contiguous(&symbol).unwrap(), [integer(4), integer(1)]);
        assert_eq!(contiguous(&[integer(2), symbol[0].clone()]), None);
    }

    #[test]
    fn types_have_one_number_here_and_another_there() {
        for number in 0..20 {
            assert!(in_graph(number).is_none_or(|graph| of_graph(graph) == Some(number)));
        }
        assert_eq!((in_graph(6), in_graph(15), in_graph(13)), (Some(7), Some(13), None));
    }
}
