//! Activations, softmax, losses.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain, with_out};
use super::unary::{clamped, erf, float, of_kind, sigmoid};
use crate::dtype::DtypeCategory;
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::relu(Tensor self) -> Tensor", relu),
    all("aten::relu6(Tensor self) -> Tensor", |c, a| clamped(c, a.tensor(0)?, Some(ScalarValue::Int(0)), Some(ScalarValue::Int(6)))),
    all("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", hardtanh),
    all("aten::gelu(Tensor self, *, str approximate='none') -> Tensor", gelu),
    all("aten::silu(Tensor self) -> Tensor", silu),
    all("aten::mish(Tensor self) -> Tensor", |c, a| of_floats(c, a, |n| n * n.exp().ln_1p().tanh())),
    all("aten::hardsigmoid(Tensor self) -> Tensor", |c, a| of_floats(c, a, |n| (n + 3.0).clamp(0.0, 6.0) / 6.0)),
    all("aten::hardswish(Tensor self) -> Tensor", |c, a| of_floats(c, a, |n| n * (n + 3.0).clamp(0.0, 6.0) / 6.0)),
    all("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", leaky_relu),
    all("aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", elu),
    all("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", threshold),
    with_out("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", softplus),
    with_out("aten::log_sigmoid(Tensor self) -> Tensor", |c, a| float(c, a, |n| n.min(0.0) - (-n.abs()).exp().ln_1p())),
    plain("aten::prelu(Tensor self, Tensor weight) -> Tensor", prelu),
    plain("aten::glu(Tensor self, int dim=-1) -> Tensor", glu),
    plain("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", softmax),
    plain("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", inner_softmax),
    plain("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", log_softmax),
    plain("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", inner_log_softmax),
    plain("aten::dropout(Tensor input, float p, bool train) -> Tensor", dropout),
    plain("aten::dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout),
    plain("aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", dropout),
    plain("aten::feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout),
    plain("aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", dropout),
    plain("aten::alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout),
    plain("aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor", dropout),
    plain("aten::feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)", dropout),
    plain("aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor", rrelu),
    plain("aten::rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor(a!)", rrelu),
    plain("aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", mse_loss),
    plain("aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", l1_loss),
];

/// The bounds have the type of the tensor.
fn hardtanh(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, low, high) = (args.tensor(0)?, args.number(1)?, args.number(2)?);
    let of_type = |bound: ScalarValue| {
        if tensor.dtype().is_integral() { ScalarValue::Int(bound.int()) } else { bound }
    };
    clamped(context, tensor, Some(of_type(low)), Some(of_type(high)))
}

fn silu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    use super::complex;
    let tensor = args.tensor(0)?;
    if tensor.dtype().is_complex() {
        return complex::mapped(context, tensor, |z| complex::product(z, complex::sigmoid(z)));
    }
    of_floats(context, args, |n| n * sigmoid(n))
}

/// With the mean slope, as it is when nothing is trained.
fn rrelu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (low, high) = (args.float(1)?, args.float(2)?);
    if args.boolean(3)? && low != high {
        return crate::problem::unsupported("random numbers: rrelu while training");
    }
    let slope = (low + high) / 2.0;
    let result = of_floats(context, args, |n| if n < 0.0 { n * slope } else { n })?;
    Ok(result)
}

fn relu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    of_kind(args.tensor(0)?, DtypeCategory::Int)?;
    clamped(context, args.tensor(0)?, Some(ScalarValue::Int(0)), None)
}

fn of_floats(
    context: &Context<'_>,
    args: &Arguments<'_>,
    function: impl Fn(f64) -> f64 + Sync,
) -> Result<ScriptValue, RunProblem> {
    of_kind(args.tensor(0)?, DtypeCategory::Float)?;
    float(context, args, function)
}

fn gelu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};
    let tensor = args.tensor(0)?;
    if tensor.dtype().is_integral() {
        let name = tensor.dtype().storage_name();
        return refused(format!("\"GeluKernelImpl\" not implemented for '{name}'"));
    }
    match args.text(1)? {
        "none" => float(context, args, |n| n * 0.5 * (1.0 + erf(n * FRAC_1_SQRT_2))),
        "tanh" => float(context, args, |n| {
            0.5 * n * (1.0 + (FRAC_2_PI.sqrt() * (n + 0.044_715 * n * n * n)).tanh())
        }),
        _ => refused("approximate argument must be either none or tanh."),
    }
}

fn leaky_relu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let slope = args.float(1)?;
    float(context, args, |n| if n > 0.0 { n } else { n * slope })
}

fn elu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (alpha, scale, input) = (args.float(1)?, args.float(2)?, args.float(3)?);
    float(
        context,
        args,
        |n| {
            if n <= 0.0 { (n * input).exp_m1() * alpha * scale } else { n * scale }
        },
    )
}

fn threshold(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (bound, value) = (args.number(1)?, args.number(2)?);
    let numbers: Vec<ScalarValue> = tensor
        .numbers()
        .into_iter()
        .map(|n| if n.compare(bound).is_some_and(std::cmp::Ordering::is_le) { value } else { n })
        .collect();
    let elements = crate::tensor::Elements::of_numbers(tensor.dtype(), &numbers);
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), tensor.shape(), &elements)?.into())
}

fn softplus(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (beta, threshold) = (args.float(1)?, args.float(2)?);
    of_floats(
        context,
        args,
        |n| if n * beta > threshold { n } else { (n * beta).exp().ln_1p() / beta },
    )
}

