//! Convolutions of one to three dimensions.

use super::Arguments;
use super::form::{Context, Operator, plain};
use crate::problem::{refused, unsupported};
use crate::{Dtype, Problem, Tensor, Value};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> Tensor", plain_convolution),
    plain("aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1) -> Tensor", plain_convolution),
    plain("aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] dilation=1, int groups=1) -> Tensor", plain_convolution),
    plain("aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding=\"valid\", int[1] dilation=1, int groups=1) -> Tensor", named_padding),
    plain("aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, str padding=\"valid\", int[2] dilation=1, int groups=1) -> Tensor", named_padding),
    plain("aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor", transposed_convolution),
    plain("aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] output_padding=0, int groups=1, int[2] dilation=1) -> Tensor", transposed_convolution),
    plain("aten::_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor", inner_convolution),
    plain("aten::_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor", inner_convolution),
    plain("aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor", inner_convolution),
];

/// How the kernel moves, for each dimension of space.
struct Moves {
    stride: Vec<usize>,
    padding: Vec<[i64; 2]>,
    dilation: Vec<usize>,
    groups: usize,
}

fn moves(
    args: &Arguments<'_>,
    rank: usize,
    [stride, dilation, groups]: [usize; 3],
    padding: Vec<[i64; 2]>,
) -> Result<Moves, Problem> {
    let spread = |mut sizes: Vec<usize>| {
        if let [one] = *sizes {
            sizes = vec![one; rank];
        }
        if sizes.len() != rank || sizes.contains(&0) {
            return refused(format!("expected {rank} positive numbers: {sizes:?}"));
        }
        Ok(sizes)
    };
    let groups = usize::try_from(args.int(groups)?).ok().filter(|groups| *groups > 0);
    let Some(groups) = groups else { return refused("non-positive groups is not supported") };
    let padding = match *padding {
        [one] => vec![one; rank],
        _ => padding,
    };
    if padding.len() != rank {
        return refused(format!("expected {rank} paddings: {padding:?}"));
    }
    Ok(Moves {
        stride: spread(args.sizes(stride)?)?,
        padding,
        dilation: spread(args.sizes(dilation)?)?,
        groups,
    })
}

fn even(padding: Vec<i64>) -> Vec<[i64; 2]> {
    padding.into_iter().map(|one| [one, one]).collect()
}

/// The number of dimensions of space, and the input with a batch dimension.
fn prepared(input: &Tensor, weight: &Tensor) -> Result<(usize, Tensor, bool), Problem> {
    let Some(rank) = weight.rank().checked_sub(2).filter(|rank| *rank > 0) else {
        return refused(format!("weight should have at least three dimensions: {weight}"));
    };
    if input.dtype() != weight.dtype() {
        return refused(format!(
            "Input type ({}) and weight type ({}) should be the same",
            input.dtype(),
            weight.dtype()
        ));
    }
    if !input.dtype().is_float() {
        return unsupported(format!("convolutions of {}", input.dtype()));
    }
    if input.rank() == rank + 1 {
        let shape: Vec<usize> = [1].into_iter().chain(input.shape().iter().copied()).collect();
        return Ok((rank, input.reshape(&shape)?, true));
    }
    if input.rank() != rank + 2 {
        return refused(format!("Expected {}D or {}D input: {input}", rank + 1, rank + 2));
    }
    Ok((rank, input.clone(), false))
}

fn finish(result: Tensor, unbatched: bool) -> Result<Value, Problem> {
    if unbatched { Ok(result.select(0, 0)?.into()) } else { Ok(result.into()) }
}

fn plain_convolution(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (rank, input, unbatched) = prepared(args.tensor(0)?, args.tensor(1)?)?;
    let moves = moves(args, rank, [3, 5, 6], even(args.ints(4)?))?;
    let result = convolve(context, &input, args.tensor(1)?, args.tensor_or_none(2)?, &moves)?;
    finish(result, unbatched)
}

fn named_padding(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (rank, input, unbatched) = prepared(args.tensor(0)?, args.tensor(1)?)?;
    let kernel = args.tensor(1)?.shape()[2..].to_vec();
    let mut moves = moves(args, rank, [3, 5, 6], vec![[0, 0]; rank])?;
    match args.text(4)? {
        "valid" => {}
        "same" if moves.stride.iter().all(|stride| *stride == 1) => {
            for (axis, size) in kernel.iter().enumerate() {
                let total = (moves.dilation[axis] * size.saturating_sub(1)) as i64;
                moves.padding[axis] = [total / 2, total - total / 2];
            }
        }
        other => return refused(format!("padding='{other}' is not supported here")),
    }
    let result = convolve(context, &input, args.tensor(1)?, args.tensor_or_none(2)?, &moves)?;
    finish(result, unbatched)
}

