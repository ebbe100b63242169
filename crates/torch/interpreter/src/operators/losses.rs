//! Losses.

use super::Arguments;
use super::composed::{call, tensor};
use super::declaration::{Context, Operator, plain};
use crate::problem::{refused, unsupported};
use crate::tensor::broadcast;
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100) -> Tensor", nll_loss),
    plain("aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100) -> Tensor", nll_loss),
    plain("aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100, float label_smoothing=0.0) -> Tensor", cross_entropy),
    plain("aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor", |c, a| pairs(c, a, a.tensor_or_none(2)?, 3, |x, y| -(y * x.ln().max(-100.0) + (1.0 - y) * (-x).ln_1p().max(-100.0)))),
    plain("aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor", with_logits),
    plain("aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor", |c, a| { let beta = a.float(3)?; pairs(c, a, None, 2, move |x, y| { let z = (x - y).abs(); if z < beta { 0.5 * z * z / beta } else { z - 0.5 * beta } }) }),
    plain("aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", |c, a| { let delta = a.float(3)?; pairs(c, a, None, 2, move |x, y| { let z = (x - y).abs(); if z <= delta { 0.5 * z * z } else { delta * (z - 0.5 * delta) } }) }),
    plain("aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", |c, a| { let log = a.boolean(3)?; pairs(c, a, None, 2, move |x, y| if log { y.exp() * (y - x) } else if y == 0.0 { 0.0 } else { y * (y.ln() - x) }) }),
];

/// All of them, their mean, or their sum.
fn reduced(
    context: &Context<'_>,
    like: &Tensor,
    shape: &[usize],
    losses: Vec<f64>,
    (reduction, weight): (i64, f64),
) -> Result<ScriptValue, RunProblem> {
    let sum = || losses.iter().sum::<f64>();
    let one = match reduction {
        0 => return Ok(Tensor::of_floats(context.meter, like.dtype(), shape, losses)?.into()),
        1 => sum() / weight,
        2 => sum(),
        other => return refused(format!("{other} is not a valid value for reduction")),
    };
    Ok(Tensor::of_floats(context.meter, like.dtype(), &[], vec![one])?.into())
}

fn pairs(
    context: &Context<'_>,
    args: &Arguments<'_>,
    weight: Option<&Tensor>,
    reduction: usize,
    loss: impl Fn(f64, f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let (input, target) = (args.tensor(0)?, args.tensor(1)?);
    if !input.dtype().is_float() {
        return unsupported(format!("a loss of {input}"));
    }
    let shape = broadcast(input.shape(), target.shape())?;
    let (x, y) = (input.expand(&shape)?.floats(), target.expand(&shape)?.floats());
    let mut losses: Vec<f64> = x.into_iter().zip(y).map(|(x, y)| loss(x, y)).collect();
    if let Some(weight) = weight {
        let weights = weight.expand(&shape)?.floats();
        losses.iter_mut().zip(weights).for_each(|(loss, weight)| *loss *= weight);
    }
    let count = losses.len() as f64;
    reduced(context, input, &shape, losses, (args.int(reduction)?, count))
}

fn with_logits(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.tensor_or_none(3)?.is_some() {
        let given: Vec<ScriptValue> = (0..5).map(|at| args.value(at).clone()).collect();
        return (context.compose)(context, "weighted_logits", &given);
    }
    let loss = |x: f64, y: f64| (1.0 - y) * x + (-x.abs()).exp().ln_1p() + (-x).max(0.0);
    pairs(context, args, args.tensor_or_none(2)?, 4, loss)
}

/// The classes of an input and how many places each has: `[batch, classes, places...]` or `[classes]`.
fn classes(input: &Tensor) -> Result<(usize, usize, Vec<usize>), RunProblem> {
    match input.shape() {
        [classes] => Ok((*classes, 1, Vec::new())),
        [batch, classes, places @ ..] => {
            Ok((*classes, places.iter().product(), [&[*batch], places].concat()))
        }
        [] => refused("a loss of a scalar"),
    }
}

fn nll_loss(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (input, target) = (args.tensor(0)?, args.tensor(1)?);
    let (count, places, shape) = classes(input)?;
    if target.shape() != shape || !input.dtype().is_float() {
        return refused(format!("a target of the shape {shape:?} is wanted: {target}"));
    }
    let weights = match args.tensor_or_none(2)? {
        Some(weight) if weight.count() == count => weight.floats(),
        Some(weight) => return refused(format!("a weight for each of {count} classes: {weight}")),
        None => vec![1.0; count],
    };
    let (numbers, ignored) = (input.floats(), args.int(4)?);
    let (mut losses, mut total) = (Vec::new(), 0.0);
    for (at, class) in target.ints().into_iter().enumerate() {
        if class == ignored {
            losses.push(0.0);
            continue;
        }
        let Some(class) = usize::try_from(class).ok().filter(|class| *class < count) else {
            return refused(format!("Target {class} is out of bounds."));
        };
        let (batch, place) = (at / places.max(1), at % places.max(1));
        losses.push(-weights[class] * numbers[(batch * count + class) * places + place]);
        total += weights[class];
    }
    reduced(context, input, &shape, losses, (args.int(3)?, total))
}

fn cross_entropy(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (input, smoothing) = (args.tensor(0)?, args.float(5)?);
    let axis: i64 = if input.rank() == 1 { 0 } else { 1 };
    let logs = tensor(
        context,
        "aten::log_softmax",
        "int",
        &[input.clone().into(), axis.into(), ScriptValue::None],
    )?;
    if !args.tensor(1)?.dtype().is_integral() {
        return unsupported("cross_entropy_loss with probabilities as target");
    }
    let value = |at: usize| args.value(at).clone();
    let plain = call(
        context,
        "aten::nll_loss_nd",
        "",
        &[logs.clone().into(), value(1), value(2), value(3), value(4)],
    )?;
    if smoothing == 0.0 {
        return Ok(plain);
    }
    let ignores = args.tensor(1)?.ints().contains(&args.int(4)?);
    if args.tensor_or_none(2)?.is_some() || ignores || args.int(3)? != 1 {
        return unsupported("label_smoothing with weights, ignored classes or another reduction");
    }
    // The mean over all classes has the rest of the weight.
    let (count, _, shape) = classes(input)?;
    let every: f64 = -logs.floats().into_iter().sum::<f64>()
        / (count.max(1) * shape.iter().product::<usize>().max(1)) as f64;
    let Some(plain) = plain.tensor() else { return refused("no loss") };
    let mixed = (1.0 - smoothing) * plain.item()?.float() + smoothing * every;
    Ok(Tensor::of_floats(context.meter, input.dtype(), &[], vec![mixed])?.into())
}
