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
        | "Pad" | "Slice" | "Tile" | "Resize" | "Upsample" | "ConvTranspose" | "DepthToSpace"
        | "SpaceToDepth" | "Concat" => of(0).map(|dims| unknown(dims.len())),
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
        "MatMul" => {
            let (a, b) = (of(0)?, of(1)?);
            (a.len() >= 2 && b.len() >= 2).then(|| unknown(a.len().max(b.len())))
        }
        "Gemm" | "Flatten" | "NonZero" => Some(unknown(2)),
        "Shape" => Some(vec![Dim::Unknown]),
        "Size" => Some(Vec::new()),
        "Gather" => Some(unknown((of(0)?.len() + of(1)?.len()).checked_sub(1)?)),
        "GatherElements" => of(1).map(<[Dim]>::to_vec),
        "Reshape" => {
            let sizes = values(1)?;
            Some(
                sizes
                    .iter()
                    .map(|size| if *size > 0 { Dim::Size(*size) } else { Dim::Unknown })
                    .collect(),
            )
        }
        "Expand" => {
            let sizes = match values(1) {
                Some(sizes) => sizes.len(),
                None => match of(1)? {
                    [Dim::Size(count)] => usize::try_from(*count).ok()?,
                    _ => return None,
                },
            };
            Some(unknown(of(0)?.len().max(sizes)))
        }
        "Squeeze" | "Unsqueeze" => {
            let axes = work.ints("axes").or_else(|| values(1))?;
            let rank = of(0)?.len();
            Some(unknown(if op == "Squeeze" {
                rank.checked_sub(axes.len())?
            } else {
                rank + axes.len()
            }))
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
