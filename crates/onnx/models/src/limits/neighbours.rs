//! What a node is together with the nodes before it: padding, scales of quantized inputs, heads of attention.

use super::condition::LimitedNode;
use crate::infer::attribute;
use crate::value_index::ValueIndex;
use crate::{Dim, OnnxAttribute, OnnxNode};

/// How far two scales may differ and still count as the same, as a share of one of them.
const SAME_SCALE: f32 = 1e-3;

/// Whether a Pad is one that the optimizer may put into a window behind it.
pub(super) fn pads_with_one_value(pad: &OnnxNode) -> bool {
    match attribute(pad, "mode") {
        Some(OnnxAttribute::Text(mode)) => &**mode == "constant",
        _ => true,
    }
}

/// Whether a window behind a Pad, with what that pads, would be padded by as much as it is long.
pub(super) fn is_overpadded(site: &LimitedNode<'_, '_>) -> bool {
    let pad = site.name(0).and_then(|name| site.around.maker(name, "Pad"));
    let Some(pad) = pad.filter(|pad| pads_with_one_value(pad)) else { return false };
    let Some(OnnxAttribute::Ints(kernel)) = attribute(site.node, "kernel_shape") else {
        return false;
    };
    let none = Vec::new();
    let own = match attribute(site.node, "pads") {
        Some(OnnxAttribute::Ints(own)) => own,
        _ => &none,
    };
    let Some(pads) = pads_of(pad, site.around) else { return false };
    let rank = pads.len() / 2;
    let Some(outer) = rank.checked_sub(kernel.len()) else { return false };
    let side = |at: usize, first: usize, own_first: usize| {
        let padded = pads.get(first + outer + at).copied().unwrap_or_default();
        padded.saturating_add(own.get(own_first + at).copied().unwrap_or_default())
    };
    kernel
        .iter()
        .enumerate()
        .any(|(at, size)| side(at, 0, 0) >= *size || side(at, rank, kernel.len()) >= *size)
}

/// Whether a Pad that reflects asks for more elements than there are.
pub(super) fn reflects_too_far(site: &LimitedNode<'_, '_>) -> bool {
    let mode = attribute(site.node, "mode");
    if !matches!(mode, Some(OnnxAttribute::Text(mode)) if &**mode == "reflect") {
        return false;
    }
    let (Some(pads), Some(dims)) = (pads_of(site.node, site.around), site.shape(0)) else {
        return false;
    };
    let rank = dims.len();
    if pads.len() != 2 * rank {
        return false;
    }
    let sizes = dims.iter().cycle();
    pads.iter()
        .zip(sizes)
        .any(|(pad, dim)| matches!(dim, Dim::Size(size) if pad >= size && *pad > 0))
}

/// The numbers of a Pad, if they are written down for every dimension.
fn pads_of<'a>(pad: &'a OnnxNode, around: &'a ValueIndex<'_>) -> Option<&'a [i64]> {
    match attribute(pad, "pads") {
        Some(OnnxAttribute::Ints(pads)) => Some(pads),
        _ if pad.inputs.get(3).is_some_and(|axes| !axes.is_empty()) => None,
        _ => around.ints(pad.inputs.get(1)?),
    }
}

/// Whether input, weights and bias are quantized, and the scale of the bias is not that of the other two together.
pub(super) fn has_other_bias_scale(site: &LimitedNode<'_, '_>) -> bool {
    let scale = |at: usize| -> Option<&[f32]> {
        let node = site.around.maker(site.name(at)?, "DequantizeLinear")?;
        site.around.floats(node.inputs.get(1)?)
    };
    let (Some(input), Some(weight), Some(bias)) = (scale(0), scale(1), scale(2)) else {
        return false;
    };
    let pick = |all: &[f32], at: usize| all.get(at).or(all.first()).copied().unwrap_or(1.0);
    (0..weight.len().max(bias.len())).any(|at| {
        let (wanted, given) = (pick(input, 0) * pick(weight, at), pick(bias, at));
        (wanted - given).abs() > SAME_SCALE * given.abs()
    })
}

/// Whether the second input of a product is quantized, and the first is not.
pub(super) fn has_quantized_weight_only(site: &LimitedNode<'_, '_>) -> bool {
    let quantized =
        |at: usize| site.name(at).is_some_and(|name| site.around.is_from(name, "DequantizeLinear"));
    quantized(1) && !quantized(0)
}

/// Whether a Slice has fewer starts than its input has dimensions.
pub(super) fn has_fewer_starts(site: &LimitedNode<'_, '_>) -> bool {
    let starts = match (attribute(site.node, "starts"), site.shape(1)) {
        (Some(OnnxAttribute::Ints(starts)), _) => Some(starts.len() as i64),
        (_, Some([Dim::Size(count)])) => Some(*count),
        _ => None,
    };
    let dims = site.shape(0).map(|dims| dims.len() as i64);
    starts.zip(dims).is_some_and(|(starts, dims)| starts < dims)
}

/// Whether an Attention has fewer heads of keys and values than of queries.
pub(super) fn has_fewer_key_heads(site: &LimitedNode<'_, '_>) -> bool {
    let said = |name: &str| match attribute(site.node, name) {
        Some(OnnxAttribute::Int(number)) => Some(*number),
        _ => None,
    };
    let heads = |at: usize| match site.shape(at)? {
        [_, Dim::Size(heads), _, _] => Some(*heads),
        _ => None,
    };
    let queries = said("q_num_heads").or_else(|| heads(0));
    let keys = said("kv_num_heads").or_else(|| heads(1));
    queries.zip(keys).is_some_and(|(queries, keys)| keys < queries)
}
