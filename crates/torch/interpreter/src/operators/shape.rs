//! Views, copies and joins: operators that move elements and calculate nothing.

use super::Arguments;
use super::arguments::axis;
use super::declaration::{Context, Operator, plain};
use crate::dtype::promote;
use crate::problem::refused;
use crate::tensor::{Elements, broadcast};
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::view(Tensor(a) self, int[] size) -> Tensor(a)", view),
    plain("aten::_unsafe_view(Tensor self, int[] size) -> Tensor", view),
    plain("aten::reshape(Tensor(a) self, int[] shape) -> Tensor(a)", reshape),
    plain("aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", |_, a| Ok(a.tensor(0)?.reshape(a.tensor(1)?.shape())?.into())),
    plain("aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", |_, a| Ok(a.tensor(0)?.reshape(a.tensor(1)?.shape())?.into())),
    plain("aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)", flatten),
    plain("aten::unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)", unflatten),
    plain("aten::squeeze(Tensor(a) self) -> Tensor(a)", squeeze_all),
    plain("aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", squeeze),
    plain("aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", squeeze),
    plain("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", unsqueeze),
    plain("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", permute),
    plain("aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", transpose),
    plain("aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", transpose),
    plain("aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)", movedim),
    plain("aten::t(Tensor(a) self) -> Tensor(a)", |_, a| Ok(a.tensor(0)?.transposed()?.into())),
    plain("aten::numpy_T(Tensor(a) self) -> Tensor(a)", reversed),
    plain("aten::mT(Tensor(a) self) -> Tensor(a)", |_, a| Ok(a.tensor(0)?.transposed()?.into())),
    plain("aten::mH(Tensor(a) self) -> Tensor(a)", adjoint),
    plain("aten::adjoint(Tensor(a) self) -> Tensor(a)", adjoint),
    plain("aten::expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)", expand),
    plain("aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", |_, a| Ok(a.tensor(0)?.expand(a.tensor(1)?.shape())?.into())),
    plain("aten::broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)", expand),
    plain("aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]", broadcast_tensors),
    plain("aten::repeat(Tensor self, int[] repeats) -> Tensor", repeat),
    plain("aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)", |_, a| Ok(a.tensor(0)?.contiguous()?.into())),
    plain("aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", |_, a| Ok(a.tensor(0)?.copy()?.into())),
    plain("aten::detach(Tensor(a) self) -> Tensor(a)", |_, a| Ok(a.tensor(0)?.as_constant(false).into())),
    plain("aten::detach_(Tensor(a!) self) -> Tensor(a!)", same),
    plain("aten::alias(Tensor(a) self) -> Tensor(a)", same),
    plain("aten::lift_fresh_copy(Tensor self) -> Tensor", |_, a| Ok(a.tensor(0)?.copy()?.into())),
    plain("aten::detach_copy(Tensor self) -> Tensor", |_, a| Ok(a.tensor(0)?.copy()?.into())),
    plain("aten::requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)", same),
    plain("aten::cpu(Tensor(a) self) -> Tensor(a|b)", same),
    plain("aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", copy),
    plain("aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", |_, a| to(a, a.dtype(1)?, 3)),
    plain("aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", |_, a| to(a, a.dtype(2)?, 4)),
    plain("aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", |_, a| to(a, Some(a.tensor(1)?.dtype()), 3)),
    plain("aten::to.prim_dtype(Tensor(a) self, int? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(a|b)", |_, a| to(a, a.dtype(1)?, 3)),
    plain("aten::to.prim_Device(Tensor(a) self, Device? device, int? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(a|b)", |_, a| to(a, a.dtype(2)?, 4)),
    plain("aten::to.prim_other(Tensor(a) self, bool non_blocking=False, bool copy=False) -> Tensor(a|b)", |_, a| to(a, None, 2)),
    plain("aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", |_, a| to(a, a.dtype(1)?, 6)),
    plain("aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor", |_, a| Ok(a.tensor(0)?.to_dtype(a.dtype(1)?.unwrap_or(a.tensor(0)?.dtype()))?.into())),
    plain("aten::type_as(Tensor self, Tensor other) -> Tensor", |_, a| to(a, Some(a.tensor(1)?.dtype()), 9)),
    plain("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", cat),
    plain("aten::concat(Tensor[] tensors, int dim=0) -> Tensor", cat),
    plain("aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor", cat),
    plain("aten::stack(Tensor[] tensors, int dim=0) -> Tensor", stack),
    plain("aten::flip(Tensor self, int[] dims) -> Tensor", flip),
    plain("aten::roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor", roll),
    plain("aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)", diagonal),
    plain("aten::diag(Tensor self, int diagonal=0) -> Tensor", diag),
    plain("aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", diag_embed),
];

