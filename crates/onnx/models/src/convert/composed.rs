//! Operators written by others with constants that depend on sizes.

use super::adapter_context::FreshNames;
use super::attention::NodeSequence;
use super::node_draft::{AttributeValue, NodeDraft};
use super::scope::Scope;
use crate::{Dim, OnnxElementType};

/// The most elements of a mask that is written down.
const MASK: i64 = 1 << 20;

/// The nodes that an operator means, with the opset under which they are written.
pub(super) fn nodes(
    work: &NodeDraft,
    scope: &Scope<'_>,
    names: &mut FreshNames,
) -> Option<(i64, Vec<NodeDraft>)> {
    let mut made = NodeSequence { nodes: Vec::new(), names };
    let opset = match &*work.op {
        "SpaceToDepth" => space_to_depth(work, scope, &mut made)?,
        "Range" => range(work, scope, &mut made)?,
        "Trilu" => triangle(work, scope, &mut made)?,
        _ => return None,
    };
    Some((opset, made.nodes))
}

fn size(scope: &Scope<'_>, name: &str, from_end: usize) -> Option<i64> {
    let dims = scope.dims(name)?;
    match dims.get(dims.len().checked_sub(from_end)?)? {
        Dim::Size(size) => Some(*size),
        _ => None,
    }
}

/// Blocks behind channels: as the older form, with both turned.
fn space_to_depth(work: &NodeDraft, scope: &Scope<'_>, made: &mut NodeSequence<'_>) -> Option<i64> {
    let (input, output) = (work.input(0)?, work.outputs.first()?);
    let channels = size(scope, input, 3)?;
    let block = work.int("blocksize").filter(|block| (1..1 << 20).contains(block))?;
    if work.text("mode") != Some("CRD") || scope.rank(input) != Some(4) {
        return None;
    }
    let deep =
        made.node("SpaceToDepth", &[input], None, &[("blocksize", AttributeValue::Int(block))]);
    let shape = made.node("Shape", &[&deep], None, &[]);
    let parts = made.reshape(&deep, &[0, block.checked_mul(block)?, channels, -1]);
    let turned = made.turn(&parts, &[0, 2, 1, 3], None);
    made.node("Reshape", &[&turned, &shape], Some(output), &[]);
    Some(13)
}

/// One side of the diagonal, and zeros on the other.
fn triangle(work: &NodeDraft, scope: &Scope<'_>, made: &mut NodeSequence<'_>) -> Option<i64> {
    let (input, output) = (work.input(0)?, work.outputs.first()?);
    let (rows, columns) = (size(scope, input, 2)?, size(scope, input, 1)?);
    let above = match work.input(1) {
        None => 0,
        Some(name) => *scope.constant(name)?.ints()?.first()?,
    };
    let upper = work.int("upper").unwrap_or(1) != 0;
    if rows < 0 || columns < 0 || rows.checked_mul(columns)? > MASK {
        return None;
    }
    let cells =
        (0..rows).flat_map(|row| (0..columns).map(move |column| column.saturating_sub(row)));
    let mask = cells.map(|at| u8::from(if upper { at >= above } else { at <= above })).collect();
    let mask = AttributeValue::Tensor(OnnxElementType(9), vec![rows, columns], mask);
    let mask = made.node("Constant", &[], None, &[("value", mask)]);
    let (zero, nodes) = super::adapter_context::number_of(0.0, scope.element(input)?, made.names);
    made.nodes.extend(nodes);
    made.node("Where", &[&mask, input, &zero], Some(output), &[]);
    Some(13)
}

/// Whole numbers one after the other: the places of ones, moved to where they begin.
fn range(work: &NodeDraft, scope: &Scope<'_>, made: &mut NodeSequence<'_>) -> Option<i64> {
    let (start, limit, output) = (work.input(0)?, work.input(1)?, work.outputs.first()?);
    let step = scope.constant(work.input(2)?)?.ints()?;
    let long = |name| scope.element(name) == Some(OnnxElementType(7));
    if step != [1] || !long(start) || !long(limit) {
        return None;
    }
    let count = made.node("Sub", &[limit, start], None, &[]);
    let count = made.reshape(&count, &[1]);
    // The maximum has no kernel for whole numbers in these opsets; no tensor has 2^53 elements.
    let count = made.node("Cast", &[&count], None, &[("to", AttributeValue::Int(11))]);
    let zero = AttributeValue::Tensor(OnnxElementType(11), vec![1], 0.0_f64.to_le_bytes().to_vec());
    let zero = made.node("Constant", &[], None, &[("value", zero)]);
    let count = made.node("Max", &[&count, &zero], None, &[]);
    let count = made.node("Cast", &[&count], None, &[("to", AttributeValue::Int(7))]);
    let one = AttributeValue::Tensor(OnnxElementType(7), vec![1], 1_i64.to_le_bytes().to_vec());
    let ones = made.node("ConstantOfShape", &[&count], None, &[("value", one)]);
    let places = made.node("NonZero", &[&ones], None, &[]);
    let places = made.reshape(&places, &[-1]);
    made.node("Add", &[&places, start], Some(output), &[]);
    // As it is written here, each of these stands so since opset 9.
    Some(9)
}
