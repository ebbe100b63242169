//! Normalizations.

use super::Arguments;
use super::convolution::float_layer;
use super::declaration::{Context, Operator, plain};
use crate::kernels::share;
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor", batch_norm),
    plain("aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)", frozen_batch_norm),
    plain("aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", native_batch_norm),
    plain("aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", native_batch_norm),
    plain("aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)", without_running),
    plain("aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> (Tensor, Tensor, Tensor)", native_group_norm),
    plain("aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor", instance_norm),
    plain("aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor", |c, a| Ok(layer_norm(c, a)?.0.into())),
    plain("aten::native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)", native_layer_norm),
    plain("aten::rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor", rms_norm),
    plain("aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor", group_norm),
];

/// The number of each channel, or a default for all.
fn channels(tensor: Option<&Tensor>, count: usize, default: f64) -> Result<Vec<f64>, RunProblem> {
    match tensor {
        None => Ok(vec![default; count]),
        Some(tensor) if tensor.count() == count => Ok(tensor.floats()),
        Some(tensor) => refused(format!("expected {count} elements: {tensor}")),
    }
}

/// The channels of an input, and how many elements of one image each has.
fn layout(input: &Tensor) -> Result<(usize, usize), RunProblem> {
    match input.shape() {
        [_, channels, space @ ..] => Ok((*channels, space.iter().product())),
        _ => refused(format!("expected at least 2D input: {input}")),
    }
}

/// Mean and variance, the latter with the divisor of a sample or of all.
fn moments(numbers: impl Iterator<Item = f64> + Clone) -> (f64, f64, f64) {
    let count = numbers.clone().count() as f64;
    let mean = numbers.clone().sum::<f64>() / count;
    let squares: f64 = numbers.map(|n| (n - mean) * (n - mean)).sum();
    (mean, squares / count, squares / (count - 1.0))
}

fn batch_norm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(batch_norm_with_moments(context, args)?.0)
}

/// With the means, and one divided by the deviations, of what was trained on; both empty otherwise.
fn native_batch_norm(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (result, means, vars) = batch_norm_with_moments(context, args)?;
    let (dtype, eps) = (args.tensor(0)?.dtype(), args.float(7)?);
    let count = if args.boolean(5)? { means.len() } else { 0 };
    let vector = |numbers: Vec<f64>| {
        let numbers = numbers.into_iter().take(count).collect();
        Tensor::of_floats(context.meter, dtype, &[count], numbers)
    };
    let scales = vars.into_iter().map(|var| 1.0 / (var + eps).sqrt()).collect();
    Ok(ScriptValue::tuple(vec![result, vector(means)?.into(), vector(scales)?.into()]))
}

fn without_running(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut values: Vec<ScriptValue> = (0..args.len()).map(|at| args.value(at).clone()).collect();
    values.splice(3..3, [ScriptValue::None, ScriptValue::None]);
    native_batch_norm(context, &Arguments::new(&values))
}

