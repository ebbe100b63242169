//! Pooling.

use super::Arguments;
use super::convolution::{float_layer, places};
use super::declaration::{Context, Operator, plain};
use super::matrix::FAST;
use crate::kernels::{Axis, Geometry, Pool, Spans, share};
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor", |c, a| max_pool(c, a, 1)),
    plain("aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor", |c, a| max_pool(c, a, 2)),
    plain("aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor", |c, a| max_pool(c, a, 3)),
    plain("aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)", |c, a| max_pool_with_places(c, a, 2)),
    plain("aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)", |c, a| max_pool_with_places(c, a, 1)),
    plain("aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)", |c, a| max_pool_with_places(c, a, 3)),
    plain("aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", |c, a| adaptive_max(c, a, 1)),
    plain("aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", |c, a| adaptive_max(c, a, 3)),
    plain("aten::max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding) -> Tensor", |c, a| max_unpool(c, a, 3)),
    plain("aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", |c, a| avg_pool(c, a, 3)),
    plain("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", |c, a| adaptive_max(c, a, 2)),
    plain("aten::max_unpool2d(Tensor self, Tensor indices, int[2] output_size) -> Tensor", |c, a| max_unpool(c, a, 2)),
    plain("aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor", |c, a| avg_pool(c, a, 1)),
    plain("aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", |c, a| avg_pool(c, a, 2)),
    plain("aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", |c, a| adaptive(c, a, 1)),
    plain("aten::adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor", |c, a| adaptive(c, a, 2)),
    plain("aten::_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor", |c, a| adaptive(c, a, 2)),
    plain("aten::adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor", |c, a| adaptive(c, a, 3)),
];

/// Applies a rule to each plane of the last `rank` dimensions.
pub(super) fn planes(
    context: &Context<'_>,
    tensor: &Tensor,
    rank: usize,
    out: &[usize],
    cost: usize,
    rule: impl Fn(&[f64], &mut Vec<f64>),
) -> Result<ScriptValue, RunProblem> {
    let dtype = match tensor.dtype() {
        Dtype::U8 if cost == 1 => Dtype::U8,
        _ => float_layer(tensor, "pooling and resizing")?,
    };
    let Some(outer) = tensor.rank().checked_sub(rank).filter(|outer| *outer > 0) else {
        return refused(format!("expected {} or {} dimensions: {tensor}", rank + 1, rank + 2));
    };
    let shape: Vec<usize> = tensor.shape()[..outer].iter().chain(out).copied().collect();
    let area: usize = tensor.shape()[outer..].iter().product();
    let count = context.meter.room(&shape)?;
    context.meter.work(count.saturating_mul(cost))?;
    let numbers = tensor.floats();
    let mut result = Vec::with_capacity(count);
    if area == 0 {
        return refused(format!("Expected non-empty input: {tensor}"));
    }
    numbers.chunks(area).for_each(|plane| rule(plane, &mut result));
    Ok(Tensor::of_floats(context.meter, dtype, &shape, result)?.into())
}

/// How a window moves along one dimension.
struct Window {
    size: i64,
    kernel: i64,
    stride: i64,
    padding: i64,
    dilation: i64,
    out: usize,
}

fn windows(
    args: &Arguments<'_>,
    rank: usize,
    ceil: bool,
    dilated: bool,
) -> Result<Vec<Window>, RunProblem> {
    let tensor = args.tensor(0)?;
    let Some(outer) = tensor.rank().checked_sub(rank) else {
        return refused(format!("expected {} or {} dimensions: {tensor}", rank + 1, rank + 2));
    };
    let list = |at: usize| -> Result<Vec<i64>, RunProblem> {
        let list = args.ints(at)?;
        Ok(if list.len() == 1 { vec![list[0]; rank] } else { list })
    };
    let kernel = list(1)?;
    let stride = if args.ints(2)?.is_empty() { kernel.clone() } else { list(2)? };
    let padding = list(3)?;
    let dilation = if dilated { list(4)? } else { vec![1; rank] };
    let right = [&kernel, &stride, &padding, &dilation].iter().all(|list| list.len() == rank)
        && kernel.iter().chain(&stride).chain(&dilation).all(|n| (1..1 << 31).contains(n))
        && padding.iter().zip(&kernel).all(|(p, k)| *p >= 0 && *p <= k / 2);
    if !right {
        return refused(format!(
            "a window of kernel {kernel:?}, stride {stride:?}, padding {padding:?}"
        ));
    }
    let window = |axis: usize| {
        let size = tensor.shape()[outer + axis] as i64;
        let (kernel, stride, padding, dilation) =
            (kernel[axis], stride[axis], padding[axis], dilation[axis]);
        let span = size + 2 * padding - dilation * (kernel - 1) - 1;
        let mut out = if ceil { span + stride - 1 } else { span }.div_euclid(stride) + 1;
        // The last window begins inside, or in the padding before.
        if ceil && (out - 1) * stride >= size + padding {
            out -= 1;
        }
        match usize::try_from(out).ok().filter(|out| *out > 0) {
            Some(out) => Ok(Window { size, kernel, stride, padding, dilation, out }),
            None => refused(format!("Given input {tensor}. Output size is too small")),
        }
    };
    (0..rank).map(window).collect()
}

