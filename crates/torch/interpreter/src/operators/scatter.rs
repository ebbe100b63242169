//! Tensors of which parts are changed by index or by a mask.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain};
use super::index::{chosen, coordinates, ordinal, place, size_at};
use crate::problem::{refused, unsupported};
use crate::tensor::{Elements, broadcast};
use crate::{RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)", index_put_in_place),
    plain("aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", index_put),
    all("aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", index_add),
    all("aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", index_fill),
    all("aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", index_copy),
    all("aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", masked_fill),
    all("aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", masked_fill),
    plain("aten::masked_select(Tensor self, Tensor mask) -> Tensor", masked_select),
    all("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter),
    all("aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", scatter),
    all("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter_add),
];

fn put(context: &Context<'_>, target: &Tensor, args: &Arguments<'_>) -> Result<(), RunProblem> {
    let (places, shape) = chosen(context, target, &args.items(1)?)?;
    let values = args.tensor(2)?.expand(&shape)?.numbers();
    let mut numbers = target.numbers();
    for (at, value) in places.into_iter().zip(values) {
        if let Some(number) = numbers.get_mut(at) {
            *number = if args.boolean(3)? { sum(*number, value) } else { value };
        }
    }
    target.write(&Elements::of_numbers(target.dtype(), &numbers))
}

pub(super) fn sum(a: ScalarValue, b: ScalarValue) -> ScalarValue {
    match (a, b) {
        (ScalarValue::Complex(..), _) | (_, ScalarValue::Complex(..)) => {
            let (x, y) = (a.complex(), b.complex());
            ScalarValue::Complex(x.0 + y.0, x.1 + y.1)
        }
        (ScalarValue::Float(_), _) | (_, ScalarValue::Float(_)) => {
            ScalarValue::Float(a.float() + b.float())
        }
        _ => ScalarValue::Int(a.int().wrapping_add(b.int())),
    }
}

fn index_put_in_place(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let target = args.tensor(0)?;
    put(context, target, args)?;
    Ok(target.clone().into())
}

fn index_put(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let target = args.tensor(0)?.copy()?;
    put(context, &target, args)?;
    Ok(target.into())
}

/// Changes what an index chooses of a dimension of a copy.
fn at_index(
    args: &Arguments<'_>,
    change: impl Fn(&Tensor, usize) -> Result<(), RunProblem>,
) -> Result<ScriptValue, RunProblem> {
    let (target, index) = (args.tensor(0)?.copy()?, args.tensor(2)?);
    let axis = args.axis(1, target.rank())?;
    if index.rank() > 1 {
        return refused("Index is supposed to be a vector");
    }
    for (nth, at) in index.ints().into_iter().enumerate() {
        let at = place(at, size_at(&target, axis))?;
        let part = if target.rank() == 0 { target.clone() } else { target.select(axis, at)? };
        change(&part, nth)?;
    }
    Ok(target.into())
}

fn index_add(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (target, source, alpha) = (args.tensor(0)?, args.tensor(3)?, args.number(4)?);
    if target.dtype() != source.dtype() {
        return refused("index_add_(): self and source must have the same scalar type");
    }
    let axis = args.axis(1, target.rank())?;
    at_index(args, |part, nth| {
        let from = if source.rank() == 0 { source.clone() } else { source.select(axis, nth)? };
        let name = ScriptValue::from(alpha);
        let given = [ScriptValue::from(part.clone()), from.into(), name];
        let added = context.overload("aten::add", "Tensor");
        match added.map(|entry| entry.run(context, &given)).transpose()? {
            Some(ScriptValue::Tensor(added)) => part.copy_from(&added),
            _ => unsupported("index_add without add"),
        }
    })
}

fn index_fill(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let value = Tensor::scalar(context.meter, args.tensor(0)?.dtype(), args.number(3)?)?;
    at_index(args, |part, _| part.copy_from(&value))
}

fn index_copy(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let source = args.tensor(3)?;
    let axis = args.axis(1, args.tensor(0)?.rank())?;
    at_index(args, |part, nth| {
        if source.rank() == 0 {
            part.copy_from(source)
        } else {
            part.copy_from(&source.select(axis, nth)?)
        }
    })
}

fn masked_fill(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, mask) = (args.tensor(0)?, args.tensor(1)?);
    let value = match args.value(2) {
        ScriptValue::Tensor(value) if value.rank() > 0 => {
            return refused("masked_fill_ only supports a 0-dimensional value tensor");
        }
        ScriptValue::Tensor(value) => value.item()?,
        _ => args.number(2)?,
    };
    let shape = broadcast(tensor.shape(), mask.shape())?;
    let result = tensor.expand(&shape)?.copy()?;
    let mask = mask.expand(&shape)?.numbers();
    let numbers: Vec<ScalarValue> = result
        .numbers()
        .into_iter()
        .zip(mask)
        .map(|(number, masked)| if masked.is_true() { value } else { number })
        .collect();
    result.write(&Elements::of_numbers(result.dtype(), &numbers))?;
    Ok(result.into())
}

fn masked_select(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, mask) = (args.tensor(0)?, args.tensor(1)?);
    let shape = broadcast(tensor.shape(), mask.shape())?;
    let (numbers, mask) = (tensor.expand(&shape)?.numbers(), mask.expand(&shape)?.numbers());
    let kept: Vec<ScalarValue> =
        numbers.into_iter().zip(mask).filter(|(_, keep)| keep.is_true()).map(|(n, _)| n).collect();
    let elements = Elements::of_numbers(tensor.dtype(), &kept);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), &[kept.len()], &elements)?.into())
}

fn scatter(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    scattered(args, |_, new| new)
}

fn scatter_add(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    scattered(args, |old, new| match (old, new) {
        (ScalarValue::Int(a), b) => ScalarValue::Int(a.wrapping_add(b.int())),
        (ScalarValue::Bool(a), b) => ScalarValue::Bool(a || b.is_true()),
        (a, b) => sum(a, b),
    })
}

fn scattered(
    args: &Arguments<'_>,
    mix: impl Fn(ScalarValue, ScalarValue) -> ScalarValue,
) -> Result<ScriptValue, RunProblem> {
    let (target, index) = (args.tensor(0)?.copy()?, args.tensor(2)?);
    let axis = args.axis(1, target.rank())?;
    let mut numbers = target.numbers();
    let source = args.value(3).tensor();
    let from = source.map(Tensor::numbers);
    for (nth, at) in index.ints().into_iter().enumerate() {
        let own = coordinates(index.shape(), nth);
        let value = match (&from, source) {
            (Some(from), Some(source)) => from.get(ordinal(source.shape(), &own)).copied(),
            _ => Some(args.number(3)?),
        };
        let mut to = own;
        let at = place(at, size_at(&target, axis))?;
        if let Some(place) = to.get_mut(axis) {
            *place = at;
        }
        match (numbers.get_mut(ordinal(target.shape(), &to)), value) {
            (Some(place), Some(value)) => *place = mix(*place, value),
            _ => return refused(format!("Expected index {index} to be smaller than {target}")),
        }
    }
    target.write(&Elements::of_numbers(target.dtype(), &numbers))?;
    Ok(target.into())
}