pub(super) fn tensors(items: Vec<Tensor>) -> ScriptValue {
    ScriptValue::list(items.into_iter().map(ScriptValue::Tensor).collect())
}

fn same(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(args.tensor(0)?.clone().into())
}

/// Sizes of which one may be -1, which is what is left.
fn inferred(sizes: &[i64], count: usize) -> Result<Vec<usize>, RunProblem> {
    let known = sizes.iter().filter(|size| **size != -1);
    let product: Option<usize> = known
        .clone()
        .try_fold(1_usize, |product, size| product.checked_mul(usize::try_from(*size).ok()?));
    let unknown = sizes.len() - known.count();
    let invalid =
        || RunProblem::Refused(format!("shape '{sizes:?}' is invalid for input of size {count}"));
    let product = product.ok_or_else(invalid)?;
    match unknown {
        0 if product == count => {}
        1 if product > 0 && count.is_multiple_of(product) => {}
        _ => return Err(invalid()),
    }
    let left = count.checked_div(product).unwrap_or(0);
    Ok(sizes.iter().map(|size| usize::try_from(*size).unwrap_or(left)).collect())
}

fn view(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    match tensor.view(&inferred(&args.ints(1)?, tensor.count())?)? {
        Some(view) => Ok(view.into()),
        None => refused(
            "view size is not compatible with input tensor's size and stride (at least one dimension \
             spans across two contiguous subspaces). Use .reshape(...) instead.",
        ),
    }
}

fn reshape(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    Ok(tensor.reshape(&inferred(&args.ints(1)?, tensor.count())?)?.into())
}

fn flatten(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (start, end) = (args.axis(1, tensor.rank())?, args.axis(2, tensor.rank())?);
    if start > end {
        return refused("flatten() has invalid args: start_dim cannot come after end_dim");
    }
    if tensor.rank() == 0 {
        return Ok(tensor.reshape(&[1])?.into());
    }
    let shape = tensor.shape();
    let mut flat = shape[..start].to_vec();
    flat.push(shape[start..=end].iter().product());
    flat.extend_from_slice(&shape[end + 1..]);
    Ok(tensor.reshape(&flat)?.into())
}

fn unflatten(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let size = tensor.shape().get(axis).copied().unwrap_or(1);
    let mut shape = tensor.shape().get(..axis).unwrap_or(&[]).to_vec();
    shape.extend(inferred(&args.ints(2)?, size)?);
    shape.extend_from_slice(tensor.shape().get(axis + 1..).unwrap_or(&[]));
    Ok(tensor.reshape(&shape)?.into())
}

fn without(tensor: &Tensor, gone: impl Fn(usize) -> bool) -> Result<ScriptValue, RunProblem> {
    let kept = |axis: &usize| !(gone(*axis) && tensor.shape()[*axis] == 1);
    let axes: Vec<usize> = (0..tensor.rank()).filter(kept).collect();
    let shape = axes.iter().map(|axis| tensor.shape()[*axis]).collect();
    let strides = axes.iter().map(|axis| tensor.strides()[*axis]).collect();
    Ok(tensor.with(shape, strides, tensor.offset())?.into())
}

fn squeeze_all(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    without(args.tensor(0)?, |_| true)
}