fn area(windows: &[Window]) -> usize {
    windows.iter().fold(1, |area, window| area.saturating_mul(window.kernel as usize))
}

fn geometry(windows: &[Window]) -> Result<Geometry, RunProblem> {
    let axis = |window: &Window| Axis {
        size: window.size as usize,
        kernel: window.kernel as usize,
        stride: window.stride as usize,
        padding: window.padding,
        dilation: window.dilation as usize,
        out: window.out,
    };
    let axes: Vec<Axis> = windows.iter().map(axis).collect();
    Geometry::new(&axes).map_or_else(|| refused("pooling of more than three dimensions"), Ok)
}

fn max_pool(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
) -> Result<ScriptValue, RunProblem> {
    let windows = windows(args, rank, args.boolean(5)?, true)?;
    let out: Vec<usize> = windows.iter().map(|window| window.out).collect();
    let spans = Spans::from_geometry(&geometry(&windows)?);
    pooled(context, args.tensor(0)?, (&out, area(&windows)), &spans, Pool::Largest)
}

/// With the place of each largest element in its plane.
fn max_pool_with_places(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
) -> Result<ScriptValue, RunProblem> {
    let windows = windows(args, rank, args.boolean(5)?, true)?;
    let out: Vec<usize> = windows.iter().map(|window| window.out).collect();
    let spans = Spans::from_geometry(&geometry(&windows)?);
    with_places(context, args.tensor(0)?, &out, area(&windows), &spans)
}

fn adaptive_max(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
) -> Result<ScriptValue, RunProblem> {
    let (tensor, out) = (args.tensor(0)?, args.sizes(1)?);
    let space = &tensor.shape()[outer(tensor, rank)?..];
    context.meter.room(&out)?;
    match Spans::dividing(space, &out) {
        Some(spans) if out.len() == rank => {
            with_places(context, tensor, &out, space.iter().product(), &spans)
        }
        _ => refused(format!("expected an output size of {rank} numbers: {out:?}")),
    }
}

fn with_places(
    context: &Context<'_>,
    tensor: &Tensor,
    out: &[usize],
    cost: usize,
    spans: &Spans,
) -> Result<ScriptValue, RunProblem> {
    let largest = pooled(context, tensor, (out, cost), spans, Pool::Largest)?;
    let Some(shape) = largest.tensor().map(|tensor| tensor.shape().to_vec()) else {
        return refused("no tensor");
    };
    let area = tensor.shape()[outer(tensor, out.len())?..].iter().product::<usize>().max(1);
    let places: Vec<i64> =
        tensor.floats().chunks(area).flat_map(|plane| spans.places(plane)).collect();
    let places = Tensor::of_ints(context.meter, Dtype::I64, &shape, places)?;
    Ok(ScriptValue::tuple(vec![largest, places.into()]))
}

/// Puts each element at its place in a larger plane of zeros.
fn max_unpool(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
) -> Result<ScriptValue, RunProblem> {
    let (tensor, places, out) = (args.tensor(0)?, args.tensor(1)?, args.sizes(2)?);
    let outer = outer(tensor, rank)?;
    if places.shape() != tensor.shape() || out.len() != rank {
        return refused(format!("max_unpool{rank}d of {tensor} with {places} to {out:?}"));
    }
    let shape: Vec<usize> = tensor.shape()[..outer].iter().chain(&out).copied().collect();
    let mut result = vec![0.0; context.meter.room(&shape)?];
    let (area, size) =
        (out.iter().product(), tensor.shape()[outer..].iter().product::<usize>().max(1));
    for (at, (number, place)) in tensor.floats().into_iter().zip(places.ints()).enumerate() {
        match usize::try_from(place).ok().filter(|place| *place < area) {
            Some(place) => result[at / size * area + place] = number,
            None => return refused(format!("Found an invalid max index: {place}")),
        }
    }
    Ok(Tensor::of_floats(context.meter, tensor.dtype(), &shape, result)?.into())
}

