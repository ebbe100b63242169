//! Comparisons, and logic.

use std::cmp::Ordering;

use super::Arguments;
use super::arithmetic::common;
use super::declaration::{Context, Operator, all, plain, with_out};
use super::pointwise::aligned;
use crate::tensor::{Elements, broadcast};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::eq.Tensor(Tensor self, Tensor other) -> Tensor", eq),
    all("aten::eq.Scalar(Tensor self, Scalar other) -> Tensor", eq),
    all("aten::ne.Tensor(Tensor self, Tensor other) -> Tensor", ne),
    all("aten::ne.Scalar(Tensor self, Scalar other) -> Tensor", ne),
    all("aten::not_equal.Tensor(Tensor self, Tensor other) -> Tensor", ne),
    all("aten::not_equal.Scalar(Tensor self, Scalar other) -> Tensor", ne),
    all("aten::lt.Tensor(Tensor self, Tensor other) -> Tensor", lt),
    all("aten::lt.Scalar(Tensor self, Scalar other) -> Tensor", lt),
    all("aten::less.Tensor(Tensor self, Tensor other) -> Tensor", lt),
    all("aten::less.Scalar(Tensor self, Scalar other) -> Tensor", lt),
    all("aten::le.Tensor(Tensor self, Tensor other) -> Tensor", le),
    all("aten::le.Scalar(Tensor self, Scalar other) -> Tensor", le),
    all("aten::less_equal.Tensor(Tensor self, Tensor other) -> Tensor", le),
    all("aten::less_equal.Scalar(Tensor self, Scalar other) -> Tensor", le),
    all("aten::gt.Tensor(Tensor self, Tensor other) -> Tensor", gt),
    all("aten::gt.Scalar(Tensor self, Scalar other) -> Tensor", gt),
    all("aten::greater.Tensor(Tensor self, Tensor other) -> Tensor", gt),
    all("aten::greater.Scalar(Tensor self, Scalar other) -> Tensor", gt),
    all("aten::ge.Tensor(Tensor self, Tensor other) -> Tensor", ge),
    all("aten::ge.Scalar(Tensor self, Scalar other) -> Tensor", ge),
    all("aten::greater_equal.Tensor(Tensor self, Tensor other) -> Tensor", ge),
    all("aten::greater_equal.Scalar(Tensor self, Scalar other) -> Tensor", ge),
    all("aten::logical_and(Tensor self, Tensor other) -> Tensor", |c, a| logical(c, a, |a, b| a && b)),
    all("aten::logical_or(Tensor self, Tensor other) -> Tensor", |c, a| logical(c, a, |a, b| a || b)),
    all("aten::logical_xor(Tensor self, Tensor other) -> Tensor", |c, a| logical(c, a, |a, b| a != b)),
    all("aten::logical_not(Tensor self) -> Tensor", logical_not),
    plain("aten::isnan(Tensor self) -> Tensor", |c, a| test(c, a, f64::is_nan)),
    plain("aten::isinf(Tensor self) -> Tensor", |c, a| test(c, a, f64::is_infinite)),
    plain("aten::isfinite(Tensor self) -> Tensor", |c, a| test(c, a, f64::is_finite)),
    plain("aten::equal(Tensor self, Tensor other) -> bool", equal),
    plain("aten::allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool", allclose),
    plain("aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor", isclose),
    with_out("aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", choose),
    plain("aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", choose),
    plain("aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", choose),
    plain("aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", choose),
];

/// The type of what a comparison gives.
fn truth(context: &Context<'_>) -> Dtype {
    if context.semantics.has("comparisons-give-bytes") { Dtype::U8 } else { Dtype::Bool }
}

fn compare(
    context: &Context<'_>,
    args: &Arguments<'_>,
    holds: fn(Option<Ordering>) -> bool,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    let (shape, a, b) = aligned(a, b, common(a, b))?;
    let number = |elements: &Elements, at| elements.get(at).unwrap_or(ScalarValue::Int(0));
    let count = a.len();
    let truths = (0..count).map(|at| holds(number(&a, at).compare(number(&b, at))).into());
    Ok(Tensor::of_ints(context.meter, truth(context), &shape, truths.collect())?.into())
}