fn transposed_convolution(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (rank, input, unbatched) = prepared(args.tensor(0)?, args.tensor(1)?)?;
    let moves = moves(args, rank, [3, 7, 6], even(args.ints(4)?))?;
    let result =
        spread(context, &input, args.tensor(1)?, args.tensor_or_none(2)?, &moves, &args.sizes(5)?)?;
    finish(result, unbatched)
}

fn inner_convolution(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let (rank, input, unbatched) = prepared(args.tensor(0)?, args.tensor(1)?)?;
    let moves = moves(args, rank, [3, 5, 8], even(args.ints(4)?))?;
    let (weight, bias) = (args.tensor(1)?, args.tensor_or_none(2)?);
    let result = if args.boolean(6)? {
        spread(context, &input, weight, bias, &moves, &args.sizes(7)?)?
    } else {
        convolve(context, &input, weight, bias, &moves)?
    };
    finish(result, unbatched)
}

/// Every place of a space in row-major order.
pub(super) fn places(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    let count: usize = shape.iter().product();
    (0..count).map(|mut at| {
        let mut place = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            place[axis] = at % shape[axis];
            at /= shape[axis];
        }
        place
    })
}

fn bias_of(bias: Option<&Tensor>, channels: usize) -> Result<Vec<f64>, Problem> {
    match bias {
        None => Ok(vec![0.0; channels]),
        Some(bias) if bias.count() == channels => Ok(bias.floats()),
        Some(bias) => refused(format!("expected bias of {channels} elements: {bias}")),
    }
}

fn convolve(
    context: &Context<'_>,
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    moves: &Moves,
) -> Result<Tensor, Problem> {
    let (batches, channels) = (input.shape()[0], input.shape()[1]);
    let (out_channels, per_group) = (weight.shape()[0], weight.shape()[1]);
    if per_group.saturating_mul(moves.groups) != channels || out_channels % moves.groups != 0 {
        return refused(format!(
            "Given groups={}, weight of size {weight}, expected input {input} to have {} channels",
            moves.groups,
            per_group.saturating_mul(moves.groups)
        ));
    }
    let (space, kernel) = (&input.shape()[2..], &weight.shape()[2..]);
    let mut out = Vec::new();
    for axis in 0..space.len() {
        let reach = moves.dilation[axis].saturating_mul(kernel[axis].saturating_sub(1)) as i64 + 1;
        let padded = space[axis] as i64 + moves.padding[axis][0] + moves.padding[axis][1];
        if padded < reach {
            return refused(format!(
                "Calculated padded input size per channel: ({padded}). Kernel size: ({reach}). \
                 Kernel size can't be greater than actual input size"
            ));
        }
        out.push((padded - reach) as usize / moves.stride[axis] + 1);
    }
    let shape: Vec<usize> =
        [batches, out_channels].into_iter().chain(out.iter().copied()).collect();
    let taps: usize = kernel.iter().product::<usize>() * per_group;
    context.meter.work(context.meter.room(&shape)?.saturating_mul(taps))?;
    context.meter.room(&[out.iter().product(), kernel.iter().product()])?;
    let (x, w, bias) = (input.floats(), weight.floats(), bias_of(bias, out_channels)?);
    let (area, kernel_area) = (space.iter().product::<usize>(), kernel.iter().product::<usize>());
    let out_area: usize = out.iter().product();
    // For each place and tap the place in a channel of the input, worked out once for all channels.
    let reached: Vec<Option<usize>> = places(&out)
        .flat_map(|at| places(kernel).map(move |tap| (at.clone(), tap)))
        .map(|(at, tap)| source(&at, &tap, space, moves))
        .collect();
    let mut result = Vec::with_capacity(batches * out_channels * out_area);
    let group_out = out_channels / moves.groups;
    for batch in 0..batches {
        for out_channel in 0..out_channels {
            let first = out_channel / group_out * per_group;
            for at in 0..out_area {
                let mut sum = bias[out_channel];
                for channel in 0..per_group {
                    let plane = &x[(batch * channels + first + channel) * area..][..area];
                    let taps =
                        &w[(out_channel * per_group + channel) * kernel_area..][..kernel_area];
                    let reached = &reached[at * kernel_area..][..kernel_area];
                    for (tap, from) in taps.iter().zip(reached) {
                        sum += from.map_or(0.0, |from| tap * plane[from]);
                    }
                }
                result.push(sum);
            }
        }
    }
    Tensor::of_floats(context.meter, input.dtype(), &shape, result)
}