fn squeeze(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axes = match args.value(1) {
        ScriptValue::List(_) if args.ints(1)?.is_empty() => Vec::new(),
        _ => args.axes(1, tensor.rank())?,
    };
    without(tensor, |axis| axes.contains(&axis))
}

fn unsqueeze(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    Ok(unsqueezed(tensor, args.axis(1, tensor.rank() + 1)?)?.into())
}

fn unsqueezed(tensor: &Tensor, axis: usize) -> Result<Tensor, RunProblem> {
    let (mut shape, mut strides) = (tensor.shape().to_vec(), tensor.strides().to_vec());
    let stride = match (shape.get(axis), strides.get(axis)) {
        (Some(size), Some(stride)) => size.saturating_mul(*stride),
        _ => 1,
    };
    shape.insert(axis.min(shape.len()), 1);
    strides.insert(axis.min(strides.len()), stride);
    tensor.with(shape, strides, tensor.offset())
}

fn permute(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let order = args.ints(1)?;
    let order: Vec<usize> =
        order.iter().map(|dim| axis(*dim, tensor.rank())).collect::<Result<_, _>>()?;
    Ok(tensor.permute(&order)?.into())
}

fn transpose(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (a, b) = (args.axis(1, tensor.rank())?, args.axis(2, tensor.rank())?);
    let mut order: Vec<usize> = (0..tensor.rank()).collect();
    if tensor.rank() > 0 {
        order.swap(a, b);
    }
    Ok(tensor.permute(&order)?.into())
}

fn movedim(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (from, to) = (args.axis(1, tensor.rank())?, args.axis(2, tensor.rank())?);
    let mut order: Vec<usize> = (0..tensor.rank()).filter(|axis| *axis != from).collect();
    order.insert(to.min(order.len()), from);
    order.truncate(tensor.rank());
    Ok(tensor.permute(&order)?.into())
}

fn reversed(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let order: Vec<usize> = (0..tensor.rank()).rev().collect();
    Ok(tensor.permute(&order)?.into())
}

fn adjoint(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let transposed = args.tensor(0)?.transposed()?;
    let Elements::Complex(numbers) = transposed.elements() else { return Ok(transposed.into()) };
    let conjugated = Elements::Complex(numbers.into_iter().map(|(a, b)| (a, -b)).collect());
    let (dtype, shape) = (transposed.dtype(), transposed.shape());
    Ok(Tensor::from_elements(context.meter, dtype, shape, &conjugated)?.into())
}

fn expand(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let wanted = args.ints(1)?;
    let extra = wanted.len().saturating_sub(tensor.rank());
    let own = |at: usize| at.checked_sub(extra).and_then(|at| tensor.shape().get(at)).copied();
    let shape: Option<Vec<usize>> = wanted
        .iter()
        .enumerate()
        .map(|(at, size)| if *size == -1 { own(at) } else { usize::try_from(*size).ok() })
        .collect();
    match shape {
        Some(shape) => Ok(tensor.expand(&shape)?.into()),
        None => refused(format!("expand: invalid sizes {wanted:?} for {tensor}")),
    }
}

fn broadcast_tensors(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = args.tensors(0)?;
    let shape = all.iter().try_fold(Vec::new(), |shape, t| broadcast(&shape, t.shape()))?;
    Ok(tensors(all.iter().map(|tensor| tensor.expand(&shape)).collect::<Result<_, _>>()?))
}

fn repeat(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, repeats) = (args.tensor(0)?, args.sizes(1)?);
    let Some(extra) = repeats.len().checked_sub(tensor.rank()) else {
        return refused(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of \
             tensor",
        );
    };
    // Each dimension as two: how often, and what.
    let (mut parts, mut shape, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    for (at, times) in repeats.iter().enumerate() {
        let own = at.checked_sub(extra).and_then(|at| tensor.shape().get(at)).copied().unwrap_or(1);
        parts.extend([1, own]);
        shape.extend([*times, own]);
        wanted.push(times.checked_mul(own).ok_or_else(|| RunProblem::Refused("too large".into()))?);
    }
    context.meter.room(&wanted)?;
    let spread = tensor.reshape(&parts)?.expand(&shape)?;
    Ok(spread.copy()?.reshape(&wanted)?.into())
}

