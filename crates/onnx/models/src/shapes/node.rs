//! Shape inference of one node: what it makes of the dimensions of its inputs.

use super::conflict::{ShapeConflict, differ, shown, size, together};
use super::layout::{self, OutputFacts};
use super::node_inputs::{NodeInputs, ValueFacts, axis, place};
use super::{linear, window};
use crate::infer::attribute;
use crate::{Dim, OnnxAttribute};

/// Operators whose first output has the dimensions of their first input.
const SAME: &str = " Abs Acos Acosh Asin Asinh Atan Atanh Bernoulli BitwiseNot Cast CastLike Ceil Celu Cos Cosh CumProd \
DequantizeLinear Dropout Elu Erf Exp EyeLike Floor Gelu GroupNormalization HardSigmoid HardSwish Identity IsInf IsNaN LRN \
LayerNormalization LeakyRelu Log LpNormalization MeanVarianceNormalization Mish Neg Not QuantizeLinear RMSNormalization \
RandomNormalLike RandomUniformLike Reciprocal Relu ReverseSequence Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign \
Sqrt Swish Tan Tanh ThresholdedRelu Trilu ";

/// Those that have an axis, too.
const ALONG: &str = " Softmax LogSoftmax Hardmax ";

/// Operators whose output has the dimensions that their inputs have together.
const TOGETHER: &str = " Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max \
Mean Min Mod Mul Or Pow Sub Sum Where Xor ";

/// What takes axes together.
const REDUCED: &str = " ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum \
ReduceSumSquare ";

fn is_in(list: &str, op: &str) -> bool {
    list.split(' ').any(|one| one == op)
}

/// What is known of the outputs of a node of ONNX's own domain, as many as are told.
///
/// # Errors
/// If the dimensions of its inputs contradict each other.
pub(crate) fn outputs(seen: &NodeInputs<'_>) -> Result<Vec<ValueFacts>, ShapeConflict> {
    match &*seen.node.op {
        "Split" => layout::split(seen),
        "TopK" => Ok(layout::top(seen)?.map_or_else(Vec::new, |one| vec![one; 2])),
        _ => Ok(first(seen)?.into_iter().collect()),
    }
}

