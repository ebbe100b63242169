//! Weights of 4 bits, for releases and opsets that do not have the types: what `DequantizeLinear` makes of them becomes a
//! tensor of the model. Types of 4 bits are new in IR version 10 and opset 21.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::Rewrite;
use unskew_source::wire::{ByteSpan, MessageValue as Wire, WireMessage};
use unskew_source::{Assembly, ReadError, Rope, Source};

use super::dequantized::{DequantizedTensor, ScaleLayout, TensorBytes};
use super::{ConversionInput, OnnxTarget, ir_version};
use crate::infer::attribute;
use crate::judge::is_inside;
use crate::{
    NeighbourOpener, OnnxAttribute, OnnxElementType, OnnxModel, OnnxNode, OnnxTensor, TensorData,
};

/// The first IR version with types of 4 bits.
const IR: i64 = 10;

/// The first opset with operators that take them.
const OPSET: i64 = 21;

/// A float of 32 bits.
const FLOAT: OnnxElementType = OnnxElementType(1);

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
    let weights = weights(&input, beside)?;
    let more =
        weights.values().map(|one| one.size()).fold(input.source.size(), u64::saturating_add);
    if weights.is_empty() || more > LARGEST_MESSAGE {
        return Ok(input);
    }
    written(input, weights)
}

fn is_four_bits(element: OnnxElementType) -> bool {
    matches!(element.0, 21 | 22)
}

/// What nodes of the graph make of weights of 4 bits, by the places of these nodes.
fn weights(
    input: &ConversionInput,
    beside: NeighbourOpener<'_>,
) -> Result<BTreeMap<usize, DequantizedTensor>, ReadError> {
    let mut all = BTreeMap::new();
    let graph = &input.model.graph;
    if !graph.initializers.iter().any(|tensor| is_four_bits(tensor.element)) {
        return Ok(all);
    }
    for (at, node) in graph.nodes.iter().enumerate() {
        if &*node.op == "DequantizeLinear"
            && node.domain.is_empty()
            && let Some(made) = dequantized(input, node, beside)?
        {
            all.insert(at, made);
        }
    }
    Ok(all)
}

