//! Discrete Fourier transforms, whole and in windows.

use std::f64::consts::TAU;

use super::Arguments;
use super::arguments::axis;
use super::declaration::{Context, Operator, plain};
use super::pointwise::Complex;
use crate::problem::{refused, unsupported};
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::fft_fft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", |c, a| one_axis(c, a, TransformKind::Whole, false)),
    plain("aten::fft_ifft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", |c, a| one_axis(c, a, TransformKind::Whole, true)),
    plain("aten::fft_rfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", |c, a| one_axis(c, a, TransformKind::Half, false)),
    plain("aten::fft_irfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", |c, a| one_axis(c, a, TransformKind::Real, true)),
    plain("aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", real_to_complex),
    plain("aten::_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor", complex_to_real),
    plain("aten::_fft_c2c(Tensor self, int[] dim, int normalization, bool forward) -> Tensor", complex_to_complex),
    plain("aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", |c, a| stft(c, a, None)),
    plain("aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", |c, a| stft(c, a, Some(5))),
    plain("aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor", istft),
    plain("aten::hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| window(c, a, true, 1, hann)),
    plain("aten::hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| window(c, a, a.boolean(1)?, 2, hann)),
    plain("aten::hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| window(c, a, true, 1, hamming)),
    plain("aten::hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", |c, a| window(c, a, a.boolean(1)?, 2, hamming)),
];

fn hann(at: f64) -> f64 {
    0.5 - 0.5 * (TAU * at).cos()
}

fn hamming(at: f64) -> f64 {
    0.54 - 0.46 * (TAU * at).cos()
}

fn window(
    context: &Context<'_>,
    args: &Arguments<'_>,
    periodic: bool,
    dtype: usize,
    of: fn(f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let Ok(length) = usize::try_from(args.int(0)?) else {
        return refused("requires non-negative window_length");
    };
    let dtype = args.dtype(dtype)?.unwrap_or(Dtype::F32);
    context.meter.room(&[length])?;
    let steps = if periodic { length } else { length.saturating_sub(1).max(1) } as f64;
    let one = |at: usize| if length == 1 { 1.0 } else { of(at as f64 / steps) };
    Ok(Tensor::of_floats(context.meter, dtype, &[length], (0..length).map(one).collect())?.into())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TransformKind {
    /// As many numbers as it is given.
    Whole,
    /// The first half of what real numbers give; the other half is its mirror.
    Half,
    /// Real numbers, from the first half.
    Real,
}

/// By how much the sums of a transform of this size are divided.
fn divisor(norm: Option<&str>, size: usize, inverse: bool) -> Result<f64, RunProblem> {
    match (norm, inverse) {
        (None | Some("backward"), false) | (Some("forward"), true) => Ok(1.0),
        (None | Some("backward"), true) | (Some("forward"), false) => Ok(size as f64),
        (Some("ortho"), _) => Ok((size as f64).sqrt()),
        (Some(other), _) => refused(format!("Invalid normalization mode: \"{other}\"")),
    }
}

fn one_axis(
    context: &Context<'_>,
    args: &Arguments<'_>,
    kind: TransformKind,
    inverse: bool,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if kind == TransformKind::Half && tensor.dtype().is_complex() {
        return refused(format!("rfft expects a real input tensor, but got {}", tensor.dtype()));
    }
    let along = args.axis(2, tensor.rank())?;
    let size = tensor.shape().get(along).copied().unwrap_or(0);
    let usual = if kind == TransformKind::Real { 2 * size.saturating_sub(1) } else { size };
    let count = args.int_or_none(1)?.unwrap_or(usual as i64);
    let Some(count) = usize::try_from(count).ok().filter(|count| *count > 0) else {
        return refused(format!("Invalid number of data points ({count}) specified"));
    };
    let divisor = divisor(args.text_or_none(3)?, count, inverse)?;
    Ok(transformed(context, tensor, along, count, (kind, inverse, divisor))?.into())
}

/// The dimensions and the divisor of an operator of graphs.
fn inner(
    args: &Arguments<'_>,
    sizes: impl Fn(usize) -> usize,
) -> Result<(Vec<usize>, f64), RunProblem> {
    let rank = args.tensor(0)?.rank();
    let axes =
        args.ints(1)?.into_iter().map(|dim| axis(dim, rank)).collect::<Result<Vec<_>, _>>()?;
    let size: f64 = axes.iter().map(|axis| sizes(*axis) as f64).product();
    match args.int(2)? {
        0 => Ok((axes, 1.0)),
        1 => Ok((axes, size.sqrt())),
        2 => Ok((axes, size)),
        other => refused(format!("an unknown normalization: {other}")),
    }
}

fn real_to_complex(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (axes, divisor) = inner(args, |axis| tensor.shape()[axis])?;
    let kind = if args.boolean(3)? { TransformKind::Half } else { TransformKind::Whole };
    let mut result = tensor.clone();
    for (nth, along) in axes.iter().rev().enumerate() {
        let (kind, divisor) = if nth == 0 { (kind, divisor) } else { (TransformKind::Whole, 1.0) };
        let count = result.shape()[*along];
        result = transformed(context, &result, *along, count, (kind, false, divisor))?;
    }
    Ok(result.into())
}

fn complex_to_complex(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (axes, mut divisor) = inner(args, |axis| tensor.shape()[axis])?;
    let (mut result, forward) = (tensor.clone(), args.boolean(3)?);
    for along in axes.iter().rev() {
        let count = result.shape()[*along];
        result = transformed(
            context,
            &result,
            *along,
            count,
            (TransformKind::Whole, !forward, divisor),
        )?;
        divisor = 1.0;
    }
    Ok(result.into())
}

fn complex_to_real(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let Ok(last) = usize::try_from(args.int(3)?) else { return refused("a negative size") };
    let Some((final_axis, before)) = args.ints(1)?.split_last().map(|(l, b)| (*l, b.to_vec()))
    else {
        return refused("no dimension to transform");
    };
    let final_axis = axis(final_axis, tensor.rank())?;
    let size = |axis: usize| if axis == final_axis { last } else { tensor.shape()[axis] };
    let (_, divisor) = inner(args, size)?;
    let mut result = tensor.clone();
    for along in before {
        let along = axis(along, tensor.rank())?;
        let count = result.shape()[along];
        result = transformed(context, &result, along, count, (TransformKind::Whole, true, 1.0))?;
    }
    Ok(transformed(context, &result, final_axis, last, (TransformKind::Real, true, divisor))?
        .into())
}

/// The transform along a dimension, of so many points: what is missing is zero.
fn transformed(
    context: &Context<'_>,
    tensor: &Tensor,
    along: usize,
    count: usize,
    (kind, inverse, divisor): (TransformKind, bool, f64),
) -> Result<Tensor, RunProblem> {
    if tensor.rank() == 0 || count == 0 {
        return refused(format!("a Fourier transform of {tensor}"));
    }
    let mut order: Vec<usize> = (0..tensor.rank()).collect();
    order.swap(along, tensor.rank() - 1);
    let swapped = tensor.permute(&order)?;
    let size = swapped.shape()[tensor.rank() - 1];
    let mut shape = swapped.shape().to_vec();
    let out = if kind == TransformKind::Half { count / 2 + 1 } else { count };
    shape[tensor.rank() - 1] = out;
    context.meter.room(&[count, 4])?;
    let runs = context.meter.room(&shape)? / out.max(1);
    context.meter.work(runs.saturating_mul(count).saturating_mul(cost(count)))?;
    let numbers = swapped.complexes();
    let parts = if tensor.dtype().is_integral() { Dtype::F32 } else { tensor.dtype().part() };
    let mut results: Vec<Complex> = Vec::new();
    for run in numbers.chunks(size.max(1)) {
        let mut points: Vec<Complex> = (0..count)
            .map(|at| match kind {
                // The other half is the mirror of the first.
                TransformKind::Real if at > count / 2 => {
                    run.get(count - at).map_or((0.0, 0.0), |(re, im)| (*re, -im))
                }
                _ => run.get(at).copied().unwrap_or((0.0, 0.0)),
            })
            .collect();
        if kind == TransformKind::Real {
            points[0].1 = 0.0;
            if count.is_multiple_of(2) && count > 1 {
                points[count / 2].1 = 0.0;
            }
        }
        let result = fourier(&points, if inverse { 1.0 } else { -1.0 });
        results.extend(result[..out].iter().map(|(re, im)| (re / divisor, im / divisor)));
    }
    let result = if kind == TransformKind::Real {
        let real = results.into_iter().map(|(re, _)| re).collect();
        Tensor::of_floats(context.meter, parts, &shape, real)?
    } else {
        let elements = Elements::Complex(results);
        Tensor::from_elements(context.meter, parts.to_complex(), &shape, &elements)?
    };
    result.permute(&order)?.contiguous()
}

/// How many products there are for each point: the factors of the size, added up.
fn cost(size: usize) -> usize {
    let (mut left, mut sum, mut factor) = (size, 8, 2);
    while factor * factor <= left {
        while left % factor == 0 {
            left /= factor;
            sum += factor;
        }
        factor += 1;
    }
    sum + left
}

/// The sums, each point turned by `sign`: split by the smallest factor of the size, again and again.
fn fourier(points: &[Complex], sign: f64) -> Vec<Complex> {
    let count = points.len();
    if count <= 1 {
        return points.to_vec();
    }
    let factor =
        (2..).take_while(|f| f * f <= count).find(|f| count.is_multiple_of(*f)).unwrap_or(count);
    let parts: Vec<Vec<Complex>> = (0..factor)
        .map(|first| {
            let part: Vec<Complex> = points.iter().skip(first).step_by(factor).copied().collect();
            if factor == count { part } else { fourier(&part, sign) }
        })
        .collect();
    let turns: Vec<Complex> = (0..count)
        .map(|at| {
            let (sin, cos) = (sign * TAU * at as f64 / count as f64).sin_cos();
            (cos, sin)
        })
        .collect();
    let each = |at: usize| {
        let term = |(nth, part): (usize, &Vec<Complex>)| {
            let (turn, point) = (turns[nth * at % count], part[at % part.len()]);
            (turn.0 * point.0 - turn.1 * point.1, turn.0 * point.1 + turn.1 * point.0)
        };
        let terms = parts.iter().enumerate().map(term);
        terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1))
    };
    (0..count).map(each).collect()
}

/// How a signal is cut into windows.
struct Frames {
    size: usize,
    hop: usize,
    /// The weight of each point of a window.
    weights: Vec<f64>,
    onesided: bool,
    divisor: f64,
}

fn frames(
    context: &Context<'_>,
    args: &Arguments<'_>,
    onesided: bool,
    normalized: bool,
) -> Result<Frames, RunProblem> {
    let size = usize::try_from(args.int(1)?).ok().filter(|size| *size > 0);
    let Some(size) = size else { return refused("stft: expected 0 < n_fft") };
    context.meter.room(&[size])?;
    let hop = args.int_or_none(2)?.unwrap_or(size as i64 / 4);
    let window = args.tensor_or_none(4)?;
    let length = args.int_or_none(3)?.unwrap_or(size as i64);
    let (Some(hop), Some(length)) = (
        usize::try_from(hop).ok().filter(|hop| *hop > 0),
        usize::try_from(length).ok().filter(|length| (1..=size).contains(length)),
    ) else {
        return refused("stft: expected hop_length > 0 and 0 < win_length <= n_fft");
    };
    let own = match window {
        Some(window) if window.shape() != [length] => {
            return refused(format!("stft: expected a 1D window of win_length {length}: {window}"));
        }
        Some(window) if window.dtype().is_complex() => {
            return unsupported("stft with a complex window");
        }
        Some(window) => window.floats(),
        None => vec![1.0; length],
    };
    let left = (size - length) / 2;
    let mut weights = vec![0.0; size];
    weights[left..left + length].copy_from_slice(&own);
    let divisor = if normalized { (size as f64).sqrt() } else { 1.0 };
    Ok(Frames { size, hop, weights, onesided, divisor })
}

fn stft(
    context: &Context<'_>,
    args: &Arguments<'_>,
    centre: Option<usize>,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let first = if centre.is_some() { 7 } else { 5 };
    let optional = |at: usize| args.value(at).number().map(crate::ScalarValue::is_true);
    if tensor.dtype().is_integral() {
        return refused(format!(
            "stft expected a tensor of floating point or complex values: {tensor}"
        ));
    }
    let complex = match optional(first + 2) {
        Some(complex) => complex,
        None if tensor.dtype().is_complex() => true,
        None if context.semantics.has("stft-gives-pairs") => false,
        None => {
            return refused("stft requires the return_complex parameter be given for real inputs");
        }
    };
    let frames = frames(
        context,
        args,
        optional(first + 1).unwrap_or(!tensor.dtype().is_complex()),
        args.boolean(first)?,
    )?;
    let tensor = match centre {
        Some(at) if args.boolean(at)? => {
            padded(context, tensor, frames.size / 2, args.text(at + 1)?)?
        }
        _ => tensor.clone(),
    };
    let (batches, length) = match *tensor.shape() {
        [length] => (1, length),
        [batches, length] => (batches, length),
        _ => return refused(format!("stft: expected a 1D or 2D tensor: {tensor}")),
    };
    let Some(spare) = length.checked_sub(frames.size) else {
        return refused(format!("stft: expected 0 < n_fft <= {length}"));
    };
    let (steps, bins) =
        (spare / frames.hop + 1, if frames.onesided { frames.size / 2 + 1 } else { frames.size });
    let mut shape = vec![bins, steps];
    if tensor.rank() == 2 {
        shape.insert(0, batches);
    }
    let size = context.meter.room(&[batches, steps, frames.size, 2])?;
    context.meter.work(size.saturating_mul(cost(frames.size)))?;
    let numbers = tensor.complexes();
    let mut spectra = vec![(0.0, 0.0); batches * bins * steps];
    for (batch, signal) in numbers.chunks(length).enumerate() {
        for step in 0..steps {
            let part = &signal[step * frames.hop..][..frames.size];
            let points: Vec<Complex> = part
                .iter()
                .zip(&frames.weights)
                .map(|(n, weight)| (n.0 * weight, n.1 * weight))
                .collect();
            for (bin, (re, im)) in fourier(&points, -1.0).into_iter().take(bins).enumerate() {
                spectra[(batch * bins + bin) * steps + step] =
                    (re / frames.divisor, im / frames.divisor);
            }
        }
    }
    let dtype = tensor.dtype();
    if complex {
        let spectra = Elements::Complex(spectra);
        return Ok(
            Tensor::from_elements(context.meter, dtype.to_complex(), &shape, &spectra)?.into()
        );
    }
    shape.push(2);
    let parts = spectra.into_iter().flat_map(|(re, im)| [re, im]).collect();
    Ok(Tensor::of_floats(context.meter, dtype, &shape, parts)?.into())
}

fn padded(
    context: &Context<'_>,
    tensor: &Tensor,
    by: usize,
    mode: &str,
) -> Result<Tensor, RunProblem> {
    let shape = tensor.shape().to_vec();
    let mut batched = vec![1; 3_usize.saturating_sub(shape.len())];
    batched.extend(&shape);
    let by = by as i64;
    let values = [
        tensor.reshape(&batched)?.into(),
        ScriptValue::ints([by, by]),
        ScriptValue::from(mode),
        ScriptValue::None,
    ];
    let Some(pad) = context.overload("aten::pad", "") else { return refused("no pad") };
    let wide = pad.run(context, &values)?;
    let Some(wide) = wide.tensor() else { return refused("no pad") };
    let mut shape = shape;
    if let Some(last) = shape.last_mut() {
        *last += 2 * by as usize;
    }
    wide.reshape(&shape)
}

/// The signal that these windows were cut from: they are added where they overlap.
fn istft(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !tensor.dtype().is_complex() {
        return refused("istft requires a complex-valued input tensor");
    }
    let complex = args.boolean(9)?;
    let (batches, bins, steps) = match *tensor.shape() {
        [bins, steps] => (1, bins, steps),
        [batches, bins, steps] => (batches, bins, steps),
        _ => return refused(format!("istft: expected a tensor of 2 or 3 dimensions: {tensor}")),
    };
    let size = args.int(1)?;
    let onesided = args.value(7).number().map_or(bins as i64 != size, crate::ScalarValue::is_true);
    let frames = frames(context, args, onesided, args.boolean(6)?)?;
    let wanted = if onesided { frames.size / 2 + 1 } else { frames.size };
    if bins != wanted || steps == 0 {
        return refused(format!("istft: expected {wanted} frequencies: {tensor}"));
    }
    let full = frames.size + frames.hop * (steps - 1);
    let size = context.meter.room(&[batches, steps, frames.size, 2])?;
    context.meter.work(size.saturating_mul(cost(frames.size)))?;
    let start = if args.boolean(5)? { frames.size / 2 } else { 0 };
    let end = match args.int_or_none(8)? {
        Some(length) => start.saturating_add(usize::try_from(length).unwrap_or(0)),
        None if start > 0 => full - frames.size / 2,
        None => full,
    };
    context.meter.room(&[batches, end.saturating_sub(start)])?;
    let mut envelope = vec![0.0; full];
    for step in 0..steps {
        for (at, weight) in frames.weights.iter().enumerate() {
            envelope[step * frames.hop + at] += weight * weight;
        }
    }
    if envelope.iter().take(end).skip(start).any(|sum| *sum < 1e-11) {
        return refused("istft: window overlap add min: 0");
    }
    let spectra = tensor.complexes();
    // Of a real signal one half says all.
    let known = if complex { bins } else { frames.size / 2 + 1 };
    let mut result = Vec::new();
    for spectrum in spectra.chunks(bins * steps) {
        let mut signal = vec![(0.0, 0.0); full];
        for step in 0..steps {
            let at = |bin: usize| spectrum[bin * steps + step];
            let points: Vec<Complex> = (0..frames.size)
                .map(|bin| match bin < known {
                    true => at(bin),
                    false => (at(frames.size - bin).0, -at(frames.size - bin).1),
                })
                .collect();
            // The sums are divided by the size; those of a normalized transform by its root.
            let by = frames.size as f64 / frames.divisor;
            for (place, ((re, im), weight)) in
                fourier(&points, 1.0).into_iter().zip(&frames.weights).enumerate()
            {
                let point = &mut signal[step * frames.hop + place];
                *point = (point.0 + re / by * weight, point.1 + im / by * weight);
            }
        }
        let ends = start..end;
        result.extend(ends.map(|at| match (signal.get(at), envelope.get(at)) {
            (Some(sum), Some(weight)) => (sum.0 / weight, sum.1 / weight),
            _ => (0.0, 0.0),
        }));
    }
    let mut shape = tensor.shape()[..tensor.rank() - 2].to_vec();
    shape.push(end.saturating_sub(start));
    if complex {
        let result = Elements::Complex(result);
        return Ok(Tensor::from_elements(context.meter, tensor.dtype(), &shape, &result)?.into());
    }
    let result = result.into_iter().map(|(re, _)| re).collect();
    Ok(Tensor::of_floats(context.meter, tensor.dtype().part(), &shape, result)?.into())
}