fn eq(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    compare(context, args, |order| order == Some(Ordering::Equal))
}

fn ne(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    compare(context, args, |order| order != Some(Ordering::Equal))
}

fn lt(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    compare(context, args, |order| order == Some(Ordering::Less))
}

fn le(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    compare(context, args, |order| matches!(order, Some(Ordering::Less | Ordering::Equal)))
}

fn gt(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    compare(context, args, |order| order == Some(Ordering::Greater))
}

fn ge(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    compare(context, args, |order| matches!(order, Some(Ordering::Greater | Ordering::Equal)))
}

fn logical(
    context: &Context<'_>,
    args: &Arguments<'_>,
    holds: fn(bool, bool) -> bool,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let shape = broadcast(a.shape(), b.shape())?;
    let (a, b) = (a.expand(&shape)?.numbers(), b.expand(&shape)?.numbers());
    let truths = a.iter().zip(&b).map(|(a, b)| holds(a.is_true(), b.is_true()).into()).collect();
    Ok(Tensor::of_ints(context.meter, Dtype::Bool, &shape, truths)?.into())
}

fn logical_not(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let truths = tensor.numbers().iter().map(|number| i64::from(!number.is_true())).collect();
    Ok(Tensor::of_ints(context.meter, Dtype::Bool, tensor.shape(), truths)?.into())
}

fn test(
    context: &Context<'_>,
    args: &Arguments<'_>,
    holds: fn(f64) -> bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let truths = tensor.floats().into_iter().map(|number| holds(number).into()).collect();
    Ok(Tensor::of_ints(context.meter, truth(context), tensor.shape(), truths)?.into())
}

fn equal(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let same = a.shape() == b.shape() && a.elements() == b.elements();
    Ok(same.into())
}

fn close(args: &Arguments<'_>) -> Result<(Vec<usize>, Vec<bool>), RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let (relative, absolute) = (args.float(2)?, args.float(3)?);
    let nan_too = args.boolean(4)?;
    let shape = broadcast(a.shape(), b.shape())?;
    let (a, b) = (a.expand(&shape)?.floats(), b.expand(&shape)?.floats());
    let near = |(a, b): (&f64, &f64)| {
        a == b
            || (nan_too && a.is_nan() && b.is_nan())
            || (a.is_finite() && (a - b).abs() <= absolute + relative * b.abs())
    };
    Ok((shape, a.iter().zip(&b).map(near).collect()))
}

fn allclose(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(close(args)?.1.into_iter().all(|near| near).into())
}

fn isclose(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (shape, near) = close(args)?;
    let near = near.into_iter().map(i64::from).collect();
    Ok(Tensor::of_ints(context.meter, Dtype::Bool, &shape, near)?.into())
}

fn choose(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(1), args.value(2));
    let dtype = common(a, b);
    let condition = args.tensor(0)?;
    let (shape, _, _) = aligned(a, b, dtype)?;
    let shape = broadcast(condition.shape(), &shape)?;
    let condition = condition.expand(&shape)?.numbers();
    let all = |value: &ScriptValue| -> Result<Vec<ScalarValue>, RunProblem> {
        let tensor = match value {
            ScriptValue::Tensor(tensor) => tensor.to_dtype(dtype)?,
            other => {
                let number = other.number().unwrap_or(ScalarValue::Int(0));
                Tensor::scalar(context.meter, dtype, number)?
            }
        };
        Ok(tensor.expand(&shape)?.numbers())
    };
    let (a, b) = (all(a)?, all(b)?);
    let chosen: Vec<ScalarValue> = condition
        .iter()
        .zip(a.into_iter().zip(b))
        .map(|(yes, (a, b))| if yes.is_true() { a } else { b })
        .collect();
    let elements = Elements::of_numbers(dtype, &chosen);
    Ok(Tensor::from_elements(context.meter, dtype, &shape, &elements)?.into())
}
