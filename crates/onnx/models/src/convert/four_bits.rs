//! Weights of 4 bits, for releases and opsets that do not have the types: what `DequantizeLinear` makes of them becomes a
//! tensor of the model. Types of 4 bits are new in IR version 10 and opset 21.

use std::collections::BTreeMap;

use unskew_source::{ReadError, Source as _};

use super::dequantized::{DequantizedTensor, FloatWidth, ScaleLayout};
use super::folded::{self, FoldedNode};
use super::stored_bytes::tensor_bytes;
use super::{ConversionInput, OnnxTarget, ir_version};
use crate::infer::attribute;
use crate::{NeighbourOpener, OnnxAttribute, OnnxElementType, OnnxGraph, OnnxNode, OnnxTensor};

/// The first IR version with types of 4 bits.
const IR: i64 = 10;

/// The first opset with operators that take them.
const OPSET: i64 = 21;

/// A model is one message, whose length protobuf counts with 31 bits.
const LARGEST_MESSAGE: u64 = (1 << 31) - 1;

/// The model without the weights of 4 bits of which floats can be made, where the goal has no such types.
pub(super) fn weights_as_floats(
    input: ConversionInput,
    goal: &OnnxTarget,
    beside: NeighbourOpener<'_>,
) -> Result<ConversionInput, ReadError> {
    let opset = input.model.opsets.iter().find(|(domain, _)| domain.is_empty());
    let lacks_form = opset.is_some_and(|(domain, from)| goal.opset(domain, *from) < OPSET);
    if !lacks_form && ir_version(&input.model, goal) >= IR {
        return Ok(input);
    }
    if !input.model.graph.tensors().any(|tensor| is_four_bits(tensor.element)) {
        return Ok(input);
    }
    let mut search = FoldedSearch { input: &input, beside, nodes: 0, found: BTreeMap::new() };
    search.graph(&input.model.graph, None)?;
    let folded = search.found;
    let more =
        folded.values().map(|one| one.tensor.size()).fold(input.source.size(), u64::saturating_add);
    if folded.is_empty() || more > LARGEST_MESSAGE {
        return Ok(input);
    }
    folded::written(input, folded)
}

fn is_four_bits(element: OnnxElementType) -> bool {
    matches!(element.0, 21 | 22)
}

/// A graph, and those in which its node stands.
struct NestedGraph<'g> {
    graph: &'g OnnxGraph,
    outer: Option<&'g NestedGraph<'g>>,
}

impl<'g> NestedGraph<'g> {
    /// The tensor of a name that nothing can give another value.
    fn stored(&self, name: &str) -> Option<&'g OnnxTensor> {
        let is_given = self.graph.inputs.iter().any(|one| *one.name == *name);
        let stored = self.graph.initializers.iter().find(|one| *one.name == *name);
        match (is_given, stored) {
            (true, _) => None,
            (false, Some(tensor)) => Some(tensor),
            (false, None) => self.outer?.stored(name),
        }
    }
}

/// Looks for nodes that make floats of weights of 4 bits, in the graphs inside of nodes too.
struct FoldedSearch<'m> {
    input: &'m ConversionInput,
    beside: NeighbourOpener<'m>,
    /// How many nodes were passed.
    nodes: usize,
    /// What was found, by the numbers of the nodes.
    found: BTreeMap<usize, FoldedNode>,
}

impl FoldedSearch<'_> {
    fn graph(
        &mut self,
        graph: &OnnxGraph,
        outer: Option<&NestedGraph<'_>>,
    ) -> Result<(), ReadError> {
        let nested = NestedGraph { graph, outer };
        for node in &graph.nodes {
            let number = self.nodes;
            self.nodes += 1;
            if &*node.op == "DequantizeLinear"
                && node.domain.is_empty()
                && let Some(made) = dequantized(self.input, node, &nested, self.beside)?
            {
                self.found.insert(number, made);
            }
            for inner in node.attributes.iter().flat_map(|(_, value)| value.graphs()) {
                self.graph(inner, Some(&nested))?;
            }
        }
        Ok(())
    }
}

/// The floats that a node makes; none if they are not known, or of another type than the scales.
fn dequantized(
    input: &ConversionInput,
    node: &OnnxNode,
    graph: &NestedGraph<'_>,
    beside: NeighbourOpener<'_>,
) -> Result<Option<FoldedNode>, ReadError> {
    let stored = |at: usize| {
        let name = node.inputs.get(at).filter(|name| !name.is_empty())?;
        graph.stored(name)
    };
    let has_zeros = node.inputs.get(2).is_some_and(|name| !name.is_empty());
    let (Some(packed), Some(scales), zeros) = (stored(0), stored(1), stored(2)) else {
        return Ok(None);
    };
    let is_of_type = match attribute(node, "output_dtype") {
        Some(OnnxAttribute::Int(number)) => *number == 0 || *number == i64::from(scales.element.0),
        other => other.is_none(),
    };
    let Some(width) = FloatWidth::of_element(scales.element) else { return Ok(None) };
    if !is_four_bits(packed.element)
        || !is_of_type
        || has_zeros
            && zeros
                .is_none_or(|zeros| zeros.element != packed.element || zeros.dims != scales.dims)
    {
        return Ok(None);
    }
    let bytes = |tensor: &OnnxTensor| tensor_bytes(input, tensor, beside);
    let (Some(from), Some(factors)) = (bytes(packed)?, bytes(scales)?) else { return Ok(None) };
    let Some(layout) = layout(node, &packed.dims, &scales.dims) else { return Ok(None) };
    let zeros = zeros.map(bytes).transpose()?;
    let count = packed.dims.iter().map(|size| *size as u64).product();
    Ok(match zeros {
        Some(None) => None,
        zeros => node.outputs.first().map(|name| FoldedNode {
            dims: packed.dims.to_vec(),
            tensor: DequantizedTensor {
                name: name.to_string(),
                width,
                count,
                is_signed: packed.element.0 == 22,
                packed: from,
                scales: factors,
                zeros: zeros.flatten(),
                layout,
            },
        }),
    })
}

/// How scales lie along a tensor; none if they do not fit.
fn layout(node: &OnnxNode, dims: &[i64], scales: &[i64]) -> Option<ScaleLayout> {
    if dims.iter().any(|size| *size < 1) {
        return None;
    }
    let int = |name: &str, otherwise: i64| match attribute(node, name) {
        None => Some(otherwise),
        Some(OnnxAttribute::Int(number)) => Some(*number),
        Some(_) => None,
    };
    let (axis, block) = (int("axis", 1)?, int("block_size", 0)?);
    if scales.is_empty() && block == 0 {
        return Some(ScaleLayout::Whole);
    }
    let axis = if axis < 0 { axis.checked_add(dims.len() as i64)? } else { axis };
    let axis = usize::try_from(axis).ok()?;
    let size = *dims.get(axis)?;
    let inner = dims.iter().skip(axis + 1).product::<i64>() as u64;
    if block == 0 {
        return (scales == [size]).then_some(ScaleLayout::Axis { size: size as u64, inner });
    }
    let blocks = (block > 0).then(|| (size as u64).div_ceil(block as u64))?;
    let along = |(at, size): (usize, &i64)| if at == axis { blocks } else { *size as u64 };
    let wanted = dims.iter().enumerate().map(along);
    let fits = scales.len() == dims.len() && scales.iter().map(|size| *size as u64).eq(wanted);
    let (size, block) = (size as u64, block as u64);
    fits.then_some(ScaleLayout::Blocks { size, inner, block })
}