fn first(seen: &NodeInputs<'_>) -> OutputFacts {
    let op = &*seen.node.op;
    let of = |at: usize| seen.dims(at).map(<[Dim]>::to_vec);
    let same = || Ok(of(0).map(ValueFacts::from_dims));
    let made = |dims: Result<Option<Vec<Dim>>, ShapeConflict>| Ok(dims?.map(ValueFacts::from_dims));
    let rank = |least: usize| match seen.dims(0) {
        Some(dims) if dims.len() < least => {
            Err(ShapeConflict::at_load(format!("{}: {least} dimensions are needed", shown(dims))))
        }
        _ => Ok(()),
    };
    if is_in(TOGETHER, op) {
        return elementwise(seen);
    }
    if is_in(REDUCED, op) {
        return layout::reduced(seen, seen.either("axes", 1));
    }
    match op {
        "Identity" => Ok(seen.inputs.first().cloned().filter(|one| one.dims.is_some())),
        // Numbers of 32 or 64 bits stay what they are.
        "Cast" if matches!(seen.int("to"), Some(6 | 7)) => Ok(seen.inputs.first().cloned()),
        "Trilu" => rank(2).and_then(|()| same()),
        "EyeLike" => match seen.dims(0) {
            Some(dims) if dims.len() != 2 => {
                Err(ShapeConflict::at_load(format!("{}: two dimensions are needed", shown(dims))))
            }
            _ => same(),
        },
        "Clip" if seen.opset >= 11 => {
            alone(seen, &[1, 2])?;
            same()
        }
        "Clip" => same(),
        "BatchNormalization" | "InstanceNormalization" => {
            channels(seen)?;
            same()
        }
        "LayerNormalization" => {
            scaled(seen)?;
            same()
        }
        "CumSum" => {
            if let (Some(dims), Some([at])) = (seen.dims(0), seen.values(1).as_deref())
                && place(*at, dims.len()).is_none()
            {
                return Err(ShapeConflict::in_run(format!(
                    "axis {at} of {} dimensions",
                    dims.len()
                )));
            }
            same()
        }
        "PRelu" => {
            let (Some(x), Some(slope)) = (seen.dims(0), seen.dims(1)) else { return same() };
            let fits = slope.len() <= x.len() && together(&[x, slope]).is_ok();
            let what = || format!("{} slopes for {}", shown(slope), shown(x));
            if fits || seen.opset < 7 { same() } else { Err(ShapeConflict::in_run(what())) }
        }
        _ if is_in(ALONG, op) => {
            if let Some(dims) = seen.dims(0) {
                axis(seen.int("axis").unwrap_or(-1), dims.len().max(1))?;
            }
            same()
        }
        _ if is_in(SAME, op) => same(),
        "MatMul" | "MatMulInteger" | "QLinearMatMul" => {
            let (a, b) = linear::factors(op);
            match (seen.dims(a), seen.dims(b)) {
                (Some(a), Some(b)) => made(linear::product(a, b)),
                _ => Ok(None),
            }
        }
        "Gemm" => made(linear::gemm(seen)),
        "Einsum" => made(linear::einsum(seen)),
        "Conv" | "ConvInteger" => made(window::convolution(seen, 1)),
        "QLinearConv" => made(window::convolution(seen, 3)),
        "ConvTranspose" => made(window::transposed(seen)),
        "MaxPool" | "AveragePool" | "LpPool" => made(window::pool(seen)),
        "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => made(window::global(seen)),
        "Concat" => layout::concat(seen),
        "Reshape" => layout::reshape(seen),
        "Transpose" => layout::transpose(seen),
        "Squeeze" => layout::squeeze(seen),
        "Unsqueeze" => layout::unsqueeze(seen),
        "Gather" => layout::gather(seen),
        "Expand" => layout::expand(seen),
        "Flatten" => layout::flatten(seen),
        "Slice" => layout::slice(seen),
        "Pad" => layout::pad(seen),
        "Tile" => layout::tile(seen),
        "DepthToSpace" | "SpaceToDepth" => layout::blocks(seen),
        "OneHot" => layout::one_hot(seen),
        "GatherND" => layout::gather_nd(seen),
        "GatherElements" | "ScatterElements" | "Scatter" => layout::elements(seen),
        "ScatterND" => layout::scatter_nd(seen),
        "Resize" => layout::resize(seen),
        "ArgMax" | "ArgMin" => {
            layout::reduced(seen, Some(Some(vec![seen.int("axis").unwrap_or(0)])))
        }
        "Shape" => shape(seen),
        "Size" => Ok(Some(ValueFacts::from_dims([]))),
        "Constant" => constant(seen),
        "ConstantOfShape" => Ok(filled(seen)),
        "NonZero" => {
            let rank = seen.dims(0).map_or(Dim::Unknown, |dims| Dim::Size(dims.len() as i64));
            Ok(Some(ValueFacts::from_dims([rank, Dim::Unknown])))
        }
        "Det" => {
            rank(2)?;
            let Some([head @ .., one, two]) = seen.dims(0) else { return Ok(None) };
            if differ(one, two) {
                let what = format!(
                    "{} and {} are no square",
                    shown(std::slice::from_ref(one)),
                    shown(std::slice::from_ref(two))
                );
                return Err(ShapeConflict::at_load(what));
            }
            Ok(Some(ValueFacts::from_dims(head)))
        }
        "Range" => {
            alone(seen, &[0, 1, 2])?;
            Ok(Some(ValueFacts::from_dims([Dim::Unknown])))
        }
        "NonMaxSuppression" => {
            match [seen.dims(0), seen.dims(1)].into_iter().flatten().find(|dims| dims.len() != 3) {
                Some(dims) => Err(ShapeConflict::in_run(format!(
                    "{}: three dimensions are needed",
                    shown(dims)
                ))),
                None => Ok(Some(ValueFacts::from_dims([Dim::Unknown, Dim::Size(3)]))),
            }
        }
        "Compress" if !seen.says("axis") => Ok(Some(ValueFacts::from_dims([Dim::Unknown]))),
        "Compress" | "DFT" | "Upsample" => Ok(ranked(seen.dims(0).map(<[Dim]>::len))),
        "STFT" => Ok(ranked(Some(4))),
        "LSTM" | "GRU" | "RNN" => match seen.dims(0) {
            Some(dims) if dims.len() != 3 => {
                Err(ShapeConflict::at_load(format!("{}: three dimensions are needed", shown(dims))))
            }
            _ => Ok(ranked(Some(4))),
        },
        _ => Ok(None),
    }
}

