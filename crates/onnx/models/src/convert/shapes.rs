//! Dimensions of outputs, as far as adapters need them: sizes, and names that stand for one size each.

use super::scope::{Constant, Known, Numbers, Scope};
use super::work::Work;
use crate::Dim;

/// Operators whose first output has the dimensions of their first input.
const SAME: &str = " Abs Acos Acosh Asin Asinh Atan Atanh BatchNormalization Bernoulli BitwiseNot Cast CastLike Ceil Celu Clip \
Cos Cosh CumSum CumProd DequantizeLinear Dropout Elu Erf Exp EyeLike Floor Gelu GroupNormalization HardSigmoid HardSwish \
Hardmax Identity InstanceNormalization IsInf IsNaN LRN LayerNormalization LeakyRelu Log LogSoftmax LpNormalization \
MeanVarianceNormalization Mish Neg Not QuantizeLinear RMSNormalization RandomNormalLike RandomUniformLike Reciprocal Relu \
ReverseSequence Round ScatterElements ScatterND Scatter Selu Shrink Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt \
Swish Tan Tanh ThresholdedRelu Trilu ";

/// Operators whose output has the dimensions that their inputs have together.
const TOGETHER: &str = " Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max \
Mean Min Mod Mul Or PRelu Pow Sub Sum Where Xor ";

fn is_in(list: &str, op: &str) -> bool {
    list.contains(&format!(" {op} "))
}

/// What is known of the first output besides its type. `opset`: the one under which the node stands.
pub(super) fn first(work: &Work, opset: i64, scope: &Scope<'_>) -> Known {
    let mut known = Known::default();
    if !work.domain.is_empty() {
        return known;
    }
    if let Some(constant) = folded(work, scope) {
        known.dims = Some(constant.dims.iter().copied().map(Dim::Size).collect());
        known.constant = Some(constant);
        return known;
    }
    known.dims = dims(work, opset, scope);
    known
}

fn dims(work: &Work, opset: i64, scope: &Scope<'_>) -> Option<Vec<Dim>> {
    let of = |at: usize| scope.dims(work.input(at)?);
    let values = |at: usize| scope.constant(work.input(at)?)?.ints();
    let op = &*work.op;
    if is_in(SAME, op) {
        return of(0).map(<[Dim]>::to_vec);
    }
    if is_in(TOGETHER, op) && opset >= 7 {
        let all: Option<Vec<&[Dim]>> = (0..work.inputs.len()).map(of).collect();
        return all.map(|all| together(&all));
    }
    let unknown = |rank: usize| vec![Dim::Unknown; rank];
    match op {
        "Conv" | "MaxPool" | "AveragePool" | "LpPool" | "GlobalAveragePool" | "GlobalMaxPool"
        | "Pad" | "Tile" | "Resize" | "Upsample" | "ConvTranspose" | "DepthToSpace"
        | "SpaceToDepth" | "ConvInteger" | "QLinearConv" | "DFT" | "TopK" | "Compress"
            if op != "Compress" || work.int("axis").is_some() =>
        {
            of(0).map(|dims| unknown(dims.len()))
        }
        "Slice" => slice(of(0)?, work, scope),
        "Concat" => {
            let all: Option<Vec<&[Dim]>> = (0..work.inputs.len()).map(of).collect();
            match all {
                Some(all) => concat(&all, work.int("axis").unwrap_or(1)),
                None => of(0).map(|dims| unknown(dims.len())),
            }
        }
        "Range" | "Compress" => Some(unknown(1)),
        "STFT" => Some(unknown(4)),
        "LSTM" | "GRU" | "RNN" => Some(unknown(4)),
        "OneHot" => Some(unknown(of(0)?.len() + 1)),
        "Einsum" => {
            let output: String = work.text("equation")?.split_once("->")?.1.split(' ').collect();
            (!output.contains('.')).then(|| unknown(output.len()))
        }
        "Split" => of(0).map(|dims| unknown(dims.len())),
        "Transpose" => {
            let dims = of(0)?;
            match work.ints("perm") {
                None => Some(dims.iter().rev().cloned().collect()),
                Some(perm) => {
                    perm.iter().map(|at| dims.get(usize::try_from(*at).ok()?).cloned()).collect()
                }
            }
        }
        "MatMul" | "MatMulInteger" => {
            let (a, b) = (of(0)?, of(1)?);
            (a.len() >= 2 && b.len() >= 2).then(|| unknown(a.len().max(b.len())))
        }
        "Gemm" | "Flatten" | "NonZero" => Some(unknown(2)),
        "Shape" => Some(match (of(0), work.get("start"), work.get("end")) {
            (Some(dims), None, None) => vec![Dim::Size(dims.len() as i64)],
            _ => unknown(1),
        }),
        "Size" => Some(Vec::new()),
        "Gather" => {
            let (data, indices) = (of(0)?, of(1)?);
            let axis = place(work.int("axis").unwrap_or(0), data.len())?;
            let (before, behind) = (data.get(..axis)?, data.get(axis + 1..)?);
            Some([before, indices, behind].concat())
        }
        "GatherElements" => of(1).map(<[Dim]>::to_vec),
        "Reshape" => match values(1) {
            Some(sizes) => {
                let dim = |size: &i64| if *size > 0 { Dim::Size(*size) } else { Dim::Unknown };
                Some(sizes.iter().map(dim).collect())
            }
            None => Some(unknown(length(of(1)?)?)),
        },
        "ConstantOfShape" => match values(0) {
            Some(sizes) => Some(sizes.into_iter().map(Dim::Size).collect()),
            None => Some(unknown(length(of(0)?)?)),
        },
        "Expand" => {
            let sizes = match values(1) {
                Some(sizes) => sizes.len(),
                None => length(of(1)?)?,
            };
            Some(unknown(of(0)?.len().max(sizes)))
        }
        "Squeeze" => {
            let axes = work.ints("axes").or_else(|| values(1))?;
            let dims = of(0)?;
            let gone: Option<Vec<usize>> = axes.iter().map(|at| place(*at, dims.len())).collect();
            let gone = gone?;
            let left = dims.iter().enumerate().filter(|(at, _)| !gone.contains(at));
            Some(left.map(|(_, dim)| dim.clone()).collect())
        }
        "Unsqueeze" => {
            let axes = work.ints("axes").or_else(|| values(1))?;
            let mut dims = of(0)?.iter().cloned();
            let rank = dims.len() + axes.len();
            let new: Option<Vec<usize>> = axes.iter().map(|at| place(*at, rank)).collect();
            let new = new?;
            let dim = |at| if new.contains(&at) { Some(Dim::Size(1)) } else { dims.next() };
            (0..rank).map(dim).collect()
        }
        "ArgMax" | "ArgMin" => {
            let rank = of(0)?.len();
            Some(unknown(if work.int("keepdims") == Some(0) { rank.checked_sub(1)? } else { rank }))
        }
        _ if op.starts_with("Reduce") => {
            let rank = of(0)?.len();
            if work.int("keepdims") != Some(0) {
                return Some(unknown(rank));
            }
            let axes = match (work.ints("axes"), work.input(1)) {
                (Some(axes), _) => axes.len(),
                (None, Some(name)) => scope.constant(name)?.ints()?.len(),
                (None, None) => rank,
            };
            Some(unknown(rank.checked_sub(axes)?))
        }
        _ => None,
    }
}

