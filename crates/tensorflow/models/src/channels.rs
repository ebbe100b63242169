//! The last dimension of a tensor, as far as the graph tells without its values: the channels of an image.

use super::{AttrValue, NodeDef, PartialTensorShape};
use crate::elementwise::{BROADCAST, SHAPED_LIKE_THE_FIRST};
use crate::rank::{NodeLookup, OUTPUT_SHAPES};

/// How far channels are followed from node to node.
const DEPTH: usize = 64;

/// Further ops whose output has as many channels as their first input.
const AS_MANY_AS_THE_FIRST: [&str; 11] = [
    "MaxPool",
    "AvgPool",
    "Mean",
    "Pad",
    "PadV2",
    "MirrorPad",
    "FusedBatchNorm",
    "FusedBatchNormV3",
    "PlaceholderWithDefault",
    "ResizeBilinear",
    "ResizeNearestNeighbor",
];

/// Whether a convolution is grouped: its filter takes fewer channels than its input has. None if the graph does not
/// tell, or has the channels elsewhere than last.
pub(crate) fn is_grouped<'g>(node: &NodeDef, get: impl NodeLookup<'g>) -> Option<bool> {
    if !channels_are_last(node) {
        return None;
    }
    let filter = filter(node, get)?;
    let taken = *filter.get(2)?;
    let given = of_input(node, 0, get)?;
    (taken > 0 && given > 0).then_some(given != taken)
}

fn channels_are_last(node: &NodeDef) -> bool {
    match node.attr("data_format") {
        None => true,
        Some(AttrValue::String(format)) => &**format == b"NHWC",
        Some(_) => false,
    }
}

/// The dimensions of a convolution's filter: two of space, the channels it takes and those it gives.
fn filter<'g>(node: &NodeDef, get: impl NodeLookup<'g>) -> Option<&'g [i64]> {
    let mut source = get(name_of(node, 1)?)?;
    for _ in 0..DEPTH {
        match &*source.op {
            "Identity" | "ReadVariableOp" | "Cast" => source = get(name_of(source, 0)?)?,
            _ => break,
        }
    }
    let dims = known(written(source)?)?;
    (dims.len() == 4).then_some(dims)
}

/// Whether the frames of a spectrogram go on from one channel into the next, so that another number of them is found in
/// it: TensorFlow 1 cuts all channels as one row. None if the graph does not tell, or only where they lie differs.
pub(crate) fn do_frames_go_on<'g>(node: &NodeDef, get: impl NodeLookup<'g>) -> Option<bool> {
    let channels = of_input(node, 0, get)?;
    if channels == 1 {
        return Some(false);
    }
    let [samples, _] = known(written(get(name_of(node, 0)?)?)?)? else { return None };
    let positive = |name: &str| node.attr(name).and_then(AttrValue::int).filter(|size| *size > 0);
    let (samples, window, stride) = (*samples, positive("window_size")?, positive("stride")?);
    let row = channels.checked_mul(samples).filter(|_| samples >= 0)?;
    let frames = |samples: i64| if samples < window { 0 } else { 1 + (samples - window) / stride };
    let each = frames(samples);
    // Channels with as many frames as the first: how many that are is a multiple at the end of each.
    let same = |channel: i64| frames(samples * channel) == each * channel;
    let fits = (1..=channels.min(1024)).all(same) && frames(row) == each * channels;
    match fits {
        false => Some(true),
        true => (each == 0 || samples % stride == 0).then_some(false),
    }
}

/// How many channels an input has. None if the graph does not tell.
pub(crate) fn of_input<'g>(node: &NodeDef, input: usize, get: impl NodeLookup<'g>) -> Option<i64> {
    followed(node, input, get, 0).filter(|channels| *channels > 0)
}

fn followed<'g>(
    node: &NodeDef,
    input: usize,
    get: impl NodeLookup<'g>,
    depth: usize,
) -> Option<i64> {
    let source = get(name_of(node, input)?)?;
    let noted = match source.attr(OUTPUT_SHAPES) {
        Some(AttrValue::List(shapes)) => match shapes.first() {
            Some(AttrValue::Shape(shape)) => last(shape),
            _ => None,
        },
        _ => None,
    };
    if noted.is_some() || depth == DEPTH {
        return noted;
    }
    let of = |input| followed(source, input, get, depth + 1);
    match &*source.op {
        "Conv2D" if channels_are_last(source) => {
            filter(source, get)?.last().copied().filter(|given| *given > 0)
        }
        op if SHAPED_LIKE_THE_FIRST.contains(&op) || AS_MANY_AS_THE_FIRST.contains(&op) => of(0),
        op if BROADCAST.contains(&op) => Some(of(0)?.max(of(1)?)),
        _ => last(written(source)?),
    }
}