fn batch_norm_with_moments(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<(ScriptValue, Vec<f64>, Vec<f64>), RunProblem> {
    let input = args.tensor(0)?;
    let (count, area) = layout(input)?;
    let (mut means, mut vars) = if args.boolean(5)? {
        (vec![0.0; count], vec![0.0; count])
    } else {
        let (Some(mean), Some(var)) = (args.tensor_or_none(3)?, args.tensor_or_none(4)?) else {
            return refused("running_mean must be defined in evaluation mode");
        };
        (channels(Some(mean), count, 0.0)?, channels(Some(var), count, 1.0)?)
    };
    if args.boolean(5)? {
        if input.shape()[0] * area <= 1 {
            return refused(format!(
                "Expected more than 1 value per channel when training, got {input}"
            ));
        }
        let numbers = input.floats();
        let mut samples = vec![0.0; count];
        for channel in 0..count {
            let own = numbers.chunks(area.max(1)).skip(channel).step_by(count).flatten().copied();
            (means[channel], vars[channel], samples[channel]) = moments(own);
        }
        let momentum = args.float(6)?;
        for (running, new) in
            [(args.tensor_or_none(3)?, &means), (args.tensor_or_none(4)?, &samples)]
        {
            let Some(running) = running else { continue };
            let mixed = running.floats().into_iter().zip(new);
            let mixed = mixed.map(|(old, new)| (1.0 - momentum) * old + momentum * new).collect();
            running.write(&crate::tensor::Elements::Float(mixed))?;
        }
    }
    let result = normalized(context, args, (count, area), (&means, &vars), args.float(7)?)?;
    Ok((result, means, vars))
}

fn normalized(
    context: &Context<'_>,
    args: &Arguments<'_>,
    (count, area): (usize, usize),
    (means, vars): (&[f64], &[f64]),
    eps: f64,
) -> Result<ScriptValue, RunProblem> {
    let input = args.tensor(0)?;
    let dtype = float_layer(input, "batch_norm")?;
    let weight = channels(args.tensor_or_none(1)?, count, 1.0)?;
    let bias = channels(args.tensor_or_none(2)?, count, 0.0)?;
    if let Some(numbers) = input.singles() {
        let result = Tensor::of_singles(context.meter, input.shape(), |result| {
            let runs = result.chunks_mut(area.max(1)).zip(numbers.chunks(area.max(1)));
            share(runs.enumerate().collect(), context.threads, |(nth, (to, from))| {
                let channel = nth % count;
                let scale = weight[channel] / (vars[channel] + eps).sqrt();
                for (to, from) in to.iter_mut().zip(from) {
                    *to = ((f64::from(*from) - means[channel]) * scale + bias[channel]) as f32;
                }
            });
        });
        return Ok(result?.into());
    }
    let mut numbers = input.floats();
    for (nth, run) in numbers.chunks_mut(area.max(1)).enumerate() {
        let channel = nth % count;
        let scale = weight[channel] / (vars[channel] + eps).sqrt();
        run.iter_mut().for_each(|n| *n = (*n - means[channel]) * scale + bias[channel]);
    }
    Ok(Tensor::of_floats(context.meter, dtype, input.shape(), numbers)?.into())
}

fn frozen_batch_norm(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (count, area) = layout(args.tensor(0)?)?;
    let means = channels(args.tensor_or_none(3)?, count, 0.0)?;
    let vars = channels(args.tensor_or_none(4)?, count, 1.0)?;
    let result = normalized(context, args, (count, area), (&means, &vars), args.float(6)?)?;
    let empty = || Tensor::of_floats(context.meter, Dtype::F32, &[0], Vec::new());
    Ok(ScriptValue::tuple(vec![result, empty()?.into(), empty()?.into()]))
}

fn instance_norm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let input = args.tensor(0)?;
    let (count, area) = layout(input)?;
    if !args.boolean(5)? {
        let means = channels(args.tensor_or_none(3)?, count, 0.0)?;
        let vars = channels(args.tensor_or_none(4)?, count, 1.0)?;
        return normalized(context, args, (count, area), (&means, &vars), args.float(7)?);
    }
    let momentum = args.float(6)?;
    let running = [args.tensor_or_none(3)?, args.tensor_or_none(4)?];
    let (mut sums, mut samples) = (vec![0.0; count], vec![0.0; count]);
    let weight = channels(args.tensor_or_none(1)?, count, 1.0)?;
    let bias = channels(args.tensor_or_none(2)?, count, 0.0)?;
    let mut numbers = input.floats();
    let eps = args.float(7)?;
    for (nth, run) in numbers.chunks_mut(area.max(1)).enumerate() {
        let (mean, var, sample) = moments(run.iter().copied());
        sums[nth % count] += mean;
        samples[nth % count] += sample;
        let scale = weight[nth % count] / (var + eps).sqrt();
        run.iter_mut().for_each(|n| *n = (*n - mean) * scale + bias[nth % count]);
    }
    // What is kept goes on to the means over all images.
    let images = input.shape()[0] as f64;
    for (kept, new) in running.into_iter().zip([sums, samples]) {
        let Some(kept) = kept else { continue };
        let mixed = kept.floats().into_iter().zip(new);
        let mixed = mixed.map(|(old, new)| (1.0 - momentum) * old + momentum * new / images);
        kept.write(&crate::tensor::Elements::Float(mixed.collect()))?;
    }
    Ok(Tensor::of_floats(context.meter, input.dtype(), input.shape(), numbers)?.into())
}

/// How many elements are normalized together: those of the last dimensions, which must be `shape`.
fn normalized_size(input: &Tensor, shape: &[usize]) -> Result<usize, RunProblem> {
    if shape.is_empty() || !input.shape().ends_with(shape) {
        return refused(format!(
            "Given normalized_shape={shape:?}, expected input with shape [*, {shape:?}], but got input of size {:?}",
            input.shape()
        ));
    }
    Ok(shape.iter().product())
}

