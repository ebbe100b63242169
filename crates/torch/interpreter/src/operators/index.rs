//! Parts of tensors, by index.

use super::Arguments;
use super::arguments::axis;
use super::form::{Context, Operator, all, plain};
use crate::problem::{refused, unsupported};
use crate::tensor::{Elements, broadcast, contiguous_strides};
use crate::{Dtype, Number, Problem, Tensor, Value};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::select.int(Tensor(a) self, int dim, int index) -> Tensor(a)", select),
    plain("aten::slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)", slice),
    plain("aten::narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)", narrow),
    plain("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", index_select),
    plain("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", gather),
    plain("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index),
    plain("aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", index),
    plain("aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)", index_put_in_place),
    plain("aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", index_put),
    all("aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", index_add),
    all("aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", index_fill),
    all("aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", index_copy),
    all("aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", masked_fill),
    all("aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", masked_fill),
    plain("aten::masked_select(Tensor self, Tensor mask) -> Tensor", masked_select),
    plain("aten::nonzero(Tensor self) -> Tensor", nonzero),
    plain("aten::where(Tensor condition) -> Tensor[]", places_of_true),
    plain("aten::nonzero_numpy(Tensor self) -> Tensor[]", places_of_true),
    plain("aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", unique),
    plain("aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", |c, a| searched(c, a.tensor(0)?, a.tensor(1)?, a, 2)),
    plain("aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", |c, a| searched(c, a.tensor(1)?, a.tensor(0)?, a, 2)),
    plain("aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag),
    plain("aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag),
    plain("aten::take(Tensor self, Tensor index) -> Tensor", take),
    all("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter),
    all("aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", scatter),
    all("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", scatter_add),
    plain("aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor", bincount),
    plain("aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", embedding),
    plain("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", one_hot),
];

/// An index of a dimension, from its end if it is negative.
pub(super) fn place(index: i64, size: usize) -> Result<usize, Problem> {
    let from_start = if index < 0 { index + size as i64 } else { index };
    match usize::try_from(from_start).ok().filter(|at| *at < size) {
        Some(at) => Ok(at),
        None => refused(format!("index {index} is out of bounds for dimension with size {size}")),
    }
}

pub(super) fn size_at(tensor: &Tensor, axis: usize) -> usize {
    tensor.shape().get(axis).copied().unwrap_or(1)
}

fn select(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
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

fn slice(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
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

fn narrow(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
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

fn index_select(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
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
    let result = Tensor::filled(context.meter, tensor.dtype(), &shape, Number::Int(0))?;
    for (at, from) in index.ints().into_iter().enumerate() {
        let from = place(from, size_at(tensor, axis))?;
        result.select(axis, at)?.copy_from(&tensor.select(axis, from)?)?;
    }
    Ok(result.into())
}

/// The position in each dimension of the `at`-th element of a shape.
fn coordinates(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut place = vec![0; shape.len()];
    for axis in (0..shape.len()).rev() {
        place[axis] = at % shape[axis].max(1);
        at /= shape[axis].max(1);
    }
    place
}

/// The number of an element in row-major order.
fn ordinal(shape: &[usize], place: &[usize]) -> usize {
    place.iter().zip(contiguous_strides(shape)).map(|(at, stride)| at * stride).sum()
}

fn gather(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (tensor, index) = (args.tensor(0)?, args.tensor(2)?);
    let axis = args.axis(1, tensor.rank())?;
    if tensor.rank().max(1) != index.rank().max(1) {
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
fn chosen(
    context: &Context<'_>,
    tensor: &Tensor,
    indices: &[Value],
) -> Result<(Vec<usize>, Vec<usize>), Problem> {
    // A mask is the positions of what is true in it.
    let mut lists: Vec<Option<(Vec<usize>, Vec<i64>)>> = Vec::new();
    for index in indices {
        match index {
            Value::Tensor(mask) if matches!(mask.dtype(), Dtype::Bool | Dtype::U8) => {
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
            Value::Tensor(index) => lists.push(Some((index.shape().to_vec(), index.ints()))),
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

fn true_places(mask: &Tensor) -> Vec<Vec<usize>> {
    let truths = mask.numbers().into_iter().enumerate();
    truths.filter(|(_, n)| n.is_true()).map(|(at, _)| coordinates(mask.shape(), at)).collect()
}

fn index(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let tensor = args.tensor(0)?;
    let (places, shape) = chosen(context, tensor, &args.items(1)?)?;
    let numbers = tensor.numbers();
    let found: Vec<Number> = places.iter().filter_map(|at| numbers.get(*at).copied()).collect();
    let elements = Elements::of_numbers(tensor.dtype(), &found);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), &shape, &elements)?.into())
}

fn put(context: &Context<'_>, target: &Tensor, args: &Arguments<'_>) -> Result<(), Problem> {
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

fn sum(a: Number, b: Number) -> Number {
    match (a, b) {
        (Number::Float(_), _) | (_, Number::Float(_)) => Number::Float(a.float() + b.float()),
        _ => Number::Int(a.int().wrapping_add(b.int())),
    }
}

fn index_put_in_place(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let target = args.tensor(0)?;
    put(context, target, args)?;
    Ok(target.clone().into())
}

fn index_put(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let target = args.tensor(0)?.copy()?;
    put(context, &target, args)?;
    Ok(target.into())
}

/// Changes what an index chooses of a dimension of a copy.
fn at_index(
    args: &Arguments<'_>,
    change: impl Fn(&Tensor, usize) -> Result<(), Problem>,
) -> Result<Value, Problem> {
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

fn index_add(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (target, source, alpha) = (args.tensor(0)?, args.tensor(3)?, args.number(4)?);
    if target.dtype() != source.dtype() {
        return refused("index_add_(): self and source must have the same scalar type");
    }
    let axis = args.axis(1, target.rank())?;
    at_index(args, |part, nth| {
        let from = if source.rank() == 0 { source.clone() } else { source.select(axis, nth)? };
        let name = Value::from(alpha);
        let given = [Value::from(part.clone()), from.into(), name];
        let added = context.overload("aten::add", "Tensor");
        match added.map(|entry| entry.run(context, &given)).transpose()? {
            Some(Value::Tensor(added)) => part.copy_from(&added),
            _ => unsupported("index_add without add"),
        }
    })
}

fn index_fill(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let value = Tensor::scalar(context.meter, args.tensor(0)?.dtype(), args.number(3)?)?;
    at_index(args, |part, _| part.copy_from(&value))
}

fn index_copy(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
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

fn masked_fill(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (tensor, mask) = (args.tensor(0)?, args.tensor(1)?);
    let value = match args.value(2) {
        Value::Tensor(value) if value.rank() > 0 => {
            return refused("masked_fill_ only supports a 0-dimensional value tensor");
        }
        Value::Tensor(value) => value.item()?,
        _ => args.number(2)?,
    };
    let shape = broadcast(tensor.shape(), mask.shape())?;
    let result = tensor.expand(&shape)?.copy()?;
    let mask = mask.expand(&shape)?.numbers();
    let numbers: Vec<Number> = result
        .numbers()
        .into_iter()
        .zip(mask)
        .map(|(number, masked)| if masked.is_true() { value } else { number })
        .collect();
    result.write(&Elements::of_numbers(result.dtype(), &numbers))?;
    Ok(result.into())
}

fn masked_select(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (tensor, mask) = (args.tensor(0)?, args.tensor(1)?);
    let shape = broadcast(tensor.shape(), mask.shape())?;
    let (numbers, mask) = (tensor.expand(&shape)?.numbers(), mask.expand(&shape)?.numbers());
    let kept: Vec<Number> =
        numbers.into_iter().zip(mask).filter(|(_, keep)| keep.is_true()).map(|(n, _)| n).collect();
    let elements = Elements::of_numbers(tensor.dtype(), &kept);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), &[kept.len()], &elements)?.into())
}

fn nonzero(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let tensor = args.tensor(0)?;
    context.meter.room(&[tensor.count(), tensor.rank()])?;
    let places = true_places(tensor);
    let flat = places.iter().flatten().map(|at| *at as i64).collect();
    Ok(Tensor::of_ints(context.meter, Dtype::I64, &[places.len(), tensor.rank()], flat)?.into())
}

fn take(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (tensor, index) = (args.tensor(0)?, args.tensor(1)?);
    let numbers = tensor.numbers();
    let mut found = Vec::new();
    for at in index.ints() {
        found.extend(numbers.get(place(at, numbers.len())?));
    }
    let elements = Elements::of_numbers(tensor.dtype(), &found);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), index.shape(), &elements)?.into())
}

fn scatter(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    scattered(args, |_, new| new)
}

fn scatter_add(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    scattered(args, |old, new| match (old, new) {
        (Number::Int(a), b) => Number::Int(a.wrapping_add(b.int())),
        (Number::Bool(a), b) => Number::Bool(a || b.is_true()),
        (a, b) => Number::Float(a.float() + b.float()),
    })
}

/// How often each integer is there, or the sum of its weights.
fn bincount(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (tensor, weights) = (args.tensor(0)?, args.tensor_or_none(1)?);
    let numbers = tensor.ints();
    if tensor.rank() != 1 || !tensor.dtype().is_integral() || numbers.iter().any(|n| *n < 0) {
        return refused("bincount only supports 1-d non-negative integral inputs.");
    }
    let largest = numbers.iter().copied().max().map_or(0, |largest| largest.saturating_add(1));
    let size = largest.max(args.int(2)?).max(0) as usize;
    context.meter.room(&[size])?;
    let Some(weights) = weights else {
        let mut counts = vec![0_i64; size];
        numbers.into_iter().for_each(|n| counts[n as usize] += 1);
        return Ok(Tensor::of_ints(context.meter, Dtype::I64, &[size], counts)?.into());
    };
    if weights.shape() != tensor.shape() {
        return refused("weights should be 1-d and have the same length as input");
    }
    let dtype = if weights.dtype() == Dtype::F32 { Dtype::F32 } else { Dtype::F64 };
    let mut sums = vec![0.0; size];
    numbers.into_iter().zip(weights.floats()).for_each(|(n, weight)| sums[n as usize] += weight);
    Ok(Tensor::of_floats(context.meter, dtype, &[size], sums)?.into())
}

fn scattered(
    args: &Arguments<'_>,
    mix: impl Fn(Number, Number) -> Number,
) -> Result<Value, Problem> {
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

fn embedding(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (weight, indices) = (args.tensor(0)?, args.tensor(1)?);
    let [rows, width] = *weight.shape() else {
        return refused("'weight' must be 2-D");
    };
    let shape: Vec<usize> = indices.shape().iter().copied().chain([width]).collect();
    let result = Tensor::filled(context.meter, weight.dtype(), &shape, Number::Int(0))?;
    let flat = result.reshape(&[indices.count(), width])?;
    for (nth, row) in indices.ints().into_iter().enumerate() {
        match usize::try_from(row).ok().filter(|row| *row < rows) {
            Some(row) => flat.select(0, nth)?.copy_from(&weight.select(0, row)?)?,
            None => return refused("index out of range in self"),
        }
    }
    Ok(result.into())
}

/// Where it is not zero: for each dimension the places along it.
fn places_of_true(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let places = nonzero(context, args)?;
    let Some(places) = places.tensor() else { return refused("no places") };
    let columns = (0..places.shape().get(1).copied().unwrap_or(0)).map(|at| places.select(1, at));
    Ok(super::shape::tensors(columns.collect::<Result<_, _>>()?))
}

/// Every element once, in order; where each is among them; how often.
fn unique(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let tensor = args.tensor(0)?;
    let numbers = tensor.numbers();
    if tensor.dtype().is_complex() || numbers.iter().any(|number| number.float().is_nan()) {
        return unsupported("unique of complex numbers or of what is no number");
    }
    let order = |a: &Number, b: &Number| a.compare(*b).unwrap_or(std::cmp::Ordering::Equal);
    let mut sorted = numbers.clone();
    sorted.sort_by(order);
    let mut counts: Vec<i64> = Vec::new();
    let mut once: Vec<Number> = Vec::new();
    for number in sorted {
        match once.last() {
            Some(last) if order(last, &number).is_eq() => {
                counts.last_mut().into_iter().for_each(|count| *count += 1);
            }
            _ => {
                once.push(number);
                counts.push(1);
            }
        }
    }
    let inverse: Vec<i64> = match args.boolean(2)? {
        true => {
            numbers.iter().map(|n| once.partition_point(|o| order(o, n).is_lt()) as i64).collect()
        }
        false => Vec::new(),
    };
    let (size, counts) = (once.len(), if args.boolean(3)? { counts } else { Vec::new() });
    let elements = Elements::of_numbers(tensor.dtype(), &once);
    let once = Tensor::from_elements(context.meter, tensor.dtype(), &[size], &elements)?;
    let shape = if inverse.is_empty() { &[0][..] } else { tensor.shape() };
    let inverse = Tensor::of_ints(context.meter, Dtype::I64, shape, inverse)?;
    let counts = Tensor::of_ints(context.meter, Dtype::I64, &[counts.len()], counts)?;
    Ok(Value::tuple(vec![once.into(), inverse.into(), counts.into()]))
}

/// Where each number would be put into a sorted row, or into the row of its own.
fn searched(
    context: &Context<'_>,
    sorted: &Tensor,
    tensor: &Tensor,
    args: &Arguments<'_>,
    options: usize,
) -> Result<Value, Problem> {
    let right = args.boolean(options + 1)? || args.value(options + 2).text() == Some("right");
    if args.tensor_or_none(options + 3)?.is_some() {
        return unsupported("searchsorted with a sorter");
    }
    let [outer @ .., size] = sorted.shape() else {
        return refused("boundaries tensor should have at least 1 dimension");
    };
    let row = if outer.is_empty() {
        tensor.count().max(1)
    } else if tensor.rank() == sorted.rank() && tensor.shape().starts_with(outer) {
        tensor.shape().last().copied().unwrap_or(1).max(1)
    } else {
        return refused(format!("searchsorted of {tensor} in {sorted}"));
    };
    let (rows, numbers) = (sorted.numbers(), tensor.numbers());
    let before = |own: &Number, wanted: &Number| match own.compare(*wanted) {
        Some(order) => {
            if right {
                order.is_le()
            } else {
                order.is_lt()
            }
        }
        None => wanted.float().is_nan(),
    };
    let places = numbers.iter().enumerate().map(|(at, wanted)| {
        let own = &rows[at / row * size..][..*size];
        own.partition_point(|own| before(own, wanted)) as i64
    });
    let dtype = if args.boolean(options)? { Dtype::I32 } else { Dtype::I64 };
    Ok(Tensor::of_ints(context.meter, dtype, tensor.shape(), places.collect())?.into())
}

/// The sum, the mean or the largest of some rows of a table, for each bag of indices. What training needs besides is
/// not there.
fn embedding_bag(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (weight, indices, offsets) =
        (args.tensor(0)?, args.tensor(1)?.ints(), args.tensor(2)?.ints());
    let [rows, width] = *weight.shape() else { return refused("'weight' must be 2-D") };
    let mode = args.int(4)?;
    let factors = args.tensor_or_none(6)?.map(Tensor::floats);
    let padding = if args.len() > 8 { args.int_or_none(8)? } else { None };
    let padding = padding.map(|at| if at < 0 { at + rows as i64 } else { at });
    let mut bounds = offsets;
    if !args.boolean(7)? {
        bounds.push(indices.len() as i64);
    }
    let bags = bounds.len().saturating_sub(1);
    context
        .meter
        .work(context.meter.room(&[bags, width])?.saturating_add(indices.len() * width))?;
    let table = weight.floats();
    let mut result = Vec::new();
    for bag in bounds.windows(2) {
        let range = usize::try_from(bag[0]).ok().zip(usize::try_from(bag[1]).ok());
        let Some(own) = range.and_then(|(start, end)| indices.get(start..end)) else {
            return refused(format!("a bag from {} to {} of {}", bag[0], bag[1], indices.len()));
        };
        let (mut sums, mut count) = (vec![0.0; width], 0.0);
        for (nth, row) in own.iter().enumerate() {
            let Some(at) = usize::try_from(*row).ok().filter(|row| *row < rows) else {
                return refused("index out of range in self");
            };
            if Some(*row) == padding {
                continue;
            }
            let factor =
                factors.as_ref().and_then(|all| all.get(bag[0] as usize + nth)).unwrap_or(&1.0);
            for (sum, number) in sums.iter_mut().zip(&table[at * width..(at + 1) * width]) {
                *sum = match mode {
                    2 if count > 0.0 => number.max(*sum),
                    2 => *number,
                    _ => *sum + number * factor,
                };
            }
            count += 1.0;
        }
        let divisor = if mode == 1 && count > 0.0 { count } else { 1.0 };
        result.extend(sums.into_iter().map(|sum| sum / divisor));
    }
    let result = Tensor::of_floats(context.meter, weight.dtype(), &[bags, width], result)?;
    Ok(Value::tuple(vec![result.into(), Value::None, Value::None, Value::None]))
}

fn one_hot(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (tensor, classes) = (args.tensor(0)?, args.int(1)?);
    let indexes = tensor.ints();
    let largest = indexes.iter().copied().max().unwrap_or(-1);
    let classes = if classes == -1 { largest + 1 } else { classes };
    if largest >= classes || indexes.iter().any(|index| *index < 0) {
        return refused("Class values must be smaller than num_classes.");
    }
    let shape: Vec<usize> = tensor.shape().iter().copied().chain([classes as usize]).collect();
    context.meter.room(&shape)?;
    let row = |index: i64| (0..classes).map(move |class| i64::from(class == index));
    let numbers = indexes.into_iter().flat_map(row).collect();
    Ok(Tensor::of_ints(context.meter, Dtype::I64, &shape, numbers)?.into())
}

/// A dimension and an index that `t[i]` means.
pub(crate) fn item(tensor: &Tensor, index: i64) -> Result<Tensor, Problem> {
    if tensor.rank() == 0 {
        return refused("invalid index of a 0-dim tensor.");
    }
    let axis = axis(0, tensor.rank())?;
    tensor.select(axis, place(index, size_at(tensor, axis))?)
}
