//! Element by element: functions of one tensor.

use super::Arguments;
use super::complex;
use super::declaration::{Context, Operator, all, plain, with_out};
use super::pointwise::mapped;
use crate::dtype::{DtypeCategory, ResultType};
use crate::problem::{refused, unsupported};
use crate::tensor::{Elements, cast};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::neg(Tensor self) -> Tensor", neg),
    all("aten::negative(Tensor self) -> Tensor", neg),
    all("aten::abs(Tensor self) -> Tensor", abs),
    all("aten::absolute(Tensor self) -> Tensor", abs),
    all("aten::sign(Tensor self) -> Tensor", |c, a| same(c, a, |n| n.signum(), |n| if n == 0.0 || n.is_nan() { 0.0 } else { n.signum() })),
    all("aten::square(Tensor self) -> Tensor", |c, a| if a.tensor(0)?.dtype().is_complex() { complex::mapped(c, a.tensor(0)?, |z| complex::product(z, z)) } else if a.tensor(0)?.dtype() == Dtype::Bool { a.tensor(0)?.to_dtype(Dtype::I64).map(ScriptValue::from) } else { same(c, a, |n| n.wrapping_mul(n), |n| n * n) }),
    all("aten::floor(Tensor self) -> Tensor", |c, a| rounding(c, a, DtypeCategory::Int, f64::floor)),
    all("aten::ceil(Tensor self) -> Tensor", |c, a| rounding(c, a, DtypeCategory::Int, f64::ceil)),
    all("aten::trunc(Tensor self) -> Tensor", |c, a| rounding(c, a, DtypeCategory::Int, f64::trunc)),
    all("aten::fix(Tensor self) -> Tensor", |c, a| rounding(c, a, DtypeCategory::Int, f64::trunc)),
    all("aten::round(Tensor self) -> Tensor", |c, a| rounding(c, a, DtypeCategory::Int, f64::round_ties_even)),
    all("aten::frac(Tensor self) -> Tensor", |c, a| rounding(c, a, DtypeCategory::Float, |n| n - n.trunc())),
    all("aten::exp(Tensor self) -> Tensor", |c, a| both(c, a, f64::exp, complex::exp)),
    all("aten::exp2(Tensor self) -> Tensor", |c, a| both(c, a, f64::exp2, |z| complex::exp(scaled(z, std::f64::consts::LN_2)))),
    all("aten::expm1(Tensor self) -> Tensor", |c, a| both(c, a, f64::exp_m1, complex::expm1)),
    all("aten::log(Tensor self) -> Tensor", |c, a| both(c, a, f64::ln, complex::ln)),
    all("aten::log2(Tensor self) -> Tensor", |c, a| both(c, a, f64::log2, |z| scaled(complex::ln(z), 1.0 / std::f64::consts::LN_2))),
    all("aten::log10(Tensor self) -> Tensor", |c, a| both(c, a, f64::log10, |z| scaled(complex::ln(z), 1.0 / std::f64::consts::LN_10))),
    all("aten::log1p(Tensor self) -> Tensor", |c, a| both(c, a, f64::ln_1p, complex::ln_1p)),
    all("aten::sqrt(Tensor self) -> Tensor", |c, a| both(c, a, f64::sqrt, complex::sqrt)),
    all("aten::rsqrt(Tensor self) -> Tensor", |c, a| both(c, a, |n| 1.0 / n.sqrt(), |z| complex::reciprocal(complex::sqrt(z)))),
    all("aten::reciprocal(Tensor self) -> Tensor", |c, a| both(c, a, |n| 1.0 / n, complex::reciprocal)),
    all("aten::sin(Tensor self) -> Tensor", |c, a| both(c, a, f64::sin, complex::sin)),
    all("aten::cos(Tensor self) -> Tensor", |c, a| both(c, a, f64::cos, complex::cos)),
    all("aten::tan(Tensor self) -> Tensor", |c, a| both(c, a, f64::tan, complex::tan)),
    all("aten::asin(Tensor self) -> Tensor", |c, a| both(c, a, f64::asin, complex::asin)),
    all("aten::acos(Tensor self) -> Tensor", |c, a| both(c, a, f64::acos, complex::acos)),
    all("aten::atan(Tensor self) -> Tensor", |c, a| both(c, a, f64::atan, complex::atan)),
    all("aten::asinh(Tensor self) -> Tensor", |c, a| both(c, a, asinh, complex::asinh)),
    all("aten::acosh(Tensor self) -> Tensor", |c, a| both(c, a, acosh, complex::acosh)),
    all("aten::atanh(Tensor self) -> Tensor", |c, a| both(c, a, atanh, complex::atanh)),
    all("aten::arcsinh(Tensor self) -> Tensor", |c, a| both(c, a, asinh, complex::asinh)),
    all("aten::arccosh(Tensor self) -> Tensor", |c, a| both(c, a, acosh, complex::acosh)),
    all("aten::arctanh(Tensor self) -> Tensor", |c, a| both(c, a, atanh, complex::atanh)),
    all("aten::arcsin(Tensor self) -> Tensor", |c, a| both(c, a, f64::asin, complex::asin)),
    all("aten::arccos(Tensor self) -> Tensor", |c, a| both(c, a, f64::acos, complex::acos)),
    all("aten::arctan(Tensor self) -> Tensor", |c, a| both(c, a, f64::atan, complex::atan)),
    all("aten::sinh(Tensor self) -> Tensor", |c, a| both(c, a, f64::sinh, complex::sinh)),
    all("aten::cosh(Tensor self) -> Tensor", |c, a| both(c, a, f64::cosh, complex::cosh)),
    all("aten::tanh(Tensor self) -> Tensor", |c, a| both(c, a, f64::tanh, complex::tanh)),
    all("aten::sigmoid(Tensor self) -> Tensor", |c, a| both(c, a, sigmoid, complex::sigmoid)),
    all("aten::erf(Tensor self) -> Tensor", |c, a| float(c, a, erf)),
    all("aten::erfc(Tensor self) -> Tensor", |c, a| float(c, a, erfc)),
    all("aten::bitwise_not(Tensor self) -> Tensor", bitwise_not),
    all("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", clamp),
    all("aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", clamp),
    all("aten::clamp_min(Tensor self, Scalar min) -> Tensor", |c, a| clamped(c, a.tensor(0)?, Some(a.number(1)?), None)),
    all("aten::clamp_max(Tensor self, Scalar max) -> Tensor", |c, a| clamped(c, a.tensor(0)?, None, Some(a.number(1)?))),
    with_out("aten::real(Tensor self) -> Tensor", real),
    plain("aten::imag(Tensor self) -> Tensor", imag),
    plain("aten::view_as_real(Tensor self) -> Tensor", view_as_real),
    plain("aten::view_as_complex(Tensor self) -> Tensor", view_as_complex),
];

