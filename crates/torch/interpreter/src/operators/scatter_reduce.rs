//! Numbers that are gathered at places of a tensor: products, means, extremes.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain};
use super::index::{coordinates, ordinal, place, size_at};
use super::scatter::sum;
use crate::problem::{refused, unsupported};
use crate::tensor::{Elements, cast};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor", |_, a| scatter(a, a.text(4)?, a.boolean(5)?)),
    all("aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", |_, a| scatter(a, a.text(4)?, true)),
    all("aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", |_, a| scatter(a, a.text(4)?, true)),
    all("aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor", index_reduce),
    all("aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", put),
    all("aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", masked_scatter),
    plain("aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor", segments),
];

/// How numbers that fall on one place become one.
#[derive(Clone, Copy, PartialEq)]
enum Mix {
    Sum,
    Product,
    Mean,
    Least,
    Greatest,
}

impl Mix {
    fn named(name: &str) -> Result<Self, RunProblem> {
        Ok(match name {
            "sum" | "add" => Self::Sum,
            "prod" | "multiply" => Self::Product,
            "mean" => Self::Mean,
            "amin" | "min" => Self::Least,
            "amax" | "max" => Self::Greatest,
            other => {
                return refused(format!(
                    "reduce argument must be either sum, prod, mean, amax or amin, got {other}"
                ));
            }
        })
    }

    fn combine(self, a: ScalarValue, b: ScalarValue) -> ScalarValue {
        match self {
            Self::Sum | Self::Mean => match (a, b) {
                (ScalarValue::Bool(a), b) => ScalarValue::Bool(a || b.is_true()),
                _ => sum(a, b),
            },
            Self::Product => match (a, b) {
                (ScalarValue::Complex(..), _) => {
                    let ((p, q), (r, s)) = (a.complex(), b.complex());
                    ScalarValue::Complex(p * r - q * s, p * s + q * r)
                }
                (ScalarValue::Float(a), b) => ScalarValue::Float(a * b.float()),
                (ScalarValue::Bool(a), b) => ScalarValue::Bool(a && b.is_true()),
                _ => ScalarValue::Int(a.int().wrapping_mul(b.int())),
            },
            Self::Least | Self::Greatest => match b.compare(a) {
                None if a.float().is_nan() => a,
                None => b,
                Some(order) if order.is_gt() == (self == Self::Greatest) && order.is_ne() => b,
                Some(_) => a,
            },
        }
    }
}

/// Numbers gathered at their places, and how many fell on each.
struct ScatteredNumbers {
    numbers: Vec<ScalarValue>,
    counts: Vec<i64>,
    mix: Mix,
    /// Whether what stood there before counts.
    with_own: bool,
}

impl ScatteredNumbers {
    fn new(target: &Tensor, mix: Mix, with_own: bool) -> Self {
        let numbers = target.numbers();
        let counts = vec![i64::from(with_own); numbers.len()];
        Self { numbers, counts, mix, with_own }
    }

    fn add(&mut self, at: usize, value: ScalarValue) -> Result<(), RunProblem> {
        let (Some(own), Some(count)) = (self.numbers.get_mut(at), self.counts.get_mut(at)) else {
            return refused("an index is out of bounds");
        };
        let is_first = *count == 0 && !self.with_own;
        *own = if is_first { value } else { self.mix.combine(*own, value) };
        *count += 1;
        Ok(())
    }

    fn finish(mut self, dtype: Dtype) -> Elements {
        if self.mix == Mix::Mean {
            for (number, count) in self.numbers.iter_mut().zip(&self.counts) {
                let count = (*count).max(1);
                *number = match *number {
                    ScalarValue::Float(sum) => ScalarValue::Float(sum / count as f64),
                    // Integers are rounded down.
                    other => ScalarValue::Int(other.int().div_euclid(count)),
                };
            }
        }
        Elements::of_numbers(dtype, &self.numbers)
    }
}

fn scatter(args: &Arguments<'_>, mix: &str, with_own: bool) -> Result<ScriptValue, RunProblem> {
    let (target, index) = (args.tensor(0)?.copy()?, args.tensor(2)?);
    let axis = args.axis(1, target.rank())?;
    let source = args.value(3).tensor();
    let from = source.map(Tensor::numbers);
    let mut gathered = ScatteredNumbers::new(&target, Mix::named(mix)?, with_own);
    for (nth, at) in index.ints().into_iter().enumerate() {
        let own = coordinates(index.shape(), nth);
        let value = match (&from, source) {
            (Some(from), Some(source)) => from.get(ordinal(source.shape(), &own)).copied(),
            _ => Some(cast(target.dtype(), args.number(3)?)),
        };
        let mut to = own;
        let at = place(at, size_at(&target, axis))?;
        if let Some(place) = to.get_mut(axis) {
            *place = at;
        }
        match value {
            Some(value) => gathered.add(ordinal(target.shape(), &to), value)?,
            None => {
                return refused(format!("Expected index {index} to be smaller than its source"));
            }
        }
    }
    target.write(&gathered.finish(target.dtype()))?;
    Ok(target.into())
}