/// As many dimensions, of unknown sizes.
fn ranked(rank: Option<usize>) -> Option<ValueFacts> {
    rank.map(|rank| ValueFacts::from_dims(vec![Dim::Unknown; rank]))
}

/// Operators that stretch their inputs to each other. Before opset 7 they had an attribute for that.
fn elementwise(seen: &NodeInputs<'_>) -> OutputFacts {
    if seen.opset < 8
        && (seen.opset < 7 || matches!(&*seen.node.op, "Max" | "Min" | "Mean" | "Sum"))
    {
        return Ok(None);
    }
    let all: Option<Vec<&[Dim]>> = (0..seen.inputs.len()).map(|at| seen.dims(at)).collect();
    let Some(all) = all else { return Ok(None) };
    let dims = together(&all)?;
    let data = match (seen.data(0), seen.data(1)) {
        (Some(one), Some(other)) if seen.inputs.len() == 2 => calculated(&seen.node.op, one, other),
        (Some(which), Some(one)) if &*seen.node.op == "Where" => {
            seen.data(2).and_then(|other| chosen(which, one, other))
        }
        _ => None,
    };
    Ok(Some(ValueFacts { dims: Some(dims), data }))
}

/// Sizes that are calculated from others.
fn calculated(op: &str, one: &[Dim], other: &[Dim]) -> Option<Vec<Dim>> {
    let pairs: Vec<(&Dim, &Dim)> = match (one, other) {
        (one, [other]) => one.iter().map(|one| (one, other)).collect(),
        ([one], other) => other.iter().map(|other| (one, other)).collect(),
        (one, other) if one.len() == other.len() => one.iter().zip(other).collect(),
        _ => return None,
    };
    let of = |(one, other): (&Dim, &Dim)| -> Option<i64> {
        let (one, other) = match (one, other, op) {
            // No size is below 0, whichever it is.
            (Dim::Symbol(_), Dim::Size(..0), "Equal")
            | (Dim::Size(..0), Dim::Symbol(_), "Equal") => {
                return Some(0);
            }
            _ => (size(one)?, size(other)?),
        };
        match op {
            "Equal" => Some(i64::from(one == other)),
            "Add" => one.checked_add(other),
            "Sub" => one.checked_sub(other),
            "Mul" => one.checked_mul(other),
            "Div" if one >= 0 && other > 0 => Some(one / other),
            _ => None,
        }
    };
    Some(pairs.into_iter().map(|pair| of(pair).map_or(Dim::Unknown, Dim::Size)).collect())
}

/// Elements of one or the other, as `which` says of each.
fn chosen(which: &[Dim], one: &[Dim], other: &[Dim]) -> Option<Vec<Dim>> {
    let count = which.len().max(one.len()).max(other.len());
    let at = |all: &[Dim], at: usize| match all {
        [only] => Some(only.clone()),
        all if all.len() == count => all.get(at).cloned(),
        _ => None,
    };
    (0..count)
        .map(|place| match at(which, place)? {
            Dim::Size(0) => at(other, place),
            Dim::Size(_) => at(one, place),
            _ => Some(Dim::Unknown),
        })
        .collect()
}