/// A function of integers and floats that keeps the type; `DtypeCategory::Float` if only of floats.
fn rounding(
    context: &Context<'_>,
    args: &Arguments<'_>,
    least: DtypeCategory,
    float: fn(f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    of_kind(args.tensor(0)?, least)?;
    same(context, args, |number| number, float)
}

/// Refuses elements of a lower kind.
pub(super) fn of_kind(tensor: &Tensor, least: DtypeCategory) -> Result<(), RunProblem> {
    let dtype = tensor.dtype();
    if dtype.category() < least {
        return refused(format!("this operator is not implemented for '{}'", dtype.storage_name()));
    }
    Ok(())
}

/// A function that keeps the type.
fn same(
    context: &Context<'_>,
    args: &Arguments<'_>,
    int: fn(i64) -> i64,
    float: fn(f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let elements = match tensor.elements() {
        Elements::Int(numbers) => Elements::Int(numbers.into_iter().map(int).collect()),
        Elements::Float(numbers) => Elements::Float(numbers.into_iter().map(float).collect()),
        Elements::Complex(_) => return unsupported("this function of complex numbers"),
    };
    Ok(Tensor::from_elements(context.meter, tensor.dtype(), tensor.shape(), &elements)?.into())
}

/// A function of real and of complex numbers.
fn both(
    context: &Context<'_>,
    args: &Arguments<'_>,
    real: impl Fn(f64) -> f64 + Sync,
    of: impl Fn((f64, f64)) -> (f64, f64),
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    match tensor.dtype().is_complex() {
        true => complex::mapped(context, tensor, of),
        false => float(context, args, real),
    }
}

fn scaled((re, im): (f64, f64), by: f64) -> (f64, f64) {
    (re * by, im * by)
}

// What the standard library has loses digits near zero.

fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if size > 1e150 {
        return (size.ln() + std::f64::consts::LN_2).copysign(x);
    }
    (size + size * size / (1.0 + (size * size + 1.0).sqrt())).ln_1p().copysign(x)
}

fn acosh(x: f64) -> f64 {
    if x > 1e150 {
        return x.ln() + std::f64::consts::LN_2;
    }
    let above = x - 1.0;
    (above + (above * (x + 1.0)).sqrt()).ln_1p()
}

fn atanh(x: f64) -> f64 {
    0.5 * (2.0 * x / (1.0 - x)).ln_1p()
}

pub(super) fn float(
    context: &Context<'_>,
    args: &Arguments<'_>,
    function: impl Fn(f64) -> f64 + Sync,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if let Some(numbers) = tensor.singles() {
        return mapped(context, tensor.shape(), &numbers, |n| function(n.into()) as f32);
    }
    if tensor.dtype().is_complex() {
        return unsupported("this function of complex numbers");
    }
    let dtype = if tensor.dtype().is_integral() { Dtype::F32 } else { tensor.dtype() };
    let Elements::Float(numbers) = tensor.elements_as(dtype) else {
        return unsupported("this function of such elements");
    };
    let numbers = numbers.into_iter().map(function).collect();
    Ok(Tensor::of_floats(context.meter, dtype, tensor.shape(), numbers)?.into())
}

fn neg(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if tensor.dtype() == Dtype::Bool {
        return refused(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to \
             invert a mask, use the `~` or `logical_not()` operator instead.",
        );
    }
    if let Elements::Complex(numbers) = tensor.elements() {
        let numbers = numbers.into_iter().map(|(a, b)| (-a, -b)).collect();
        let numbers = Elements::Complex(numbers);
        return Ok(
            Tensor::from_elements(context.meter, tensor.dtype(), tensor.shape(), &numbers)?.into()
        );
    }
    same(context, args, i64::wrapping_neg, |number| -number)
}

fn abs(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if let Elements::Complex(numbers) = tensor.elements() {
        let sizes = numbers.into_iter().map(|(a, b)| a.hypot(b)).collect();
        return Ok(
            Tensor::of_floats(context.meter, tensor.dtype().part(), tensor.shape(), sizes)?.into()
        );
    }
    of_kind(tensor, DtypeCategory::Int)?;
    same(context, args, i64::wrapping_abs, f64::abs)
}

pub(super) fn sigmoid(number: f64) -> f64 {
    1.0 / (1.0 + (-number).exp())
}

/// The error function: its series near zero, one minus its complement elsewhere.
pub(super) fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 2.0 {
        return (1.0 - erfc(x.abs())).copysign(x);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..60 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
        if term.abs() < sum.abs() * 1e-18 {
            break;
        }
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

/// Its complement: a continued fraction where it is small.
pub(super) fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x <= 2.0 {
        return 1.0 - erf(x);
    }
    let mut fraction = 0.0;
    for n in (1..=60).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / (x + fraction) * std::f64::consts::FRAC_2_SQRT_PI / 2.0
}

fn bitwise_not(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    match (tensor.dtype(), tensor.elements()) {
        (dtype @ Dtype::Bool, Elements::Int(numbers)) => {
            let numbers = numbers.into_iter().map(|number| i64::from(number == 0)).collect();
            Ok(Tensor::of_ints(context.meter, dtype, tensor.shape(), numbers)?.into())
        }
        (_, Elements::Int(_)) => same(context, args, |number| !number, |number| number),
        (dtype, _) => {
            refused(format!("\"bitwise_not_cpu\" not implemented for '{}'", dtype.storage_name()))
        }
    }
}

fn clamp(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (low, high) = (args.number_or_none(1)?, args.number_or_none(2)?);
    if low.is_none() && high.is_none() {
        return refused("torch.clamp: At least one of 'min' or 'max' must not be None");
    }
    clamped(context, args.tensor(0)?, low, high)
}

/// Between two bounds; the upper one wins if they cross. What is no number stays so.
pub(super) fn clamped(
    context: &Context<'_>,
    tensor: &Tensor,
    low: Option<ScalarValue>,
    high: Option<ScalarValue>,
) -> Result<ScriptValue, RunProblem> {
    let mut result = ResultType::default();
    result.tensor(tensor.dtype(), tensor.rank());
    low.into_iter().chain(high).for_each(|bound| result.number(bound.dtype()));
    let dtype = result.get();
    let bound = |bound: Option<ScalarValue>| bound.map(|bound| cast(dtype, bound));
    let (low, high) = (bound(low), bound(high));
    if let (Some(numbers), Dtype::F32) = (tensor.singles(), dtype) {
        let single = |bound: Option<ScalarValue>| bound.map(|bound| bound.float() as f32);
        let (low, high) = (single(low), single(high));
        return mapped(context, tensor.shape(), &numbers, |n| {
            let n = match low {
                Some(low) if n < low || low.is_nan() => low,
                _ => n,
            };
            match high {
                Some(high) if n > high || high.is_nan() => high,
                _ => n,
            }
        });
    }
    let elements = match tensor.elements_as(dtype) {
        Elements::Int(numbers) => Elements::Int(
            numbers
                .into_iter()
                .map(|n| low.map_or(n, |low| n.max(low.int())))
                .map(|n| high.map_or(n, |high| n.min(high.int())))
                .collect(),
        ),
        Elements::Float(numbers) => {
            let raise = |n: f64, low: f64| if n < low || low.is_nan() { low } else { n };
            let lower = |n: f64, high: f64| if n > high || high.is_nan() { high } else { n };
            let bounded = numbers
                .into_iter()
                .map(|n| low.map_or(n, |low| raise(n, low.float())))
                .map(|n| high.map_or(n, |high| lower(n, high.float())));
            Elements::Float(bounded.collect())
        }
        Elements::Complex(_) => return refused("clamp is not supported for complex types"),
    };
    Ok(Tensor::from_elements(context.meter, dtype, tensor.shape(), &elements)?.into())
}

fn real(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !tensor.dtype().is_complex() {
        return Ok(tensor.clone().into());
    }
    Ok(Tensor::of_floats(context.meter, tensor.dtype().part(), tensor.shape(), tensor.floats())?
        .into())
}

fn imag(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !tensor.dtype().is_complex() {
        return refused("imag is not implemented for tensors with non-complex dtypes.");
    }
    let parts = tensor.complexes().into_iter().map(|(_, imaginary)| imaginary).collect();
    Ok(Tensor::of_floats(context.meter, tensor.dtype().part(), tensor.shape(), parts)?.into())
}

fn view_as_real(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !tensor.dtype().is_complex() {
        return refused("view_as_real is only supported for complex tensors");
    }
    let parts = tensor.complexes().into_iter().flat_map(|(a, b)| [a, b]).collect();
    let shape: Vec<usize> = tensor.shape().iter().copied().chain([2]).collect();
    Ok(Tensor::of_floats(context.meter, tensor.dtype().part(), &shape, parts)?.into())
}

fn view_as_complex(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let Some((2, shape)) = tensor.shape().split_last().map(|(last, shape)| (*last, shape)) else {
        return refused("Tensor must have a last dimension of size 2");
    };
    let numbers = tensor.floats();
    let pairs = numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let dtype = tensor.dtype().to_complex();
    Ok(Tensor::from_elements(context.meter, dtype, shape, &Elements::Complex(pairs))?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_is_exact_to_the_last_digits() {
        for (x, wanted) in [
            (0.0, 0.0),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (2.5, 0.999_593_047_982_555_1),
            (-1.5, -0.966_105_146_475_310_7),
        ] {
            assert!((erf(x) - wanted).abs() < 1e-14, "{x}: {}", erf(x));
        }
        assert!((erfc(4.0) / 1.541_725_790_028_002e-8 - 1.0).abs() < 1e-12);
    }
}