/// The result, the means, and one divided by the deviations.
fn layer_norm(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<(Tensor, Tensor, Tensor), RunProblem> {
    let (input, shape) = (args.tensor(0)?, args.sizes(1)?);
    let dtype = float_layer(input, "LayerNormKernelImpl")?;
    let size = normalized_size(input, &shape)?;
    let weight = channels(args.tensor_or_none(2)?, size, 1.0)?;
    let bias = channels(args.tensor_or_none(3)?, size, 0.0)?;
    let eps = args.float(4)?;
    let mut numbers = input.floats();
    let (mut means, mut scales) = (Vec::new(), Vec::new());
    for run in numbers.chunks_mut(size.max(1)) {
        let (mean, var, _) = moments(run.iter().copied());
        let scale = 1.0 / (var + eps).sqrt();
        for (at, n) in run.iter_mut().enumerate() {
            *n = (*n - mean) * scale * weight[at] + bias[at];
        }
        means.push(mean);
        scales.push(scale);
    }
    let mut reduced = input.shape()[..input.rank() - shape.len()].to_vec();
    reduced.resize(input.rank(), 1);
    Ok((
        Tensor::of_floats(context.meter, dtype, input.shape(), numbers)?,
        Tensor::of_floats(context.meter, dtype, &reduced, means)?,
        Tensor::of_floats(context.meter, dtype, &reduced, scales)?,
    ))
}

fn native_layer_norm(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let (result, means, scales) = layer_norm(context, args)?;
    Ok(ScriptValue::tuple(vec![result.into(), means.into(), scales.into()]))
}

fn rms_norm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (input, shape) = (args.tensor(0)?, args.sizes(1)?);
    let dtype = float_layer(input, "rms_norm")?;
    let size = normalized_size(input, &shape)?;
    let weight = channels(args.tensor_or_none(2)?, size, 1.0)?;
    // The least step of the type that the kernel calculates with.
    let least = if dtype == Dtype::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let eps = args.float_or_none(3)?.unwrap_or(least);
    let mut numbers = input.floats();
    for run in numbers.chunks_mut(size.max(1)) {
        let squares: f64 = run.iter().map(|n| n * n).sum();
        let scale = 1.0 / (squares / size as f64 + eps).sqrt();
        run.iter_mut().zip(&weight).for_each(|(n, weight)| *n *= scale * weight);
    }
    Ok(Tensor::of_floats(context.meter, dtype, input.shape(), numbers)?.into())
}

/// With the means of the groups, and one divided by their deviations.
fn native_group_norm(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let input = args.tensor(0)?;
    let [images, groups] =
        [input.shape().first().copied().unwrap_or(0), args.int(6)?.max(1) as usize];
    let given = [0, 6, 1, 2, 7].map(|at| args.value(at).clone());
    let result = group_norm(context, &Arguments::new(&given))?;
    let (numbers, eps) = (input.floats(), args.float(7)?);
    let size = (numbers.len() / images.saturating_mul(groups).max(1)).max(1);
    let (mut means, mut scales) = (Vec::new(), Vec::new());
    for run in numbers.chunks(size) {
        let (mean, var, _) = moments(run.iter().copied());
        means.push(mean);
        scales.push(1.0 / (var + eps).sqrt());
    }
    let tensor = |all| Tensor::of_floats(context.meter, input.dtype(), &[images, groups], all);
    Ok(ScriptValue::tuple(vec![result, tensor(means)?.into(), tensor(scales)?.into()]))
}

fn group_norm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let input = args.tensor(0)?;
    let dtype = float_layer(input, "GroupNormKernelImpl")?;
    let (count, area) = layout(input)?;
    let groups = usize::try_from(args.int(1)?).ok().filter(|g| *g > 0 && count % g == 0);
    let Some(groups) = groups else {
        return refused(format!(
            "Expected number of channels in input to be divisible by num_groups: {input}"
        ));
    };
    let weight = channels(args.tensor_or_none(2)?, count, 1.0)?;
    let bias = channels(args.tensor_or_none(3)?, count, 0.0)?;
    let (eps, per_group) = (args.float(4)?, count / groups);
    let mut numbers = input.floats();
    for (nth, group) in numbers.chunks_mut((per_group * area).max(1)).enumerate() {
        let (mean, var, _) = moments(group.iter().copied());
        let scale = 1.0 / (var + eps).sqrt();
        for (at, n) in group.iter_mut().enumerate() {
            let channel = nth % groups * per_group + at / area;
            *n = (*n - mean) * scale * weight[channel] + bias[channel];
        }
    }
    Ok(Tensor::of_floats(context.meter, dtype, input.shape(), numbers)?.into())
}