fn copy(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let target = args.tensor(0)?;
    target.copy_from(args.tensor(1)?)?;
    Ok(target.clone().into())
}

/// Another type; itself if it has it and no copy is asked for.
fn to(args: &Arguments<'_>, dtype: Option<Dtype>, copy: usize) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let dtype = dtype.unwrap_or(tensor.dtype());
    if dtype == tensor.dtype() && !args.is_set(copy) {
        return Ok(tensor.clone().into());
    }
    Ok(tensor.to_dtype(dtype)?.into())
}

fn cat(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = args.tensors(0)?;
    let Some(first) = all.first() else {
        return refused("torch.cat(): expected a non-empty list of Tensors");
    };
    let dtype = all.iter().map(Tensor::dtype).reduce(promote).unwrap_or(first.dtype());
    // What has one dimension and no element is passed over, as it always was.
    let kept: Vec<&Tensor> = all.iter().filter(|tensor| tensor.shape() != [0]).collect();
    let Some(model) = kept.first() else { return Ok(first.to_dtype(dtype)?.into()) };
    if model.rank() == 0 {
        return refused("zero-dimensional tensor (at position 0) cannot be concatenated");
    }
    let axis = args.axis(1, model.rank())?;
    let mut shape = model.shape().to_vec();
    shape[axis] = 0;
    for tensor in &kept {
        let fits = tensor.rank() == shape.len()
            && (0..shape.len()).all(|at| at == axis || tensor.shape()[at] == shape[at]);
        if !fits {
            return refused(format!(
                "Sizes of tensors must match except in dimension {axis}: {model} and {tensor}"
            ));
        }
        shape[axis] += tensor.shape()[axis];
    }
    let joined = Tensor::filled(context.meter, dtype, &shape, crate::ScalarValue::Int(0))?;
    let mut start = 0;
    for tensor in kept {
        let length = tensor.shape()[axis];
        joined.narrow(axis, start, length, 1)?.copy_from(tensor)?;
        start += length;
    }
    Ok(joined.into())
}

fn stack(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let all = args.tensors(0)?;
    let Some(first) = all.first() else {
        return refused("stack expects a non-empty TensorList");
    };
    let axis = args.axis(1, first.rank() + 1)?;
    if let Some(other) = all.iter().find(|tensor| tensor.shape() != first.shape()) {
        return refused(format!("stack expects each tensor to be equal size: {first} and {other}"));
    }
    let rows = all.iter().map(|tensor| unsqueezed(tensor, axis)).collect::<Result<_, _>>()?;
    cat(context, &Arguments::new(&[tensors(rows), ScriptValue::from(axis as i64)]))
}

/// A tensor whose element at an index is that of another at an index which a function gives.
pub(super) fn gathered(
    context: &Context<'_>,
    tensor: &Tensor,
    axis: usize,
    from: impl Iterator<Item = usize>,
) -> Result<Tensor, RunProblem> {
    let mut rows = Vec::new();
    for index in from {
        rows.push(unsqueezed(&tensor.select(axis, index)?, axis)?);
    }
    if rows.is_empty() {
        return tensor.narrow(axis, 0, 0, 1);
    }
    let joined = cat(context, &Arguments::new(&[tensors(rows), ScriptValue::from(axis as i64)]))?;
    joined.tensor().cloned().ok_or_else(|| RunProblem::Malformed("cat gives a tensor".into()))
}

fn flip(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut tensor = args.tensor(0)?.copy()?;
    for dim in args.ints(1)? {
        let axis = axis(dim, tensor.rank())?;
        if tensor.rank() > 0 {
            tensor = gathered(context, &tensor, axis, (0..tensor.shape()[axis]).rev())?;
        }
    }
    Ok(tensor.into())
}