/// The floats that a node makes; none if they are not known, or no floats of 32 bits.
fn dequantized(
    input: &ConversionInput,
    node: &OnnxNode,
    beside: NeighbourOpener<'_>,
) -> Result<Option<DequantizedTensor>, ReadError> {
    let model = &input.model;
    let stored = |at: usize| {
        let name = node.inputs.get(at).filter(|name| !name.is_empty())?;
        // What is an input too may be given another value.
        let given = model.graph.inputs.iter().any(|one| one.name == *name);
        model.graph.initializers.iter().find(|one| one.name == *name && !given)
    };
    let has_zeros = node.inputs.get(2).is_some_and(|name| !name.is_empty());
    let (Some(packed), Some(scales), zeros) = (stored(0), stored(1), stored(2)) else {
        return Ok(None);
    };
    let of_type = |wanted: i64| match attribute(node, "output_dtype") {
        Some(OnnxAttribute::Int(number)) => *number == 0 || *number == wanted,
        other => other.is_none(),
    };
    if !is_four_bits(packed.element)
        || scales.element != FLOAT
        || !of_type(1)
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
        zeros => node.outputs.first().map(|name| DequantizedTensor {
            name: name.to_string(),
            count,
            is_signed: packed.element.0 == 22,
            packed: from,
            scales: factors,
            zeros: zeros.flatten(),
            layout,
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

/// Where the elements of a tensor lie; none if they lie one by one, or in a file that is not known.
fn tensor_bytes(
    input: &ConversionInput,
    tensor: &OnnxTensor,
    beside: NeighbourOpener<'_>,
) -> Result<Option<TensorBytes>, ReadError> {
    let Some(size) = tensor.bytes() else { return Ok(None) };
    if let Some(external) = &tensor.external {
        let is_whole = external.length.is_none_or(|length| length == size);
        if external.broken.is_some() || !is_whole || !is_inside(&external.location) {
            return Ok(None);
        }
        let start = external.offset.unwrap_or(0);
        let fits =
            |file: &Arc<dyn Source>| start.checked_add(size).is_some_and(|end| end <= file.size());
        let file = beside(&external.location).filter(fits);
        return Ok(file.map(|file| TensorBytes { file, start }));
    }
    if tensor.data != TensorData::Raw(size) {
        return Ok(None);
    }
    let len = tensor.place.end.saturating_sub(tensor.place.start);
    let span = ByteSpan { start: tensor.place.start, len };
    let mut message = WireMessage::at(&*input.source, span);
    while let Some(field) = message.next()? {
        if let (9, Some(raw)) = (field.number, field.span()) {
            return Ok(Some(TensorBytes { file: input.source.clone(), start: raw.start }));
        }
    }
    Ok(None)
}

/// The model with the floats as tensors, in the place of the nodes that make them and of what only these take.
fn written(
    input: ConversionInput,
    weights: BTreeMap<usize, DequantizedTensor>,
) -> Result<ConversionInput, ReadError> {
    let ConversionInput { source, model, mut plan } = input;
    let name = source.name().to_owned();
    // One source that has everything: the model, and behind it what the nodes make.
    let mut everything = Assembly::from_source(&source);
    let mut tensors = Rope::default();
    let mut done =
        Rewrite::new("onnx-four-bits", "weights of 4 bits become the floats that they mean");
    let mut end = source.size();
    for (at, made) in weights.iter() {
        let Some(node) = model.graph.nodes.get(*at) else { continue };
        done.places.add(crate::judge::place(node));
        let packed =
            model.graph.initializers.iter().find(|one| Some(&one.name) == node.inputs.first());
        let mut tensor = Rope::default();
        for size in packed.map_or(&[][..], |packed| &packed.dims) {
            tensor.number(1, *size as u64);
        }
        tensor.number(2, FLOAT.0 as u64);
        tensor.text(8, &made.name);
        let mut raw = Rope::default();
        raw.copy(end..end + made.size());
        end += made.size();
        tensor.message(9, raw);
        tensors.message(5, tensor);
    }
    plan.add(done);
    let left: Vec<usize> = weights.keys().copied().collect();
    for made in weights.into_values() {
        let made: Arc<dyn Source> = Arc::new(made);
        everything.push_copy(&made, 0..made.size())?;
    }
    let everything: Arc<dyn Source> = Arc::new(everything);
    let is_left_out = |at: usize| left.binary_search(&at).is_ok();
    let is_taken = taken(&model, &is_left_out);
    let was_taken = |name: &str| {
        let mut nodes = left.iter().filter_map(|at| model.graph.nodes.get(*at));
        !is_taken(name) && nodes.any(|node| node.inputs.iter().any(|input| **input == *name))
    };
    let mut rope = Rope::default();
    let mut message = WireMessage::whole(&*source);
    while let Some(field) = message.next()? {
        match (field.number, field.value) {
            (7, Wire::Bytes(span)) => {
                let mut graph = Rope::default();
                let mut inner = WireMessage::at(&*source, span);
                let (mut nodes, mut stored) = (0, model.graph.initializers.iter());
                while let Some(field) = inner.next()? {
                    let is_out = match field.number {
                        1 => {
                            nodes += 1;
                            is_left_out(nodes - 1)
                        }
                        5 => stored.next().is_some_and(|one| was_taken(&one.name)),
                        15 => stored.next().is_none(),
                        _ => false,
                    };
                    if !is_out {
                        graph.copy(field.offset..inner.position());
                    }
                }
                graph.append(std::mem::take(&mut tensors));
                rope.message(7, graph);
            }
            _ => rope.copy(field.offset..message.position()),
        }
    }
    let source: Arc<dyn Source> = Arc::new(rope.assemble(&everything, &name)?);
    let read = crate::read::in_bytes(&*source)?;
    let unread = || ReadError::malformed(&name, "what becomes of the model is none".to_owned());
    Ok(ConversionInput { model: read.ok_or_else(unread)?, source, plan })
}

/// Whether anything but the nodes that are left out takes a value.
fn taken<'m>(
    model: &'m OnnxModel,
    is_left_out: &dyn Fn(usize) -> bool,
) -> impl Fn(&str) -> bool + use<'m> {
    let mut names: std::collections::HashSet<&str> =
        model.graph.outputs.iter().map(|output| &*output.name).collect();
    for (at, node) in model.graph.nodes.iter().enumerate() {
        if !is_left_out(at) {
            names.extend(node.inputs.iter().map(|name| &**name));
        }
        let graphs = node.attributes.iter().flat_map(|(_, value)| value.graphs());
        let inner = graphs.flat_map(crate::OnnxGraph::all);
        for graph in inner {
            names.extend(graph.nodes.iter().flat_map(|node| &node.inputs).map(|name| &**name));
            names.extend(graph.outputs.iter().map(|output| &*output.name));
        }
    }
    move |name| names.contains(name)
}