/// Pools each plane of the last dimensions.
fn pooled(
    context: &Context<'_>,
    tensor: &Tensor,
    (out, cost): (&[usize], usize),
    spans: &Spans,
    pool: Pool<'_>,
) -> Result<ScriptValue, RunProblem> {
    // Of integers there are the largest, and means of wide ones, which are cut.
    let dtype = match (tensor.dtype(), &pool) {
        (Dtype::Bool, _) => float_layer(tensor, "pooling and resizing")?,
        (dtype, Pool::Largest) if dtype.is_integral() => dtype,
        (Dtype::I64, Pool::Mean(_)) => Dtype::I64,
        _ => float_layer(tensor, "pooling and resizing")?,
    };
    let outer = outer(tensor, out.len())?;
    let shape: Vec<usize> = tensor.shape()[..outer].iter().chain(out).copied().collect();
    let (area, out_area) = (tensor.shape()[outer..].iter().product(), out.iter().product());
    context.meter.work(context.meter.room(&shape)?.saturating_mul(cost) / FAST)?;
    if area == 0 || out_area == 0 {
        return refused(format!("Expected non-empty input: {tensor}"));
    }
    if let Some(numbers) = tensor.singles() {
        let fill = |result: &mut [f32]| {
            let planes = numbers.chunks(area).zip(result.chunks_mut(out_area)).collect();
            share(planes, context.threads, |(plane, out)| spans.pool(plane, pool, out));
        };
        return Ok(Tensor::of_singles(context.meter, &shape, fill)?.into());
    }
    let (numbers, mut result) = (tensor.floats(), vec![0.0; shape.iter().product()]);
    let planes = numbers.chunks(area).zip(result.chunks_mut(out_area));
    planes.for_each(|(plane, out)| spans.pool(plane, pool, out));
    Ok(Tensor::of_floats(context.meter, dtype, &shape, result)?.into())
}

/// How many dimensions stand before the last `rank`.
fn outer(tensor: &Tensor, rank: usize) -> Result<usize, RunProblem> {
    match tensor.rank().checked_sub(rank).filter(|outer| *outer > 0) {
        Some(outer) => Ok(outer),
        None => refused(format!("expected {} or {} dimensions: {tensor}", rank + 1, rank + 2)),
    }
}

fn avg_pool(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
) -> Result<ScriptValue, RunProblem> {
    let windows = windows(args, rank, args.boolean(4)?, false)?;
    let with_padding = args.boolean(5)?;
    let divisor = if args.len() > 6 { args.int_or_none(6)? } else { None };
    if divisor == Some(0) {
        return refused("divisor must be not zero");
    }
    let out: Vec<usize> = windows.iter().map(|window| window.out).collect();
    context.meter.room(&out)?;
    let spans = Spans::from_geometry(&geometry(&windows)?);
    let padded = |at: Vec<usize>| {
        let size = |(window, at): (&Window, &usize)| {
            let start = *at as i64 * window.stride - window.padding;
            let end = (start + window.kernel).min(window.size + window.padding);
            (end - start) as f64
        };
        windows.iter().zip(&at).map(size).product()
    };
    let divisors: Vec<f64> = match divisor {
        Some(divisor) => vec![divisor as f64; out.iter().product()],
        None if with_padding => places(&out).map(padded).collect(),
        None => spans.counts(),
    };
    pooled(context, args.tensor(0)?, (&out, area(&windows)), &spans, Pool::Mean(&divisors))
}

/// Means over windows chosen so that the result has a given size.
fn adaptive(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
) -> Result<ScriptValue, RunProblem> {
    let (tensor, out) = (args.tensor(0)?, args.sizes(1)?);
    if out.len() != rank {
        return refused(format!("expected an output size of {rank} numbers: {out:?}"));
    }
    let space = &tensor.shape()[outer(tensor, rank)?..];
    context.meter.room(&out)?;
    let Some(spans) = Spans::dividing(space, &out) else {
        return refused("pooling of more than three dimensions");
    };
    let cost = space.iter().zip(&out).map(|(size, out)| size.div_ceil((*out).max(1)) + 1).product();
    pooled(context, tensor, (&out, cost), &spans, Pool::Mean(&spans.counts()))
}
