//! Pooling.

use super::Arguments;
use super::convolution::{float_layer, places};
use super::form::{Context, Operator, plain};
use crate::problem::refused;
use crate::{Problem, Tensor, Value};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor", |c, a| max_pool(c, a, 1)),
    plain("aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor", |c, a| max_pool(c, a, 2)),
    plain("aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor", |c, a| avg_pool(c, a, 1)),
    plain("aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", |c, a| avg_pool(c, a, 2)),
    plain("aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", |c, a| adaptive(c, a, 1, mean)),
    plain("aten::adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor", |c, a| adaptive(c, a, 2, mean)),
    plain("aten::_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor", |c, a| adaptive(c, a, 2, mean)),
    plain("aten::adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor", |c, a| adaptive(c, a, 3, mean)),
];

fn mean(run: &[f64]) -> f64 {
    run.iter().sum::<f64>() / run.len() as f64
}

/// Applies a rule to each plane of the last `rank` dimensions.
pub(super) fn planes(
    context: &Context<'_>,
    tensor: &Tensor,
    rank: usize,
    out: &[usize],
    cost: usize,
    rule: impl Fn(&[f64], &mut Vec<f64>),
) -> Result<Value, Problem> {
    let dtype = float_layer(tensor, "pooling and resizing")?;
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
) -> Result<Vec<Window>, Problem> {
    let tensor = args.tensor(0)?;
    let Some(outer) = tensor.rank().checked_sub(rank) else {
        return refused(format!("expected {} or {} dimensions: {tensor}", rank + 1, rank + 2));
    };
    let list = |at: usize| -> Result<Vec<i64>, Problem> {
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

fn max_pool(context: &Context<'_>, args: &Arguments<'_>, rank: usize) -> Result<Value, Problem> {
    let windows = windows(args, rank, args.boolean(5)?, true)?;
    let out: Vec<usize> = windows.iter().map(|window| window.out).collect();
    planes(context, args.tensor(0)?, rank, &out, area(&windows), |plane, result| {
        for at in places(&out) {
            let mut largest = f64::NEG_INFINITY;
            inside(&windows, &at, |place| {
                let number = plane[place];
                if number > largest || number.is_nan() {
                    largest = number;
                }
            });
            result.push(largest);
        }
    })
}

/// Visits what a window covers of the plane.
fn inside(windows: &[Window], at: &[usize], mut visit: impl FnMut(usize)) {
    let kernel: Vec<usize> = windows.iter().map(|window| window.kernel as usize).collect();
    for tap in places(&kernel) {
        let mut place = Some(0);
        for (axis, window) in windows.iter().enumerate() {
            let from = at[axis] as i64 * window.stride - window.padding
                + tap[axis] as i64 * window.dilation;
            let within = (0..window.size).contains(&from);
            place =
                place.filter(|_| within).map(|place| place * window.size as usize + from as usize);
        }
        if let Some(place) = place {
            visit(place);
        }
    }
}

fn avg_pool(context: &Context<'_>, args: &Arguments<'_>, rank: usize) -> Result<Value, Problem> {
    let windows = windows(args, rank, args.boolean(4)?, false)?;
    let with_padding = args.boolean(5)?;
    let divisor = if args.len() > 6 { args.int_or_none(6)? } else { None };
    if divisor == Some(0) {
        return refused("divisor must be not zero");
    }
    let out: Vec<usize> = windows.iter().map(|window| window.out).collect();
    planes(context, args.tensor(0)?, rank, &out, area(&windows), |plane, result| {
        for at in places(&out) {
            let (mut sum, mut count) = (0.0, 0.0);
            inside(&windows, &at, |place| {
                sum += plane[place];
                count += 1.0;
            });
            let padded: f64 = windows
                .iter()
                .zip(&at)
                .map(|(window, at)| {
                    let start = *at as i64 * window.stride - window.padding;
                    let end = (start + window.kernel).min(window.size + window.padding);
                    (end - start) as f64
                })
                .product();
            let count = divisor.map_or(if with_padding { padded } else { count }, |d| d as f64);
            result.push(sum / count);
        }
    })
}

/// Windows chosen so that the result has a given size.
fn adaptive(
    context: &Context<'_>,
    args: &Arguments<'_>,
    rank: usize,
    of: fn(&[f64]) -> f64,
) -> Result<Value, Problem> {
    let tensor = args.tensor(0)?;
    let out = args.sizes(1)?;
    let Some(outer) = tensor.rank().checked_sub(rank).filter(|_| out.len() == rank) else {
        return refused(format!("expected {} or {} dimensions: {tensor}", rank + 1, rank + 2));
    };
    let space = tensor.shape()[outer..].to_vec();
    planes(context, tensor, rank, &out, space.iter().product(), |plane, result| {
        for at in places(&out) {
            let bounds: Vec<(usize, usize)> = (0..rank)
                .map(|axis| {
                    let (size, out) = (space[axis], out[axis]);
                    (at[axis] * size / out, ((at[axis] + 1) * size).div_ceil(out))
                })
                .collect();
            let sizes: Vec<usize> = bounds.iter().map(|(start, end)| end - start).collect();
            let run: Vec<f64> = places(&sizes)
                .map(|tap| {
                    let place = (0..rank)
                        .fold(0, |place, axis| place * space[axis] + bounds[axis].0 + tap[axis]);
                    plane[place]
                })
                .collect();
            result.push(of(&run));
        }
    })
}
