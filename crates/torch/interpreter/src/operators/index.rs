//! Parts of tensors, by index.

use super::Arguments;
use super::arguments::axis;
use super::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::tensor::{Elements, broadcast, contiguous_strides};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::select.int(Tensor(a) self, int dim, int index) -> Tensor(a)", select),
    plain("aten::slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)", slice),
    plain("aten::narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)", narrow),
    plain("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", index_select),
    plain("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", gather),
    plain("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index),
    plain("aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index),
    plain("aten::take(Tensor self, Tensor index) -> Tensor", take),
];

/// An index of a dimension, from its end if it is negative.
pub(super) fn place(index: i64, size: usize) -> Result<usize, RunProblem> {
    let from_start = if index < 0 { index + size as i64 } else { index };
    match usize::try_from(from_start).ok().filter(|at| *at < size) {
        Some(at) => Ok(at),
        None => refused(format!("index {index} is out of bounds for dimension with size {size}")),
    }
}

pub(super) fn size_at(tensor: &Tensor, axis: usize) -> usize {
    tensor.shape().get(axis).copied().unwrap_or(1)
}

fn select(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if tensor.rank() == 0 {
        return refused("select() cannot be applied to a 0-dim tensor.");
    }
    let axis = args.axis(1, tensor.rank())?;
    Ok(tensor.select(axis, place(args.int(2)?, size_at(tensor, axis))?)?.into())
}

/// The bounds of a slice, as Python has them.
pub(super) fn bounds(start: Option<i64>, end: Option<i64>, size: usize) -> (usize, usize) {
    let clamp = |at: i64| {
        let at = if at < 0 { at.saturating_add(size as i64) } else { at };
        at.clamp(0, size as i64) as usize
    };
    let start = clamp(start.unwrap_or(0));
    (start, clamp(end.unwrap_or(i64::MAX)).max(start))
}

fn slice(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if tensor.rank() == 0 {
        return refused("slice() cannot be applied to a 0-dim tensor.");
    }
    let axis = args.axis(1, tensor.rank())?;
    let step = args.int(4)?;
    let Some(step) = usize::try_from(step).ok().filter(|step| *step > 0) else {
        return refused("slice step must be positive");
    };
    let (start, end) = bounds(args.int_or_none(2)?, args.int_or_none(3)?, size_at(tensor, axis));
    Ok(tensor.narrow(axis, start, (end - start).div_ceil(step), step)?.into())
}

fn narrow(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let size = size_at(tensor, axis) as i64;
    let (start, length) = (args.int(2)?, args.int(3)?);
    let from = if start < 0 { start + size } else { start };
    if length < 0 || from < 0 || from.checked_add(length).is_none_or(|end| end > size) {
        return refused(format!(
            "start ({start}) + length ({length}) exceeds dimension size ({size})."
        ));
    }
    Ok(tensor.narrow(axis, from as usize, length as usize, 1)?.into())
}

fn index_select(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, index) = (args.tensor(0)?, args.tensor(2)?);
    if index.rank() > 1 {
        return refused("index_select(): Index is supposed to be a vector");
    }
    if tensor.rank() == 0 {
        return Ok(tensor.copy()?.into());
    }
    let axis = args.axis(1, tensor.rank())?;
    let mut shape = tensor.shape().to_vec();
    shape[axis] = index.count();
    let result = Tensor::filled(context.meter, tensor.dtype(), &shape, ScalarValue::Int(0))?;
    for (at, from) in index.ints().into_iter().enumerate() {
        let from = place(from, size_at(tensor, axis))?;
        result.select(axis, at)?.copy_from(&tensor.select(axis, from)?)?;
    }
    Ok(result.into())
}

/// The position in each dimension of the `at`-th element of a shape.
pub(super) fn coordinates(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut place = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        place[axis] = at % shape[axis].max(1);
        at /= shape[axis].max(1);
    }
    place
}

/// The number of an element in row-major order.
pub(super) fn ordinal(shape: &[usize], place: &[usize]) -> usize {
    place.iter().zip(contiguous_strides(shape)).map(|(at, stride)| at * stride).sum()
}

fn gather(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, index) = (args.tensor(0)?, args.tensor(2)?);
    let axis = args.axis(1, tensor.rank())?;
    if tensor.rank().max(1) != index.rank().max(1) && index.count() > 0 {
        return refused("Index tensor must have the same number of dimensions as input tensor");
    }
    context.meter.room(index.shape())?;
    let numbers = tensor.numbers();
    let mut found = Vec::with_capacity(index.count());
    for (nth, at) in index.ints().into_iter().enumerate() {
        let mut from = coordinates(index.shape(), nth);
        let at = place(at, size_at(tensor, axis))?;
        if let Some(place) = from.get_mut(axis) {
            *place = at;
        }
        match numbers.get(ordinal(tensor.shape(), &from)) {
            Some(number) => found.push(*number),
            None => return refused(format!("Size does not match: {index} of {tensor}")),
        }
    }
    let elements = Elements::of_numbers(tensor.dtype(), &found);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), index.shape(), &elements)?.into())
}