/// The name of the node whose first output is this input.
fn name_of(node: &NodeDef, input: usize) -> Option<&str> {
    let input = node.data().nth(input)?;
    // In the body of a function an input names the output too: `conv:output:0`.
    let (name, output) = input.split_once(':').unwrap_or((input, "0"));
    (output.rsplit(':').next() == Some("0")).then_some(name)
}

/// The shape that a constant, a variable or a placeholder is written with.
fn written(node: &NodeDef) -> Option<&PartialTensorShape> {
    let attr = match &*node.op {
        "Const" => "value",
        "Placeholder" | "PlaceholderV2" | "Variable" | "VariableV2" | "VarHandleOp" => "shape",
        _ => return None,
    };
    match node.attr(attr)? {
        AttrValue::Shape(shape) | AttrValue::Tensor { shape, .. } => Some(shape),
        _ => None,
    }
}

fn known(shape: &PartialTensorShape) -> Option<&[i64]> {
    shape.0.as_deref()
}

fn last(shape: &PartialTensorShape) -> Option<i64> {
    known(shape)?.last().copied().filter(|dim| *dim > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, op: &str, inputs: &[&str], attrs: Vec<(&str, AttrValue)>) -> NodeDef {
        NodeDef {
            name: name.into(),
            op: op.into(),
            inputs: inputs.iter().copied().collect(),
            attrs: attrs.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            ..NodeDef::default()
        }
    }

    fn shape(dims: &[i64]) -> Vec<(&'static str, AttrValue)> {
        vec![("shape", AttrValue::Shape(PartialTensorShape(Some(dims.to_vec()))))]
    }

    #[test]
    fn frames_of_a_spectrogram_go_on_where_a_channel_ends_within_one() {
        // Samples, channels, window, stride, and what 1.15.0 did: refused, or gave what 2.4.4 gives.
        for (samples, channels, window, stride, refused) in [
            (4, 2, 3, 1, Some(true)),
            (4, 2, 8, 1, Some(true)),
            (2, 3, 8, 1, Some(false)),
            (4, 2, 5, 1, Some(true)),
            (4, 1, 8, 1, Some(false)),
            (6, 2, 3, 4, Some(true)),
            (6, 2, 6, 9, Some(true)),
            (9, 2, 3, 9, Some(false)),
            (3, 3, 3, 3, Some(false)),
            // As many frames, from elsewhere.
            (10, 2, 3, 9, None),
        ] {
            let sound = node("sound", "Placeholder", &[], shape(&[samples, channels]));
            let attrs =
                vec![("window_size", AttrValue::Int(window)), ("stride", AttrValue::Int(stride))];
            let graph = [sound, node("frames", "AudioSpectrogram", &["sound"], attrs)];
            let get = |name: &str| graph.iter().find(|node| *node.name == *name);
            let found = do_frames_go_on(&graph[1], get);
            assert_eq!(found, refused, "{samples} {channels} {window} {stride}");
        }
    }

    #[test]
    fn channels_are_followed_through_convolutions_and_what_keeps_them() {
        let first = node("first", "Conv2D", &["image", "filter"], vec![]);
        let nchw = vec![("data_format", AttrValue::String(b"NCHW"[..].into()))];
        let nodes = [
            node("image", "Placeholder", &[], shape(&[-1, 6, 6, 4])),
            node("filter", "VarHandleOp", &[], shape(&[3, 3, 4, 8])),
            first,
            node("relu", "Relu", &["first"], vec![]),
            node("half", "VariableV2", &[], shape(&[3, 3, 4, 8])),
            node("read", "Identity", &["half"], vec![]),
            node("second", "Conv2D", &["relu", "read"], vec![]),
            node("unknown", "Placeholder", &[], shape(&[-1, 6, 6, -1])),
            node("third", "Conv2D", &["unknown:0", "filter"], vec![]),
            node("fourth", "Conv2D", &["image", "filter"], nchw),
        ];
        let get = |name: &str| nodes.iter().find(|node| *node.name == *name);
        let grouped =
            ["first", "second", "third", "fourth"].map(|name| is_grouped(get(name).unwrap(), get));
        assert_eq!(grouped, [Some(false), Some(true), None, None]);
    }
}
