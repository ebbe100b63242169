//! Constants that say nothing of their values and decide about shapes.
//!
//! A constant of zeros needs no values, and TensorFlow from 1.14 on writes none. The core of every release reads such a
//! constant, but the Python importer of the oldest ones, which wants the values of some inputs to compute shapes
//! (`data/shape-inputs.tsv`), does not.

use std::sync::LazyLock;

use foldhash::HashMap;

use crate::body::Body;
use crate::graph::is_control;
use crate::{AttrValue, DataType, NodeDef};

const TABLE: &str = include_str!("../data/shape-inputs.tsv");

/// Ops through which the importer looks for the values of an input: it wants those of all their own.
const LOOKED_THROUGH: [&str; 9] =
    ["Cast", "Concat", "ConcatV2", "Fill", "Pack", "Range", "StridedSlice", "Identity", "Reshape"];

fn inputs(op: &str) -> &'static [usize] {
    static ALL: LazyLock<HashMap<&str, Vec<usize>>> = LazyLock::new(|| {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        let row = |line: &'static str| {
            let (op, inputs) = line.split_once('\t')?;
            Some((op, inputs.split(',').filter_map(|input| input.parse().ok()).collect()))
        };
        rows.filter_map(row).collect()
    });
    ALL.get(op).map_or(&[], Vec::as_slice)
}

/// Types of numbers that decide about shapes: float, int32 and int64.
const NUMBERS: [i32; 3] = [1, 3, 9];

/// The type of a constant with elements and without values.
pub(crate) fn type_without_values(node: &NodeDef) -> Option<DataType> {
    if &*node.op != "Const" {
        return None;
    }
    match node.attr("value")? {
        AttrValue::Tensor { dtype, shape, filled: false, .. } => {
            let some = shape.0.as_ref().is_none_or(|dims| dims.iter().all(|dim| *dim > 0));
            (some && NUMBERS.contains(&dtype.0)).then_some(*dtype)
        }
        _ => None,
    }
}

/// The constants without values that decide about shapes, in the order of the nodes.
pub(crate) fn valueless<'g>(body: &Body<'g>) -> Vec<&'g str> {
    let nodes = body.nodes;
    let without = |place: &usize| nodes.get(*place).and_then(type_without_values).is_some();
    let constants: Vec<usize> = (0..nodes.len()).filter(without).collect();
    if constants.is_empty() {
        return Vec::new();
    }
    let data = |place: usize| body.inputs(place).filter(|(input, _)| !is_control(input));
    let mut open: Vec<usize> = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        for number in inputs(&node.op) {
            open.extend(data(place).nth(*number).and_then(|(_, source)| source));
        }
    }
    let mut seen = vec![false; nodes.len()];
    while let Some(place) = open.pop() {
        let (Some(node), Some(seen)) = (nodes.get(place), seen.get_mut(place)) else { continue };
        if !std::mem::replace(seen, true) && LOOKED_THROUGH.contains(&&*node.op) {
            open.extend(data(place).filter_map(|(_, source)| source));
        }
    }
    let found = constants.into_iter().filter(|place| seen.get(*place) == Some(&true));
    found.filter_map(|place| nodes.get(place)).map(|node| &*node.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_ops_and_numbers_of_inputs_only() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            let (op, numbers) = row.split_once('\t').unwrap_or_default();
            assert_eq!(inputs(op).len(), numbers.split(',').count(), "{row}");
            assert!(!inputs(op).is_empty(), "{row}");
        }
        assert!(inputs("MatMul").is_empty());
        assert_eq!(inputs("Slice"), [1, 2]);
    }
}
