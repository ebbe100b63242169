//! Padding.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::shape::gathered;
use crate::problem::refused;
use crate::{RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor", constant_pad),
    plain("aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor", pad),
    plain("aten::reflection_pad2d(Tensor self, int[4] padding) -> Tensor", |c, a| reflect(c, a.tensor(0)?, &a.ints(1)?, mirrored)),
    plain("aten::reflection_pad1d(Tensor self, int[2] padding) -> Tensor", |c, a| reflect(c, a.tensor(0)?, &a.ints(1)?, mirrored)),
    plain("aten::replication_pad2d(Tensor self, int[4] padding) -> Tensor", |c, a| reflect(c, a.tensor(0)?, &a.ints(1)?, repeated)),
    plain("aten::replication_pad1d(Tensor self, int[2] padding) -> Tensor", |c, a| reflect(c, a.tensor(0)?, &a.ints(1)?, repeated)),
];

fn constant_pad(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    padded(context, args.tensor(0)?, &args.ints(1)?, args.number(2)?)
}

fn pad(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, pads) = (args.tensor(0)?, args.ints(1)?);
    match args.text(2)? {
        "constant" => {
            let value = ScalarValue::Float(args.float_or_none(3)?.unwrap_or(0.0));
            padded(context, tensor, &pads, value)
        }
        "reflect" => reflect(context, tensor, &pads, mirrored),
        "replicate" => reflect(context, tensor, &pads, repeated),
        "circular" => {
            // What is cut away does not come back at the other end.
            let cut: Vec<i64> = pads.iter().map(|pad| (*pad).min(0)).collect();
            let more: Vec<i64> = pads.iter().map(|pad| (*pad).max(0)).collect();
            let kept = match cut.iter().any(|pad| *pad < 0) {
                true => padded(context, tensor, &cut, ScalarValue::Int(0))?,
                false => tensor.clone().into(),
            };
            let Some(tensor) = kept.tensor() else { return refused("no pad") };
            let pads = more;
            reflect(context, tensor, &pads, |at, size| Some(at.rem_euclid(size)))
        }
        other => refused(format!("Unrecognised padding mode {other}")),
    }
}

/// Pairs of what is added before and behind, of the last dimension first; it may be negative.
fn padded(
    context: &Context<'_>,
    tensor: &Tensor,
    pads: &[i64],
    value: ScalarValue,
) -> Result<ScriptValue, RunProblem> {
    if !pads.len().is_multiple_of(2) || pads.len() / 2 > tensor.rank() {
        return refused(format!("Length of pad must be even and at most twice the rank: {pads:?}"));
    }
    let (mut from, mut shape) = (tensor.clone(), tensor.shape().to_vec());
    let mut starts = vec![0_usize; tensor.rank()];
    for (nth, pair) in pads.chunks_exact(2).enumerate() {
        let axis = tensor.rank() - 1 - nth;
        let size = tensor.shape()[axis] as i64;
        let (cut_before, cut_behind) =
            (pair[0].saturating_neg().max(0), pair[1].saturating_neg().max(0));
        let kept = size.saturating_sub(cut_before).saturating_sub(cut_behind);
        let wanted = size.saturating_add(pair[0]).saturating_add(pair[1]);
        if kept < 0 || wanted < 0 {
            return refused(format!("the padding {pair:?} of a dimension of size {size}"));
        }
        from = from.narrow(axis, cut_before as usize, kept as usize, 1)?;
        shape[axis] = wanted as usize;
        starts[axis] = pair[0].max(0) as usize;
    }
    let result = Tensor::filled(context.meter, tensor.dtype(), &shape, value)?;
    let mut inside = result.clone();
    for (axis, start) in starts.iter().enumerate() {
        inside = inside.narrow(axis, *start, from.shape()[axis], 1)?;
    }
    inside.copy_from(&from)?;
    Ok(result.into())
}

/// The place in the middle that a place outside of it shows.
fn mirrored(at: i64, size: i64) -> Option<i64> {
    let at = if at < 0 { -at } else { at };
    let at = if at >= size { 2 * (size - 1) - at } else { at };
    (0..size).contains(&at).then_some(at)
}

fn repeated(at: i64, size: i64) -> Option<i64> {
    Some(at.clamp(0, size - 1))
}

fn reflect(
    context: &Context<'_>,
    tensor: &Tensor,
    pads: &[i64],
    place: fn(i64, i64) -> Option<i64>,
) -> Result<ScriptValue, RunProblem> {
    if !pads.len().is_multiple_of(2) || pads.len() / 2 > tensor.rank() {
        return refused(format!("Length of pad must be even and at most twice the rank: {pads:?}"));
    }
    let mut result = tensor.clone();
    for (nth, pair) in pads.chunks_exact(2).enumerate() {
        let axis = tensor.rank() - 1 - nth;
        let size = result.shape()[axis] as i64;
        let mut shape = result.shape().to_vec();
        let wanted = size.saturating_add(pair[0]).saturating_add(pair[1]);
        shape[axis] = usize::try_from(wanted).unwrap_or(0);
        context.meter.room(&shape)?;
        context.meter.step(pair[0].max(0).saturating_add(pair[1].max(0)) as u64)?;
        let places: Option<Vec<usize>> = (pair[0].saturating_neg()..size.saturating_add(pair[1]))
            .map(|at| place(at, size).map(|at| at as usize))
            .collect();
        let Some(places) = places.filter(|_| size > 0) else {
            return refused(format!(
                "Padding size should be less than the corresponding input dimension, but got: \
                 padding {pair:?} at dimension {axis} of input {tensor}"
            ));
        };
        result = gathered(context, &result, axis, places.into_iter())?;
    }
    Ok(result.into())
}
