//! Rank of a tensor, as far as the graph tells without its values.

use super::{AttrValue, NodeDef};
use crate::elementwise::{BROADCAST, SHAPED_LIKE_THE_FIRST};

/// How far ranks are followed from node to node.
const DEPTH: usize = 64;

/// The attribute in which the exporter noted the shapes of the outputs.
pub(crate) const OUTPUT_SHAPES: &str = "_output_shapes";

/// Finds a node by its name.
pub(crate) trait NodeLookup<'g>: Fn(&str) -> Option<&'g NodeDef> + Copy {}
impl<'g, F: Fn(&str) -> Option<&'g NodeDef> + Copy> NodeLookup<'g> for F {}

/// Further ops whose first output has as many dimensions as their first input, though in another shape.
const AS_MANY_AS_THE_FIRST: [&str; 21] = [
    "IdentityN",
    "Erf",
    "LogSoftmax",
    "Transpose",
    "ConcatV2",
    "Pad",
    "PadV2",
    "MirrorPad",
    "Reverse",
    "ReverseV2",
    "Tile",
    "Slice",
    "FusedBatchNorm",
    "FusedBatchNormV2",
    "FusedBatchNormV3",
    "ReadVariableOp",
    "PlaceholderWithDefault",
    "DepthwiseConv2dNative",
    "Cumsum",
    "LRN",
    "ClipByValue",
];

/// Further ops whose output has as many dimensions as the larger of their two inputs.
const AS_MANY_AS_THE_LARGER: [&str; 3] = ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"];

/// Ops that reduce the dimensions that their second input names.
const REDUCTIONS: [&str; 8] = ["Sum", "Mean", "Prod", "Min", "Max", "All", "Any", "EuclideanNorm"];

/// The rank of an input of `node`; none if the graph does not tell.
pub(crate) fn of_input<'g>(
    node: &NodeDef,
    input: usize,
    get: impl NodeLookup<'g>,
) -> Option<usize> {
    follow(node, input, get, 0)
}

fn follow<'g>(
    node: &NodeDef,
    input: usize,
    get: impl NodeLookup<'g>,
    depth: usize,
) -> Option<usize> {
    let input = node.data().nth(input)?;
    let (name, output) = input.split_once(':').unwrap_or((input, "0"));
    let number: usize = output.rsplit(':').next()?.parse().ok()?;
    if depth < DEPTH { of_output(get(name)?, number, get, depth + 1) } else { None }
}

fn of_output<'g>(
    node: &NodeDef,
    number: usize,
    get: impl NodeLookup<'g>,
    depth: usize,
) -> Option<usize> {
    if let Some(AttrValue::List(shapes)) = node.attr(OUTPUT_SHAPES)
        && let Some(AttrValue::Shape(shape)) = shapes.get(number)
        && let Some(rank) = shape.rank()
    {
        return Some(rank);
    }
    let of = |input| follow(node, input, get, depth);
    let written = |attr: &str| match node.attr(attr)? {
        AttrValue::Shape(shape) => shape.rank(),
        AttrValue::Tensor { shape, .. } => shape.rank(),
        _ => None,
    };
    if number > 0 {
        return None;
    }
    match &*node.op {
        "Const" => written("value"),
        // Graphs of producers below 22 wrote no shape as an empty one.
        "Placeholder" | "Variable" => written("shape").filter(|rank| *rank > 0),
        "PlaceholderV2" | "VariableV2" | "VarHandleOp" => written("shape"),
        "MatMul" | "SparseMatMul" => Some(2),
        "Conv2D" | "MaxPool" | "AvgPool" => Some(4),
        "Reshape" => elements_of(node, 1, get),
        "ExpandDims" | "Pack" => of(0)?.checked_add(1),
        "Concat" | "Split" => of(1),
        "Squeeze" => {
            let dims =
                node.attr("squeeze_dims").and_then(AttrValue::len).filter(|dims| *dims > 0)?;
            of(0)?.checked_sub(usize::try_from(dims).ok()?)
        }
        op if REDUCTIONS.contains(&op) => match node.attr("keep_dims") {
            Some(AttrValue::Bool(true)) => of(0),
            _ => of(0)?.checked_sub(elements_of(node, 1, get)?),
        },
        op if SHAPED_LIKE_THE_FIRST.contains(&op) || AS_MANY_AS_THE_FIRST.contains(&op) => of(0),
        op if BROADCAST.contains(&op) || AS_MANY_AS_THE_LARGER.contains(&op) => {
            Some(of(0)?.max(of(1)?))
        }
        _ => None,
    }
}

/// How many numbers an input has that is a constant, or is put together of scalars.
fn elements_of<'g>(node: &NodeDef, input: usize, get: impl NodeLookup<'g>) -> Option<usize> {
    let source = get(node.data_inputs().nth(input)?)?;
    match &*source.op {
        "Const" => match source.attr("value")? {
            AttrValue::Tensor { shape, .. } => match shape.0.as_deref()? {
                [] => Some(1),
                [count] => usize::try_from(*count).ok(),
                _ => None,
            },
            _ => None,
        },
        "Pack" => Some(source.data_inputs().count()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DataType, PartialTensorShape};

    fn node(name: &str, op: &str, inputs: &[&str], attrs: Vec<(&str, AttrValue)>) -> NodeDef {
        NodeDef {
            name: name.into(),
            op: op.into(),
            inputs: inputs.iter().copied().collect(),
            attrs: attrs.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            ..NodeDef::default()
        }
    }

    #[test]
    fn ranks_are_followed_through_a_reshape_and_a_reduction_and_end_at_what_is_not_known() {
        let tensor = |dims: &[i64]| {
            let shape = PartialTensorShape(Some(dims.to_vec()));
            let (zero, small, filled) = (false, None, true);
            AttrValue::Tensor { dtype: DataType(3), shape, zero, small, filled }
        };
        let shape = AttrValue::Shape(PartialTensorShape(Some(vec![-1, 4, 8])));
        let nodes = [
            node("x", "Placeholder", &[], vec![("shape", shape)]),
            node("relu", "Relu", &["x"], vec![]),
            node("dims", "Const", &[], vec![("value", tensor(&[2]))]),
            node("flat", "Reshape", &["relu", "dims"], vec![]),
            node("axis", "Const", &[], vec![("value", tensor(&[]))]),
            node("sum", "Sum", &["relu", "axis"], vec![]),
            node("odd", "SomeOp", &["relu"], vec![]),
            node("end", "Pack", &["x", "flat", "sum", "odd", "relu:1"], vec![]),
        ];
        let get = |name: &str| nodes.iter().find(|node| &*node.name == name);
        let ranks: Vec<_> = (0..6).map(|input| of_input(&nodes[7], input, get)).collect();
        assert_eq!(ranks, [Some(3), Some(2), Some(2), None, None, None]);
    }
}