/// Where the elements lie that indexes of dimensions choose, and the shape that they have.
pub(super) fn chosen(
    context: &Context<'_>,
    tensor: &Tensor,
    indices: &[ScriptValue],
) -> Result<(Vec<usize>, Vec<usize>), RunProblem> {
    // A mask is the positions of what is true in it.
    let mut lists: Vec<Option<(Vec<usize>, Vec<i64>)>> = Vec::new();
    for index in indices {
        match index {
            ScriptValue::Tensor(mask) if matches!(mask.dtype(), Dtype::Bool | Dtype::U8) => {
                context.meter.room(&[mask.count(), mask.rank()])?;
                let places = true_places(mask);
                for axis in 0..mask.rank() {
                    if mask.shape()[axis] != size_at(tensor, lists.len()) {
                        return refused(format!(
                            "The shape of the mask {mask} does not match {tensor}"
                        ));
                    }
                    let column = places.iter().map(|place| place[axis] as i64).collect();
                    lists.push(Some((vec![places.len()], column)));
                }
            }
            ScriptValue::Tensor(index) => lists.push(Some((index.shape().to_vec(), index.ints()))),
            _ => lists.push(None),
        }
    }
    lists.resize(lists.len().max(tensor.rank()), None);
    if lists.len() > tensor.rank() {
        return refused(format!("too many indices for {tensor}"));
    }
    let mut common = Vec::new();
    for (shape, _) in lists.iter().flatten() {
        common = broadcast(&common, shape)?;
    }
    let indexed: Vec<usize> = (0..lists.len()).filter(|axis| lists[*axis].is_some()).collect();
    // The result has them where they stand together, else first.
    let together = indexed.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let first = if together { indexed.first().copied().unwrap_or(0) } else { 0 };
    let free: Vec<usize> = (0..lists.len()).filter(|axis| lists[*axis].is_none()).collect();
    let mut shape: Vec<usize> = free.iter().map(|axis| tensor.shape()[*axis]).collect();
    let insert = free.iter().filter(|axis| **axis < first).count();
    shape.splice(insert..insert, common.iter().copied());

    let count = context.meter.room(&shape)?;
    let mut places = Vec::new();
    for nth in 0..count {
        let at = coordinates(&shape, nth);
        let within = &at[insert..insert + common.len()];
        let mut source = vec![0; tensor.rank()];
        for (free_nth, axis) in free.iter().enumerate() {
            let shift = if free_nth < insert { 0 } else { common.len() };
            source[*axis] = at[free_nth + shift];
        }
        for axis in &indexed {
            let Some((shape, list)) = &lists[*axis] else { continue };
            let own: Vec<usize> = within[common.len() - shape.len()..]
                .iter()
                .zip(shape)
                .map(|(at, size)| if *size == 1 { 0 } else { *at })
                .collect();
            let index = list.get(ordinal(shape, &own)).copied().unwrap_or(0);
            source[*axis] = place(index, tensor.shape()[*axis])?;
        }
        places.push(ordinal(tensor.shape(), &source));
    }
    Ok((places, shape))
}

pub(super) fn true_places(mask: &Tensor) -> Vec<Vec<usize>> {
    let truths = mask.numbers().into_iter().enumerate();
    truths.filter(|(_, n)| n.is_true()).map(|(at, _)| coordinates(mask.shape(), at)).collect()
}

fn index(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (places, shape) = chosen(context, tensor, &args.items(1)?)?;
    let numbers = tensor.numbers();
    let found: Vec<ScalarValue> =
        places.iter().filter_map(|at| numbers.get(*at).copied()).collect();
    let elements = Elements::of_numbers(tensor.dtype(), &found);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), &shape, &elements)?.into())
}

fn take(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, index) = (args.tensor(0)?, args.tensor(1)?);
    let numbers = tensor.numbers();
    let mut found = Vec::new();
    for at in index.ints() {
        found.extend(numbers.get(place(at, numbers.len())?));
    }
    let elements = Elements::of_numbers(tensor.dtype(), &found);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), index.shape(), &elements)?.into())
}

/// A dimension and an index that `t[i]` means.
pub(crate) fn item(tensor: &Tensor, index: i64) -> Result<Tensor, RunProblem> {
    if tensor.rank() == 0 {
        return refused("invalid index of a 0-dim tensor.");
    }
    let axis = axis(0, tensor.rank())?;
    tensor.select(axis, place(index, size_at(tensor, axis))?)
}
