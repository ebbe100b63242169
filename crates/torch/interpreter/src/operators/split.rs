//! Tensors cut into parts, which are views.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::shape::tensors;
use crate::problem::refused;
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::split.Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]", split),
    plain("aten::split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]", split_with_sizes),
    plain("aten::split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]", split_with_sizes),
    plain("aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", chunk),
    plain("aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", chunk),
    plain("aten::unsafe_split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]", split),
    plain("aten::unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", split_with_sizes),
    plain("aten::tensor_split.sections(Tensor(a -> *) self, int sections, int dim=0) -> Tensor(a)[]", tensor_split),
    plain("aten::tensor_split.indices(Tensor(a -> *) self, int[] indices, int dim=0) -> Tensor(a)[]", tensor_split_at),
    plain("aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", |c, a| n_split(c, a, 1)),
    plain("aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", |c, a| n_split(c, a, 0)),
    plain("aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", |c, a| n_split_at(c, a, 1)),
    plain("aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", |c, a| n_split_at(c, a, 0)),
    plain("aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", unbind),
];

/// Parts of a dimension, each from one of these starts to the next.
fn cut(tensor: &Tensor, axis: usize, bounds: &[usize]) -> Result<ScriptValue, RunProblem> {
    let part = |pair: &[usize]| {
        let (start, end) = (pair[0], pair[1].max(pair[0]));
        tensor.narrow(axis, start, end - start, 1)
    };
    Ok(tensors(bounds.windows(2).map(part).collect::<Result<_, _>>()?))
}

fn size_of(tensor: &Tensor, axis: usize) -> Result<usize, RunProblem> {
    match tensor.shape().get(axis) {
        Some(size) => Ok(*size),
        None => refused("split expects at least a 1-dimensional tensor"),
    }
}

fn split(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(2, tensor.rank())?;
    split_every(context, tensor, axis, args.int(1)?)
}

fn split_every(
    context: &Context<'_>,
    tensor: &Tensor,
    axis: usize,
    every: i64,
) -> Result<ScriptValue, RunProblem> {
    let size = size_of(tensor, axis)?;
    let every = match usize::try_from(every) {
        Ok(0) if size == 0 => return Ok(tensors(vec![tensor.clone()])),
        Ok(every) if every > 0 => every,
        _ => return refused(format!("split_size must be positive: {every}")),
    };
    context.meter.step(size as u64 / every as u64 * 4)?;
    let mut bounds: Vec<usize> = (0..size.max(1)).step_by(every).collect();
    bounds.push(size);
    cut(tensor, axis, &bounds)
}

fn split_with_sizes(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, sizes) = (args.tensor(0)?, args.sizes(1)?);
    let axis = args.axis(2, tensor.rank())?;
    let mut bounds = vec![0];
    for size in &sizes {
        bounds.push(bounds.last().copied().unwrap_or(0_usize).saturating_add(*size));
    }
    if bounds.last().copied() != Some(size_of(tensor, axis)?) {
        return refused(format!(
            "split_with_sizes expects split_sizes to sum exactly to the size: {sizes:?}"
        ));
    }
    cut(tensor, axis, &bounds)
}

fn chunk(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, chunks) = (args.tensor(0)?, args.int(1)?);
    let axis = args.axis(2, tensor.rank())?;
    let size = size_of(tensor, axis)? as i64;
    if chunks < 1 {
        return refused(format!("chunk expects `chunks` to be greater than 0, got: {chunks}"));
    }
    split_every(context, tensor, axis, (size + chunks - 1).max(1) / chunks.max(1))
}

fn sections(
    context: &Context<'_>,
    tensor: &Tensor,
    axis: usize,
    sections: i64,
) -> Result<ScriptValue, RunProblem> {
    let size = size_of(tensor, axis)?;
    let Some(count) = usize::try_from(sections).ok().filter(|count| *count > 0) else {
        return refused(format!("number of sections must be larger than 0, got {sections}"));
    };
    context.meter.step((count as u64).saturating_mul(4))?;
    // The first ones are longer by one.
    let bound = |at: usize| at * (size / count) + at.min(size % count);
    cut(tensor, axis, &(0..=count).map(bound).collect::<Vec<_>>())
}

fn tensor_split(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    sections(context, tensor, args.axis(2, tensor.rank())?, args.int(1)?)
}

fn split_at(tensor: &Tensor, axis: usize, indices: &[i64]) -> Result<ScriptValue, RunProblem> {
    let size = size_of(tensor, axis)?;
    let clamped = |index: &i64| {
        let index = if *index < 0 { index + size as i64 } else { *index };
        (index.max(0) as usize).min(size)
    };
    let inner = indices.iter().map(clamped);
    let bounds: Vec<usize> = [0].into_iter().chain(inner).chain([size]).collect();
    cut(tensor, axis, &bounds)
}

fn tensor_split_at(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    split_at(tensor, args.axis(2, tensor.rank())?, &args.ints(1)?)
}

/// The dimension of `hsplit`: the second, of a tensor with one dimension the first.
fn split_axis(tensor: &Tensor, axis: usize) -> usize {
    if tensor.rank() == 1 { 0 } else { axis }
}

fn n_split(
    context: &Context<'_>,
    args: &Arguments<'_>,
    axis: usize,
) -> Result<ScriptValue, RunProblem> {
    let (tensor, count) = (args.tensor(0)?, args.int(1)?);
    let axis = split_axis(tensor, axis);
    let size = size_of(tensor, axis)?;
    if count < 1 || size as i64 % count != 0 {
        return refused(format!("the size {size} is not divisible by the sections: {count}"));
    }
    sections(context, tensor, axis, count)
}

fn n_split_at(
    _: &Context<'_>,
    args: &Arguments<'_>,
    axis: usize,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    split_at(tensor, split_axis(tensor, axis), &args.ints(1)?)
}

fn unbind(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let size = size_of(tensor, axis)?;
    context.meter.step((size as u64).saturating_mul(4))?;
    Ok(tensors((0..size).map(|at| tensor.select(axis, at)).collect::<Result<_, _>>()?))
}
