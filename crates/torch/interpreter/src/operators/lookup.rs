//! Rows of tables, places of elements, and how often each is there.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::index::true_places;
use crate::problem::{refused, unsupported};
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::nonzero(Tensor self) -> Tensor", nonzero),
    plain("aten::where(Tensor condition) -> Tensor[]", places_of_true),
    plain("aten::nonzero_numpy(Tensor self) -> Tensor[]", places_of_true),
    plain("aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", unique),
    plain("aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", |c, a| searched(c, a.tensor(0)?, a.tensor(1)?, a, 2)),
    plain("aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", |c, a| searched(c, a.tensor(1)?, a.tensor(0)?, a, 2)),
    plain("aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag),
    plain("aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag),
    plain("aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor", bincount),
    plain("aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", embedding),
    plain("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", one_hot),
];

fn nonzero(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    context.meter.room(&[tensor.count(), tensor.rank()])?;
    let places = true_places(tensor);
    let flat = places.iter().flatten().map(|at| *at as i64).collect();
    Ok(Tensor::of_ints(context.meter, Dtype::I64, &[places.len(), tensor.rank()], flat)?.into())
}

/// How often each integer is there, or the sum of its weights.
fn bincount(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
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

fn embedding(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (weight, indices) = (args.tensor(0)?, args.tensor(1)?);
    let [rows, width] = *weight.shape() else {
        return refused("'weight' must be 2-D");
    };
    let shape: Vec<usize> = indices.shape().iter().copied().chain([width]).collect();
    let result = Tensor::filled(context.meter, weight.dtype(), &shape, ScalarValue::Int(0))?;
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
fn places_of_true(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let places = nonzero(context, args)?;
    let Some(places) = places.tensor() else { return refused("no places") };
    let columns = (0..places.shape().get(1).copied().unwrap_or(0)).map(|at| places.select(1, at));
    Ok(super::shape::tensors(columns.collect::<Result<_, _>>()?))
}

/// Every element once, in order; where each is among them; how often.
fn unique(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let numbers = tensor.numbers();
    if tensor.dtype().is_complex() || numbers.iter().any(|number| number.float().is_nan()) {
        return unsupported("unique of complex numbers or of what is no number");
    }
    let order =
        |a: &ScalarValue, b: &ScalarValue| a.compare(*b).unwrap_or(std::cmp::Ordering::Equal);
    let mut sorted = numbers.clone();
    sorted.sort_by(order);
    let mut counts: Vec<i64> = Vec::new();
    let mut once: Vec<ScalarValue> = Vec::new();
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
    Ok(ScriptValue::tuple(vec![once.into(), inverse.into(), counts.into()]))
}

/// The elements of each row in the order that their places are given in.
fn sorted_by(
    context: &Context<'_>,
    tensor: &Tensor,
    places: &Tensor,
) -> Result<Tensor, RunProblem> {
    let axis = ScriptValue::from(-1_i64);
    let given = [tensor.clone().into(), axis, places.clone().into(), ScriptValue::from(false)];
    super::composed::tensor(context, "aten::gather", "", &given)
}

/// Where each number would be put into a sorted row, or into the row of its own.
fn searched(
    context: &Context<'_>,
    sorted: &Tensor,
    tensor: &Tensor,
    args: &Arguments<'_>,
    options: usize,
) -> Result<ScriptValue, RunProblem> {
    let right = args.boolean(options + 1)? || args.value(options + 2).text() == Some("right");
    let sorter = if args.len() > options + 3 { args.tensor_or_none(options + 3)? } else { None };
    let sorted = &match sorter {
        Some(sorter) => sorted_by(context, sorted, sorter)?,
        None => sorted.clone(),
    };
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
    let before = |own: &ScalarValue, wanted: &ScalarValue| match own.compare(*wanted) {
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
fn embedding_bag(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
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
    Ok(ScriptValue::tuple(vec![
        result.into(),
        ScriptValue::None,
        ScriptValue::None,
        ScriptValue::None,
    ]))
}

fn one_hot(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
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