/// The place of an axis, which may be counted from the end.
fn place(axis: i64, rank: usize) -> Option<usize> {
    let axis = if axis < 0 { axis.checked_add(rank as i64)? } else { axis };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// The most dimensions that a list of sizes is believed to have.
const MOST: usize = 1024;

/// How many sizes a list has.
fn length(dims: &[Dim]) -> Option<usize> {
    match dims {
        [Dim::Size(count)] => usize::try_from(*count).ok().filter(|count| *count <= MOST),
        _ => None,
    }
}

/// The dimensions of values one behind the other.
fn concat(all: &[&[Dim]], axis: i64) -> Option<Vec<Dim>> {
    let mut dims = all.first()?.to_vec();
    let axis = place(axis, dims.len())?;
    let size = |one: &&[Dim]| match one.get(axis)? {
        Dim::Size(size) => Some(*size),
        _ => None,
    };
    let sum = all.iter().try_fold(0_i64, |sum, one| sum.checked_add(size(one)?));
    *dims.get_mut(axis)? = sum.map_or(Dim::Unknown, Dim::Size);
    Some(dims)
}

/// The dimensions of a part; known where a list of sizes is cut at known places.
fn slice(dims: &[Dim], work: &Work, scope: &Scope<'_>) -> Option<Vec<Dim>> {
    let unknown = || Some(vec![Dim::Unknown; dims.len()]);
    let values =
        |name: &str, at: usize| work.ints(name).or_else(|| scope.constant(work.input(at)?)?.ints());
    let ([Dim::Size(size)], Some(starts), Some(ends)) =
        (dims, values("starts", 1), values("ends", 2))
    else {
        return unknown();
    };
    let ([start], [end]) = (starts.as_slice(), ends.as_slice()) else { return unknown() };
    let plain = work.input(4).is_none() || values("steps", 4).as_deref() == Some(&[1]);
    if !plain || *size < 0 {
        return unknown();
    }
    let bound = |at: i64| if at < 0 { at.saturating_add(*size) } else { at }.clamp(0, *size);
    Some(vec![Dim::Size((bound(*end) - bound(*start)).max(0))])
}

/// The dimensions that values have together, each stretched to the others.
fn together(all: &[&[Dim]]) -> Vec<Dim> {
    let rank = all.iter().map(|dims| dims.len()).max().unwrap_or(0);
    let at = |dims: &&[Dim], place: usize| {
        (place + dims.len()).checked_sub(rank).and_then(|at| dims.get(at).cloned())
    };
    let one = |place: usize| {
        let mut found = Dim::Size(1);
        for dim in all.iter().filter_map(|dims| at(dims, place)) {
            found = match (found, dim) {
                (Dim::Size(1), dim) => dim,
                (found, Dim::Size(1)) => found,
                (found, dim) if found == dim => found,
                (Dim::Size(size), _) | (_, Dim::Size(size)) => Dim::Size(size),
                _ => Dim::Unknown,
            };
        }
        found
    };
    (0..rank).map(one).collect()
}

/// The tensor that a node always gives.
fn folded(work: &Work, scope: &Scope<'_>) -> Option<Constant> {
    let list = |numbers: Numbers, count: usize| Constant { numbers, dims: vec![count as i64] };
    match &*work.op {
        "Identity" => scope.constant(work.input(0)?).cloned(),
        "Constant" => {
            if let Some(all) = work.ints("value_ints") {
                let count = all.len();
                return Some(list(Numbers::Ints(all), count));
            }
            work.int("value_int")
                .map(|one| Constant { numbers: Numbers::Ints(vec![one]), dims: Vec::new() })
        }
        _ => None,
    }
}
