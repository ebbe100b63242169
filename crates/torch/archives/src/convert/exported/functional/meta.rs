//! Metadata of tensors: what arguments name, and what the table of a graph says.

use super::super::shapes;
use crate::json::JsonValue;

/// The tensors that an argument or a result names, not those of graphs in it.
pub(super) fn tensors(argument: &JsonValue) -> Vec<&str> {
    let mut all = Vec::new();
    names(argument, false, &mut all);
    all
}

fn names<'j>(value: &'j JsonValue, is_tensor: bool, all: &mut Vec<&'j str>) {
    match value {
        JsonValue::List(items) => items.iter().for_each(|item| names(item, is_tensor, all)),
        JsonValue::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("name", JsonValue::Text(name)) if is_tensor => all.push(name),
                    ("as_graph", _) => {}
                    (key, value) => names(value, is_tensor || is_of_tensors(key), all),
                }
            }
        }
        _ => {}
    }
}

/// Visits the names of the tensors in an argument or a result.
pub(in super::super) fn each_tensor(value: &mut JsonValue, visit: &mut dyn FnMut(&mut String)) {
    visit_names(value, false, visit);
}

fn visit_names(value: &mut JsonValue, is_tensor: bool, visit: &mut dyn FnMut(&mut String)) {
    match value {
        JsonValue::List(items) => {
            items.iter_mut().for_each(|item| visit_names(item, is_tensor, visit));
        }
        JsonValue::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value) {
                    ("name", JsonValue::Text(name)) if is_tensor => visit(name),
                    ("as_graph", _) => {}
                    (key, value) => visit_names(value, is_tensor || is_of_tensors(key), visit),
                }
            }
        }
        _ => {}
    }
}

fn is_of_tensors(key: &str) -> bool {
    matches!(key, "as_tensor" | "as_tensors" | "as_nested_tensors")
}

/// The tensors that a node is given, in their order.
pub(super) fn inputs(node: &JsonValue) -> impl Iterator<Item = &str> {
    let inputs = node.get("inputs").map_or(&[][..], JsonValue::items).iter();
    inputs.filter_map(|input| input.get("arg")).flat_map(tensors)
}

pub(super) fn argument<'j>(node: &'j JsonValue, name: &str) -> Option<&'j JsonValue> {
    let is = |input: &&JsonValue| input.get("name").and_then(JsonValue::as_text) == Some(name);
    node.get("inputs")?.items().iter().find(is)?.get("arg")
}

pub(super) fn int(node: &JsonValue, name: &str) -> Option<i64> {
    argument(node, name)?.get("as_int")?.as_int()
}

/// An argument that is true or false.
pub(super) fn truth(node: &JsonValue, name: &str) -> Option<bool> {
    match argument(node, name)?.get("as_bool")? {
        JsonValue::Bool(value) => Some(*value),
        _ => None,
    }
}

/// The sizes or strides of a tensor, as they are written.
pub(super) fn list<'j>(row: &'j JsonValue, field: &str) -> Option<&'j [JsonValue]> {
    row.get(field).map(JsonValue::items)
}

pub(super) fn dtype(row: &JsonValue) -> Option<i64> {
    row.get("dtype")?.as_int()
}

pub(super) fn rank(row: &JsonValue) -> Option<usize> {
    Some(list(row, "sizes")?.len())
}

fn number(size: &JsonValue) -> Option<i64> {
    size.get("as_int")?.as_int()
}

pub(super) fn numbers(all: &[JsonValue]) -> Option<Vec<i64>> {
    all.iter().map(number).collect()
}

/// Whether a tensor has no gaps; none if that cannot be told.
pub(super) fn is_contiguous(row: &JsonValue) -> Option<bool> {
    let (sizes, strides) = (list(row, "sizes")?, list(row, "strides")?);
    if let (Some(sizes), Some(strides)) = (numbers(sizes), numbers(strides)) {
        let mut next = 1_i64;
        if sizes.contains(&0) {
            return Some(true);
        }
        for (size, stride) in sizes.iter().zip(&strides).rev() {
            if *size != 1 && *stride != next {
                return Some(false);
            }
            next = next.checked_mul(*size)?;
        }
        return Some(true);
    }
    let same = shapes::contiguous(sizes)? == strides;
    same.then_some(true)
}

/// Whether a tensor of these sizes and strides can be seen with other sizes, without a copy.
pub(super) fn can_be_viewed(sizes: &[i64], strides: &[i64], new: &[i64]) -> bool {
    if sizes.contains(&0) || sizes.is_empty() {
        return true;
    }
    let mut at = new.len();
    let (mut elements, mut seen) = (1_i64, 1_i64);
    let Some(mut base) = strides.last().copied() else { return true };
    for (dim, (size, stride)) in sizes.iter().zip(strides).enumerate().rev() {
        elements = elements.saturating_mul(*size);
        // The end of a run of dimensions that lie behind each other.
        let ends = match dim.checked_sub(1) {
            None => true,
            Some(before) => {
                let (size, stride) = (sizes.get(before), strides.get(before).copied());
                size.is_some_and(|size| *size != 1) && stride != elements.checked_mul(base)
            }
        };
        let _ = stride;
        if !ends {
            continue;
        }
        while at > 0 && (seen < elements || new.get(at - 1) == Some(&1)) {
            seen = seen.saturating_mul(new.get(at - 1).copied().unwrap_or(1));
            at -= 1;
        }
        if seen != elements {
            return false;
        }
        if let Some(before) = dim.checked_sub(1) {
            base = strides.get(before).copied().unwrap_or(1);
            (elements, seen) = (1, 1);
        }
    }
    at == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_merged_where_dimensions_lie_behind_each_other() {
        let (sizes, strides) = ([2, 3, 4], [12, 4, 1]);
        assert!(can_be_viewed(&sizes, &strides, &[6, 4]));
        assert!(can_be_viewed(&sizes, &strides, &[2, 2, 6, 1]));
        // Transposed: 3 by 2 over 4.
        let (sizes, strides) = ([3, 2, 4], [4, 12, 1]);
        assert!(!can_be_viewed(&sizes, &strides, &[6, 4]));
        assert!(can_be_viewed(&sizes, &strides, &[3, 2, 2, 2]));
        assert!(!can_be_viewed(&sizes, &strides, &[24]));
        assert!(can_be_viewed(&[1, 5], &[99, 1], &[5]));
        assert!(can_be_viewed(&[4], &[0], &[2, 2]));
    }

    #[test]
    fn tensors_are_named_in_lists_and_options_and_not_in_graphs() {
        let text = r#"{"arg": {"as_optional_tensors": [{"as_tensor": {"name": "a"}}, {"as_none": true}]},
            "more": {"as_tensors": [{"name": "b"}]}, "as_graph": {"as_tensor": {"name": "c"}}, "name": "d"}"#;
        assert_eq!(tensors(&JsonValue::literal(text)), ["a", "b"]);
    }
}
