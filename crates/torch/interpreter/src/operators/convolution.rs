//! Convolutions of one to three dimensions.

use super::Arguments;
use super::declaration::{Context, Operator, Run, plain};
use super::matrix::{FAST, exactly};
use crate::kernels::{self, Axis, Geometry, Real};
use crate::problem::{refused, unsupported};
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1) -> Tensor", plain_convolution),
    plain("aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1) -> Tensor", plain_convolution),
    plain("aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] dilation=1, int groups=1) -> Tensor", plain_convolution),
    plain("aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding=\"valid\", int[1] dilation=1, int groups=1) -> Tensor", named_padding),
    plain("aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, str padding=\"valid\", int[2] dilation=1, int groups=1) -> Tensor", named_padding),
    plain("aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, str padding=\"valid\", int[3] dilation=1, int groups=1) -> Tensor", named_padding),
    plain("aten::_convolution_mode(Tensor input, Tensor weight, Tensor? bias, int[] stride, str padding, int[] dilation, int groups) -> Tensor", named_padding),
    plain("aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] output_padding=0, int groups=1, int[3] dilation=1) -> Tensor", transposed_convolution),
    plain("aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor", transposed_convolution),
    plain("aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] output_padding=0, int groups=1, int[2] dilation=1) -> Tensor", transposed_convolution),
    plain("aten::_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled) -> Tensor", inner_convolution),
    plain("aten::_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor", inner_convolution),
    plain("aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor", inner_convolution),
];

/// How the kernel moves, for each dimension of space.
struct ConvolutionParameters {
    stride: Vec<usize>,
    padding: Vec<[i64; 2]>,
    dilation: Vec<usize>,
    groups: usize,
}

impl ConvolutionParameters {
    fn axis(&self, axis: usize, size: usize, kernel: usize, out: usize) -> Axis {
        let (stride, dilation) = (self.stride[axis], self.dilation[axis]);
        Axis { size, kernel, stride, padding: self.padding[axis][0], dilation, out }
    }
}