/// A tensor of one number again and again; as data where it is a short row.
fn filled(seen: &NodeInputs<'_>) -> Option<ValueFacts> {
    let dims = seen.data(0)?.to_vec();
    let number = match attribute(seen.node, "value") {
        Some(OnnxAttribute::Tensor(tensor)) => tensor.ints.first().copied(),
        _ => None,
    };
    let data = match (&*dims, number) {
        ([Dim::Size(count)], Some(number)) if (0..=layout::MOST as i64).contains(count) => {
            Some((0..*count).map(|_| Dim::Size(number)).collect())
        }
        _ => None,
    };
    Some(ValueFacts { dims: Some(dims), data })
}

/// The scales of a normalization of channels, one for each.
fn channels(seen: &NodeInputs<'_>) -> Result<(), ShapeConflict> {
    let Some(has) = seen.dims(0).and_then(|dims| dims.get(1)).and_then(size) else { return Ok(()) };
    match seen.dims(1) {
        Some([Dim::Size(scales)]) if *scales != has => {
            Err(ShapeConflict::in_run(format!("{scales} scales for {has} channels")))
        }
        _ => Ok(()),
    }
}

/// The scales of a normalization of the last dimensions.
fn scaled(seen: &NodeInputs<'_>) -> Result<(), ShapeConflict> {
    let (Some(dims), Some(scales)) = (seen.dims(0), seen.dims(1)) else { return Ok(()) };
    let Some(at) = place(seen.int("axis").unwrap_or(-1), dims.len()) else { return Ok(()) };
    let behind = dims.get(at..).unwrap_or_default();
    match (behind, scales) {
        ([Dim::Size(has)], [Dim::Size(scales)]) if has != scales && *scales != 1 => {
            Err(ShapeConflict::in_run(format!("{scales} scales for {has} elements")))
        }
        _ => Ok(()),
    }
}

fn alone(seen: &NodeInputs<'_>, inputs: &[usize]) -> Result<(), ShapeConflict> {
    for at in inputs {
        if let Some(dims) = seen.dims(*at).filter(|dims| !dims.is_empty())
            && super::conflict::count(dims).is_some_and(|count| count != 1)
        {
            return Err(ShapeConflict::in_run(format!(
                "{} where one number is needed",
                shown(dims)
            )));
        }
    }
    Ok(())
}

fn shape(seen: &NodeInputs<'_>) -> OutputFacts {
    let Some(dims) = seen.dims(0) else { return Ok(Some(ValueFacts::from_dims([Dim::Unknown]))) };
    let bound = |name: &str, usual: i64| {
        let at = seen.int(name).unwrap_or(usual);
        let at = if at < 0 { at.saturating_add(dims.len() as i64) } else { at };
        at.clamp(0, dims.len() as i64) as usize
    };
    let (start, end) = (bound("start", 0), bound("end", dims.len() as i64));
    Ok(Some(ValueFacts::numbers(dims.get(start..end).unwrap_or_default().to_vec(), false)))
}

fn constant(seen: &NodeInputs<'_>) -> OutputFacts {
    let sizes = |all: &[i64]| all.iter().copied().map(Dim::Size).collect::<Vec<_>>();
    if let Some(OnnxAttribute::Tensor(tensor)) = attribute(seen.node, "value") {
        return Ok(Some(super::of_tensor(tensor)));
    }
    Ok(match (seen.ints("value_ints"), seen.int("value_int")) {
        (Some(all), _) => Some(ValueFacts::numbers(sizes(all), false)),
        (None, Some(one)) => Some(ValueFacts::numbers(sizes(&[one]), true)),
        _ if seen.says("value_float") || seen.says("value_string") => {
            Some(ValueFacts::from_dims([]))
        }
        _ => match attribute(seen.node, "value_floats") {
            Some(OnnxAttribute::Floats(all)) => {
                Some(ValueFacts::from_dims([Dim::Size(all.len() as i64)]))
            }
            _ => None,
        },
    })
}