fn roll(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (original, shifts, dims) = (args.tensor(0)?, args.ints(1)?, args.ints(2)?);
    let flat = dims.is_empty();
    let mut tensor = if flat { original.reshape(&[original.count()])? } else { original.copy()? };
    let dims = if flat { vec![0] } else { dims };
    if dims.len() != shifts.len() {
        return refused(format!("shifts and dimensions must align: {shifts:?} and {dims:?}"));
    }
    for (dim, shift) in dims.into_iter().zip(shifts) {
        let axis = axis(dim, tensor.rank())?;
        let size = tensor.shape().get(axis).copied().unwrap_or(0);
        if size > 0 {
            let from = move |at: usize| (at as i64 - shift).rem_euclid(size as i64) as usize;
            tensor = gathered(context, &tensor, axis, (0..size).map(from))?;
        }
    }
    Ok(tensor.reshape(original.shape())?.into())
}

fn diagonal(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (a, b) = (args.axis(2, tensor.rank())?, args.axis(3, tensor.rank())?);
    Ok(diagonal_of(tensor, args.int(1)?, a, b)?.into())
}

pub(super) fn diagonal_of(
    tensor: &Tensor,
    offset: i64,
    a: usize,
    b: usize,
) -> Result<Tensor, RunProblem> {
    if a == b || a >= tensor.rank() || b >= tensor.rank() {
        return refused(format!("diagonal dimensions cannot be identical {a}, {b}"));
    }
    let (rows, columns) = (tensor.shape()[a], tensor.shape()[b]);
    let apart = offset.unsigned_abs() as usize;
    let (length, start) = if offset >= 0 {
        (rows.min(columns.saturating_sub(apart)), apart.saturating_mul(tensor.strides()[b]))
    } else {
        (columns.min(rows.saturating_sub(apart)), apart.saturating_mul(tensor.strides()[a]))
    };
    let rest: Vec<usize> = (0..tensor.rank()).filter(|axis| *axis != a && *axis != b).collect();
    let mut shape: Vec<usize> = rest.iter().map(|axis| tensor.shape()[*axis]).collect();
    let mut strides: Vec<usize> = rest.iter().map(|axis| tensor.strides()[*axis]).collect();
    shape.push(length);
    strides.push(tensor.strides()[a] + tensor.strides()[b]);
    let start = if length == 0 { 0 } else { start };
    tensor.with(shape, strides, tensor.offset() + start)
}

fn diag(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, offset) = (args.tensor(0)?, args.int(1)?);
    match tensor.rank() {
        1 => Ok(embedded(context, tensor, offset)?.into()),
        2 => Ok(diagonal_of(tensor, offset, 0, 1)?.copy()?.into()),
        rank => refused(format!("diag(): Supports 1D or 2D tensors. Got {rank}D")),
    }
}

fn diag_embed(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, offset) = (args.tensor(0)?, args.int(1)?);
    let rank = tensor.rank() + 1;
    let (a, b) = (args.axis(2, rank)?, args.axis(3, rank)?);
    let last = embedded(context, tensor, offset)?;
    let mut order: Vec<usize> = (0..rank - 2).collect();
    let places =
        if a < b { [(a, rank - 2), (b, rank - 1)] } else { [(b, rank - 1), (a, rank - 2)] };
    for (place, from) in places {
        order.insert(place.min(order.len()), from);
    }
    Ok(last.permute(&order)?.into())
}

/// Matrices with the last dimension on a diagonal and zeros elsewhere.
fn embedded(context: &Context<'_>, tensor: &Tensor, offset: i64) -> Result<Tensor, RunProblem> {
    let Some((length, rest)) = tensor.shape().split_last() else {
        return refused("diag_embed needs a tensor of at least 1 dimension");
    };
    let size = length.saturating_add(offset.unsigned_abs() as usize);
    let shape: Vec<usize> = rest.iter().copied().chain([size, size]).collect();
    let result = Tensor::filled(context.meter, tensor.dtype(), &shape, crate::ScalarValue::Int(0))?;
    diagonal_of(&result, offset, shape.len() - 2, shape.len() - 1)?.copy_from(tensor)?;
    Ok(result)
}
