//! Writes to a view of a tensor, or to all of it, as copies with something else in them.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::index::{bounds, place, size_at};
use super::shape::diagonal_of;
use crate::problem::refused;
use crate::{RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor", copy),
    plain("aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", fill),
    plain("aten::fill.Tensor(Tensor self, Tensor value) -> Tensor", fill),
    plain("aten::zero(Tensor self) -> Tensor", zero),
    plain("aten::slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", slice_scatter),
    plain("aten::select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor", select_scatter),
    plain("aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", diagonal_scatter),
];

fn copy(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let new = args.tensor(0)?.copy()?;
    new.copy_from(args.tensor(1)?)?;
    Ok(new.into())
}

fn fill(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let new = args.tensor(0)?.copy()?;
    match args.value(1) {
        ScriptValue::Tensor(value) if value.rank() > 0 => {
            return refused("fill only supports 0-dimension value tensor");
        }
        ScriptValue::Tensor(value) => new.copy_from(value)?,
        _ => new.copy_from(&Tensor::scalar(context.meter, new.dtype(), args.number(1)?)?)?,
    }
    Ok(new.into())
}

fn zero(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let new = args.tensor(0)?.copy()?;
    new.copy_from(&Tensor::scalar(context.meter, new.dtype(), ScalarValue::Int(0))?)?;
    Ok(new.into())
}

/// A copy of a tensor with `src` in the place of a view of it.
fn with(
    args: &Arguments<'_>,
    view: impl FnOnce(&Tensor) -> Result<Tensor, RunProblem>,
) -> Result<ScriptValue, RunProblem> {
    let new = args.tensor(0)?.copy()?;
    let (part, src) = (view(&new)?, args.tensor(1)?);
    if part.shape() != src.shape() {
        return refused(format!(
            "expected src to have a size equal to the slice of self. src size = {:?}, slice size = {:?}",
            src.shape(),
            part.shape()
        ));
    }
    part.copy_from(src)?;
    Ok(new.into())
}

fn slice_scatter(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let Some(step) = usize::try_from(args.int(5)?).ok().filter(|step| *step > 0) else {
        return refused("slice step must be positive");
    };
    with(args, |new| {
        let axis = args.axis(2, new.rank())?;
        let (start, end) = bounds(args.int_or_none(3)?, args.int_or_none(4)?, size_at(new, axis));
        new.narrow(axis, start, (end - start).div_ceil(step), step)
    })
}

fn select_scatter(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    with(args, |new| {
        let axis = args.axis(2, new.rank())?;
        new.select(axis, place(args.int(3)?, size_at(new, axis))?)
    })
}

fn diagonal_scatter(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    with(args, |new| {
        let (a, b) = (args.axis(3, new.rank())?, args.axis(4, new.rank())?);
        diagonal_of(new, args.int(2)?, a, b)
    })
}