fn index_reduce(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (target, index, source) = (args.tensor(0)?.copy()?, args.tensor(2)?, args.tensor(3)?);
    let axis = args.axis(1, target.rank())?;
    if target.dtype() != source.dtype() {
        return refused("index_reduce(): self and source must have the same scalar type");
    }
    let mut gathered = ScatteredNumbers::new(&target, Mix::named(args.text(4)?)?, args.boolean(5)?);
    let places = index.ints();
    for (nth, value) in source.numbers().into_iter().enumerate() {
        let mut to = coordinates(source.shape(), nth);
        let own = to.get(axis).copied().unwrap_or(0);
        let Some(at) = places.get(own) else { return refused("fewer indexes than slices") };
        let at = place(*at, size_at(&target, axis))?;
        if let Some(place) = to.get_mut(axis) {
            *place = at;
        }
        gathered.add(ordinal(target.shape(), &to), value)?;
    }
    target.write(&gathered.finish(target.dtype()))?;
    Ok(target.into())
}

fn put(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (target, index, source) = (args.tensor(0)?.copy()?, args.tensor(1)?, args.tensor(2)?);
    if target.dtype() != source.dtype() || index.count() != source.count() {
        return refused("put_(): self and source expected to have the same dtype and size");
    }
    let mut numbers = target.numbers();
    for (at, value) in index.ints().into_iter().zip(source.numbers()) {
        let at = place(at, numbers.len())?;
        if let Some(own) = numbers.get_mut(at) {
            *own = if args.boolean(3)? { Mix::Sum.combine(*own, value) } else { value };
        }
    }
    target.write(&Elements::of_numbers(target.dtype(), &numbers))?;
    Ok(target.into())
}

fn masked_scatter(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, mask, source) = (args.tensor(0)?, args.tensor(1)?, args.tensor(2)?);
    let shape = crate::tensor::broadcast(tensor.shape(), mask.shape())?;
    let target = tensor.expand(&shape)?.copy()?;
    let mut numbers = target.numbers();
    let mut values = source.numbers().into_iter();
    for (own, masked) in numbers.iter_mut().zip(mask.expand(&shape)?.numbers()) {
        if masked.is_true() {
            let Some(value) = values.next() else {
                return refused(
                    "masked_scatter: expected source to have more elements than the mask has ones",
                );
            };
            *own = value;
        }
    }
    target.write(&Elements::of_numbers(target.dtype(), &numbers))?;
    Ok(target.into())
}

/// Runs of a dimension, each of its own length, become one number each.
fn segments(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (data, mix) = (args.tensor(0)?, Mix::named(args.text(1)?)?);
    let axis = args.axis(5, data.rank())?;
    let lengths = match (args.tensor_or_none(2)?, args.tensor_or_none(4)?) {
        (Some(lengths), _) => lengths.clone(),
        (None, Some(offsets)) => {
            let ints = offsets.ints();
            let size = offsets.shape().last().copied().unwrap_or(0).max(1);
            let steps = ints.chunks(size).flat_map(|run| {
                run.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect::<Vec<_>>()
            });
            let mut shape = offsets.shape().to_vec();
            if let Some(last) = shape.last_mut() {
                *last = last.saturating_sub(1);
            }
            Tensor::of_ints(context.meter, Dtype::I64, &shape, steps.collect())?
        }
        _ => return refused("segment_reduce(): Either lengths or offsets must be defined."),
    };
    if !data.dtype().is_float() || lengths.rank() != axis + 1 {
        return unsupported(format!("segment_reduce of {data} by lengths {lengths}"));
    }
    let initial = args.number_or_none(7)?.map(ScalarValue::float);
    let (all, numbers) = (lengths.ints(), data.floats());
    let count = lengths.shape().last().copied().unwrap_or(0);
    let inner: usize = data.shape().get(axis + 1..).unwrap_or(&[]).iter().product();
    let size = size_at(data, axis);
    let mut results = Vec::new();
    for (outer, run) in all.chunks(count.max(1)).enumerate() {
        let mut start = 0;
        for length in run {
            let Ok(length) = usize::try_from(*length) else {
                return refused("lengths contains negative value!");
            };
            for at in 0..inner {
                let value = |row: usize| numbers.get((outer * size + row) * inner + at).copied();
                let own = (start..start + length).map_while(value);
                results.push(segment(mix, own, length, initial));
            }
            start += length;
        }
    }
    let mut shape = data.shape().to_vec();
    if let Some(own) = shape.get_mut(axis) {
        *own = count;
    }
    Ok(Tensor::of_floats(context.meter, data.dtype(), &shape, results)?.into())
}

fn segment(mix: Mix, run: impl Iterator<Item = f64>, length: usize, initial: Option<f64>) -> f64 {
    let first = initial.unwrap_or(match mix {
        Mix::Sum | Mix::Mean => 0.0,
        Mix::Product => 1.0,
        Mix::Least => f64::INFINITY,
        Mix::Greatest => f64::NEG_INFINITY,
    });
    let of = |a: f64, b: f64| mix.combine(ScalarValue::Float(a), ScalarValue::Float(b)).float();
    let result = run.fold(first, of);
    match mix {
        Mix::Mean if length == 0 && initial.is_none() => f64::NAN,
        Mix::Mean if length > 0 => result / length as f64,
        _ => result,
    }
}