/// The place in the input under a tap of the kernel; none in the padding.
fn source(at: &[usize], tap: &[usize], space: &[usize], moves: &Moves) -> Option<usize> {
    let mut from = 0;
    for axis in 0..space.len() {
        let place = (at[axis] * moves.stride[axis] + tap[axis] * moves.dilation[axis]) as i64
            - moves.padding[axis][0];
        let place = usize::try_from(place).ok().filter(|place| *place < space[axis])?;
        from = from * space[axis] + place;
    }
    Some(from)
}

/// The transposed convolution: each element of the input is spread over the result by the kernel.
fn spread(
    context: &Context<'_>,
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    moves: &Moves,
    extra: &[usize],
) -> Result<Tensor, Problem> {
    let (batches, channels) = (input.shape()[0], input.shape()[1]);
    let group_out = weight.shape()[1];
    if weight.shape()[0] != channels || channels % moves.groups != 0 {
        return refused(format!("expected input {input} to have {} channels", weight.shape()[0]));
    }
    let (space, kernel) = (&input.shape()[2..], &weight.shape()[2..]);
    let mut out = Vec::new();
    for axis in 0..space.len() {
        let extra = extra.get(axis).or(extra.first()).copied().unwrap_or(0) as i64;
        let size = (space[axis] as i64 - 1) * moves.stride[axis] as i64
            - moves.padding[axis][0]
            - moves.padding[axis][1]
            + (moves.dilation[axis].saturating_mul(kernel[axis].saturating_sub(1))) as i64
            + extra
            + 1;
        match usize::try_from(size) {
            Ok(size) => out.push(size),
            Err(_) => return refused(format!("a transposed convolution of the size {size}")),
        }
    }
    let out_channels = group_out * moves.groups;
    let shape: Vec<usize> =
        [batches, out_channels].into_iter().chain(out.iter().copied()).collect();
    context.meter.room(&shape)?;
    let (area, kernel_area) = (space.iter().product::<usize>(), kernel.iter().product::<usize>());
    context.meter.work(input.count().saturating_mul(kernel_area).saturating_mul(group_out))?;
    context.meter.room(&[area, kernel_area])?;
    let (x, w, bias) = (input.floats(), weight.floats(), bias_of(bias, out_channels)?);
    let out_area: usize = out.iter().product();
    let mut result: Vec<f64> = (0..batches)
        .flat_map(|_| bias.iter().flat_map(|one| std::iter::repeat_n(*one, out_area)))
        .collect();
    // A place of the input is where the plain convolution of the result would look from.
    let reached: Vec<Option<usize>> = places(space)
        .flat_map(|at| places(kernel).map(move |tap| (at.clone(), tap)))
        .map(|(at, tap)| source(&at, &tap, &out, moves))
        .collect();
    for batch in 0..batches {
        for channel in 0..channels {
            let first = channel / (channels / moves.groups) * group_out;
            for out_channel in 0..group_out {
                let taps = &w[(channel * group_out + out_channel) * kernel_area..][..kernel_area];
                let plane = (batch * out_channels + first + out_channel) * out_area;
                for at in 0..area {
                    let number = x[(batch * channels + channel) * area + at];
                    for (tap, to) in taps.iter().zip(&reached[at * kernel_area..]) {
                        if let Some(to) = to {
                            result[plane + to] += number * tap;
                        }
                    }
                }
            }
        }
    }
    Tensor::of_floats(context.meter, input.dtype(), &shape, result)
}

/// What a dtype must be for layers of networks.
pub(super) fn float_layer(tensor: &Tensor, what: &str) -> Result<Dtype, Problem> {
    match tensor.dtype() {
        dtype if dtype.is_float() => Ok(dtype),
        other => refused(format!("\"{what}\" not implemented for '{}'", other.storage_name())),
    }
}