fn moves(
    args: &Arguments<'_>,
    rank: usize,
    [stride, dilation, groups]: [usize; 3],
    padding: Vec<[i64; 2]>,
) -> Result<ConvolutionParameters, RunProblem> {
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
    Ok(ConvolutionParameters {
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
fn prepared(input: &Tensor, weight: &Tensor) -> Result<(usize, Tensor, bool), RunProblem> {
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
    if !(input.dtype().is_float() || input.dtype() == Dtype::I64) {
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

fn finish(result: Tensor, unbatched: bool) -> Result<ScriptValue, RunProblem> {
    if unbatched { Ok(result.select(0, 0)?.into()) } else { Ok(result.into()) }
}

/// A convolution of complex numbers as four of their parts; none if they are real.
fn of_parts(
    context: &Context<'_>,
    args: &Arguments<'_>,
    run: Run,
) -> Result<Option<ScriptValue>, RunProblem> {
    if !args.tensor(0)?.dtype().is_complex() || !args.tensor(1)?.dtype().is_complex() {
        return Ok(None);
    }
    let part = |at: usize, imaginary: bool| -> Result<ScriptValue, RunProblem> {
        let Some(tensor) = args.tensor_or_none(at)? else { return Ok(ScriptValue::None) };
        let numbers = tensor.complexes().into_iter();
        let numbers = numbers.map(|(re, im)| if imaginary { im } else { re }).collect();
        let dtype = tensor.dtype().part();
        Ok(Tensor::of_floats(context.meter, dtype, tensor.shape(), numbers)?.into())
    };
    let calculated = |input: bool, weight: bool, bias: ScriptValue| -> Result<Tensor, RunProblem> {
        let mut values: Vec<ScriptValue> =
            (0..args.len()).map(|at| args.value(at).clone()).collect();
        let parts = [part(0, input)?, part(1, weight)?, bias];
        values.iter_mut().zip(parts).for_each(|(value, part)| *value = part);
        match run(context, &Arguments::new(&values))? {
            ScriptValue::Tensor(tensor) => Ok(tensor),
            _ => unsupported("a convolution that gives no tensor"),
        }
    };
    let (real, minus) =
        (calculated(false, false, part(2, false)?)?, calculated(true, true, ScriptValue::None)?);
    let (imaginary, plus) =
        (calculated(false, true, part(2, true)?)?, calculated(true, false, ScriptValue::None)?);
    let re = real.floats().into_iter().zip(minus.floats()).map(|(a, b)| a - b);
    let im = imaginary.floats().into_iter().zip(plus.floats()).map(|(a, b)| a + b);
    let numbers = Elements::Complex(re.zip(im).collect());
    let dtype = real.dtype().to_complex();
    Ok(Some(Tensor::from_elements(context.meter, dtype, real.shape(), &numbers)?.into()))
}

fn plain_convolution(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    if let Some(result) = of_parts(context, args, plain_convolution)? {
        return Ok(result);
    }
    let (rank, input, unbatched) = prepared(args.tensor(0)?, args.tensor(1)?)?;
    let moves = moves(args, rank, [3, 5, 6], even(args.ints(4)?))?;
    let result = convolve(context, &input, args.tensor(1)?, args.tensor_or_none(2)?, &moves)?;
    finish(result, unbatched)
}

fn named_padding(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if let Some(result) = of_parts(context, args, named_padding)? {
        return Ok(result);
    }
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

fn transposed_convolution(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    if let Some(result) = of_parts(context, args, transposed_convolution)? {
        return Ok(result);
    }
    let (rank, input, unbatched) = prepared(args.tensor(0)?, args.tensor(1)?)?;
    let moves = moves(args, rank, [3, 7, 6], even(args.ints(4)?))?;
    let result =
        spread(context, &input, args.tensor(1)?, args.tensor_or_none(2)?, &moves, &args.sizes(5)?)?;
    finish(result, unbatched)
}

fn inner_convolution(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    if let Some(result) = of_parts(context, args, inner_convolution)? {
        return Ok(result);
    }
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

fn bias_of(bias: Option<&Tensor>, channels: usize) -> Result<Vec<f64>, RunProblem> {
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
    moves: &ConvolutionParameters,
) -> Result<Tensor, RunProblem> {
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
    let mut axes = Vec::new();
    for axis in 0..space.len() {
        let reach = moves.dilation[axis].saturating_mul(kernel[axis].saturating_sub(1)) as i64 + 1;
        let padded = space[axis] as i64 + moves.padding[axis][0] + moves.padding[axis][1];
        if padded < reach || kernel[axis] == 0 {
            return refused(format!(
                "Calculated padded input size per channel: ({padded}). Kernel size: ({reach}). \
                 Kernel size can't be greater than actual input size"
            ));
        }
        let out = (padded - reach) as usize / moves.stride[axis] + 1;
        axes.push(moves.axis(axis, space[axis], kernel[axis], out));
    }
    let Some(geometry) = Geometry::new(&axes) else {
        return unsupported(format!("a convolution of {} dimensions", space.len()));
    };
    let shape: Vec<usize> =
        [batches, out_channels].into_iter().chain(axes.iter().map(|axis| axis.out)).collect();
    let taps: usize = kernel.iter().product::<usize>() * per_group;
    let size = context.meter.room(&shape)?.saturating_mul(taps);
    let scratch = kernels::scratch(per_group, &geometry);
    context.meter.could_hold(scratch.saturating_mul(context.threads))?;
    let layer = Layer { input, weight, bias, groups: moves.groups, geometry, transposed: false };
    calculated(context, &layer, &shape, (size, geometry.out_area()))
}

/// The transposed convolution: each element of the input is spread over the result by the kernel.
fn spread(
    context: &Context<'_>,
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    moves: &ConvolutionParameters,
    extra: &[usize],
) -> Result<Tensor, RunProblem> {
    let (batches, channels) = (input.shape()[0], input.shape()[1]);
    let group_out = weight.shape()[1];
    if weight.shape()[0] != channels || channels % moves.groups != 0 {
        return refused(format!("expected input {input} to have {} channels", weight.shape()[0]));
    }
    let (space, kernel) = (&input.shape()[2..], &weight.shape()[2..]);
    let mut axes = Vec::new();
    for axis in 0..space.len() {
        let extra = extra.get(axis).or(extra.first()).copied().unwrap_or(0) as i64;
        let size = (space[axis] as i64 - 1) * moves.stride[axis] as i64
            - moves.padding[axis][0]
            - moves.padding[axis][1]
            + (moves.dilation[axis].saturating_mul(kernel[axis].saturating_sub(1))) as i64
            + extra
            + 1;
        match usize::try_from(size) {
            Ok(size) => axes.push(moves.axis(axis, size, kernel[axis], space[axis])),
            Err(_) => return refused(format!("a transposed convolution of the size {size}")),
        }
    }
    let Some(geometry) = Geometry::new(&axes) else {
        return unsupported(format!("a convolution of {} dimensions", space.len()));
    };
    let out_channels = group_out * moves.groups;
    let shape: Vec<usize> =
        [batches, out_channels].into_iter().chain(axes.iter().map(|axis| axis.size)).collect();
    context.meter.room(&shape)?;
    // Each element under each tap is there at one time.
    let spread =
        context.meter.room(&[group_out, kernel.iter().product(), space.iter().product()])?;
    let size = spread.saturating_mul(batches).saturating_mul(channels);
    let layer = Layer { input, weight, bias, groups: moves.groups, geometry, transposed: true };
    calculated(context, &layer, &shape, (size, geometry.area()))
}

/// A convolution, worked out but not calculated.
struct Layer<'l> {
    input: &'l Tensor,
    weight: &'l Tensor,
    bias: Option<&'l Tensor>,
    groups: usize,
    geometry: Geometry,
    transposed: bool,
}

/// The result of a layer that takes `size` multiplications, whose planes have `area` elements.
fn calculated(
    context: &Context<'_>,
    layer: &Layer<'_>,
    shape: &[usize],
    (size, area): (usize, usize),
) -> Result<Tensor, RunProblem> {
    let exactly = exactly(layer.input.dtype(), size);
    context.meter.work(if exactly { size } else { size / FAST })?;
    let bias = bias_of(layer.bias, shape[1])?;
    let inputs = if exactly { None } else { layer.input.singles().zip(layer.weight.singles()) };
    if let Some((input, weight)) = inputs {
        let bias: Vec<f32> = bias.iter().map(|number| *number as f32).collect();
        return Tensor::of_singles(context.meter, shape, |result| {
            layer.images(&input, &weight, &bias, (result, area), context.threads);
        });
    }
    let mut result = vec![0.0; shape.iter().product()];
    let (input, weight) = (layer.input.floats(), layer.weight.floats());
    layer.images(&input, &weight, &bias, (&mut result, area), context.threads);
    Tensor::of_floats(context.meter, layer.input.dtype(), shape, result)
}

impl Layer<'_> {
    fn images<T: Real>(
        &self,
        input: &[T],
        weight: &[T],
        bias: &[T],
        (result, area): (&mut [T], usize),
        threads: usize,
    ) {
        for (plane, bias) in result.chunks_mut(area.max(1)).zip(bias.iter().cycle()) {
            plane.fill(*bias);
        }
        let batches = self.input.shape()[0];
        let (in_size, out_size) = (input.len() / batches.max(1), result.len() / batches.max(1));
        if in_size == 0 || out_size == 0 {
            return;
        }
        let kernel = if self.transposed { kernels::spread } else { kernels::convolve };
        for (image, result) in input.chunks(in_size).zip(result.chunks_mut(out_size)) {
            kernel(image, weight, self.groups, &self.geometry, result, threads);
        }
    }
}

/// What a dtype must be for layers of networks.
pub(super) fn float_layer(tensor: &Tensor, what: &str) -> Result<Dtype, RunProblem> {
    match tensor.dtype() {
        dtype if dtype.is_float() => Ok(dtype),
        other => refused(format!("\"{what}\" not implemented for '{}'", other.storage_name())),
    }
}