fn prelu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, weight) = (args.tensor(0)?, args.tensor(1)?);
    // One slope for all, or one for each channel.
    let mut shape = vec![1; tensor.rank()];
    if weight.count() > 1 {
        match shape.get_mut(1) {
            Some(channels) => *channels = weight.count(),
            None => return refused("Not allow zero-dim input tensor."),
        }
    }
    let slopes = weight.reshape(&shape)?.expand(tensor.shape())?.floats();
    let numbers = tensor.floats().into_iter().zip(slopes);
    let numbers = numbers.map(|(n, slope)| if n > 0.0 { n } else { n * slope }).collect();
    Ok(Tensor::of_floats(context.meter, tensor.dtype(), tensor.shape(), numbers)?.into())
}

fn glu(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let size = tensor.shape().get(axis).copied().unwrap_or(0);
    if size % 2 != 0 || tensor.rank() == 0 {
        return refused(format!(
            "Halving dimension must be even, but dimension {axis} is size {size}"
        ));
    }
    let (a, b) =
        (tensor.narrow(axis, 0, size / 2, 1)?, tensor.narrow(axis, size / 2, size / 2, 1)?);
    let numbers = a.floats().into_iter().zip(b.floats()).map(|(a, b)| a * sigmoid(b)).collect();
    Ok(Tensor::of_floats(context.meter, tensor.dtype(), a.shape(), numbers)?.into())
}

/// Applies a function to every run of numbers along a dimension.
pub(super) fn along(
    context: &Context<'_>,
    tensor: &Tensor,
    axis: usize,
    dtype: Dtype,
    function: impl Fn(&mut [f64]),
) -> Result<Tensor, RunProblem> {
    if tensor.rank() == 0 {
        let mut numbers = tensor.floats();
        function(&mut numbers);
        return Tensor::of_floats(context.meter, dtype, &[], numbers);
    }
    let last = tensor.rank() - 1;
    let mut order: Vec<usize> = (0..=last).collect();
    order.swap(axis, last);
    let swapped = tensor.permute(&order)?;
    let mut numbers = swapped.floats();
    let size = tensor.shape()[axis];
    if size > 0 {
        numbers.chunks_mut(size).for_each(function);
    }
    Tensor::of_floats(context.meter, dtype, swapped.shape(), numbers)?.permute(&order)?.contiguous()
}

pub(super) fn soften(run: &mut [f64]) {
    let largest = run.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    run.iter_mut().for_each(|n| *n = (*n - largest).exp());
    let sum: f64 = run.iter().sum();
    run.iter_mut().for_each(|n| *n /= sum);
}

fn log_soften(run: &mut [f64]) {
    let largest = run.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = run.iter().map(|n| (n - largest).exp()).sum();
    let shift = largest + sum.ln();
    run.iter_mut().for_each(|n| *n -= shift);
}

fn soft(
    context: &Context<'_>,
    args: &Arguments<'_>,
    dtype: Option<Dtype>,
    function: fn(&mut [f64]),
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let axis = args.axis(1, tensor.rank())?;
    let tensor = match dtype {
        Some(dtype) => tensor.to_dtype(dtype)?,
        None => tensor.clone(),
    };
    if !tensor.dtype().is_float() {
        let name = tensor.dtype().storage_name();
        return refused(format!("\"softmax_lastdim_kernel_impl\" not implemented for '{name}'"));
    }
    Ok(along(context, &tensor, axis, tensor.dtype(), function)?.into())
}

fn softmax(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    soft(context, args, args.dtype(2)?, soften)
}

fn log_softmax(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    soft(context, args, args.dtype(2)?, log_soften)
}

fn inner_softmax(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    soft(context, args, args.boolean(2)?.then_some(Dtype::F32), soften)
}

fn inner_log_softmax(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    soft(context, args, args.boolean(2)?.then_some(Dtype::F32), log_soften)
}

/// Only as it is when nothing is trained: random numbers of PyTorch are its own.
fn dropout(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.boolean(2)? && args.float(1)? > 0.0 {
        // All of it goes, whatever the numbers are.
        if args.float(1)? == 1.0 && args.len() == 3 {
            let tensor = args.tensor(0)?;
            return Ok(Tensor::filled(
                context.meter,
                tensor.dtype(),
                tensor.shape(),
                ScalarValue::Int(0),
            )?
            .into());
        }
        return crate::problem::unsupported("random numbers: dropout while training");
    }
    Ok(args.value(0).clone())
}

fn loss(
    context: &Context<'_>,
    args: &Arguments<'_>,
    of: fn(f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    let dtype = super::arithmetic::common(args.value(0), args.value(1));
    if dtype.is_complex() {
        return crate::problem::unsupported("a loss of complex numbers");
    }
    let shape = crate::tensor::broadcast(a.shape(), b.shape())?;
    let (a, b) = (a.expand(&shape)?.floats(), b.expand(&shape)?.floats());
    let each: Vec<f64> = a.into_iter().zip(b).map(|(a, b)| of(a - b)).collect();
    let (sum, count) = (each.iter().sum::<f64>(), each.len() as f64);
    let (shape, numbers) = match args.int(2)? {
        0 => (shape, each),
        1 => (Vec::new(), vec![sum / count]),
        _ => (Vec::new(), vec![sum]),
    };
    Ok(Tensor::of_floats(context.meter, dtype, &shape, numbers)?.into())
}

fn mse_loss(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    loss(context, args, |n| n * n)
}

fn l1_loss(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    loss(context, args, f64::abs)
}
