//! Sums, products, quotients of every age, powers.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain, with_out};
use super::pointwise::{Basic, Binary, basic, binary};
use crate::dtype::DtypeCategory;
use crate::problem::refused;
use crate::tensor::cast;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", add),
    all("aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", add),
    all("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", sub),
    all("aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", sub),
    all("aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", sub),
    all("aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", sub),
    plain("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", rsub),
    plain("aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", rsub),
    all("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", mul),
    all("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", mul),
    all("aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor", mul),
    all("aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor", mul),
    all("aten::div.Tensor(Tensor self, Tensor other) -> Tensor", div),
    all("aten::div.Scalar(Tensor self, Scalar other) -> Tensor", div),
    all("aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", div_mode),
    all("aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", div_mode),
    all("aten::divide.Tensor(Tensor self, Tensor other) -> Tensor", div),
    all("aten::divide.Scalar(Tensor self, Scalar other) -> Tensor", div),
    all("aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", div_mode),
    all("aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", div_mode),
    all("aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor", true_divide),
    all("aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor", true_divide),
    all("aten::floor_divide(Tensor self, Tensor other) -> Tensor", floor_divide),
    all("aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", floor_divide),
    all("aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor", remainder),
    all("aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor", remainder),
    plain("aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", remainder),
    all("aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor", fmod),
    all("aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor", fmod),
    all("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", pow),
    all("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", pow),
    plain("aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", pow),
    with_out("aten::maximum(Tensor self, Tensor other) -> Tensor", maximum),
    with_out("aten::minimum(Tensor self, Tensor other) -> Tensor", minimum),
    plain("aten::max.other(Tensor self, Tensor other) -> Tensor", maximum),
    plain("aten::min.other(Tensor self, Tensor other) -> Tensor", minimum),
    all("aten::atan2(Tensor self, Tensor other) -> Tensor", atan2),
    all("aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", addcmul),
    all("aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", addcdiv),
    all("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", lerp),
    all("aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", lerp),
    all("aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", bitwise_and),
    all("aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor", bitwise_and),
    all("aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", bitwise_or),
    all("aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor", bitwise_or),
    all("aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", bitwise_xor),
    all("aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor", bitwise_xor),
    plain("aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor", bitwise_and),
    plain("aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor", bitwise_and),
    plain("aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor", bitwise_or),
    plain("aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor", bitwise_or),
    plain("aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor", bitwise_xor),
    plain("aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor", bitwise_xor),
];

/// The type of two operands; the type in which `a / b` is calculated if both are integers.
pub(super) fn common(a: &ScriptValue, b: &ScriptValue) -> Dtype {
    super::pointwise::common(&[a, b])
}

fn scaled_sum(
    context: &Context<'_>,
    (a, b): (&ScriptValue, &ScriptValue),
    alpha: ScalarValue,
    sign: i64,
) -> Result<ScriptValue, RunProblem> {
    if alpha.complex() == (1.0, 0.0) {
        let operation = if sign > 0 { Basic::Sum } else { Basic::Difference };
        if let Some(result) = basic(context, a, b, operation)? {
            return Ok(result);
        }
    }
    let dtype = common(a, b);
    if dtype.is_integral() && !matches!(alpha, ScalarValue::Int(_) | ScalarValue::Bool(_)) {
        return refused(
            "For integral input tensors, argument alpha must not be a floating point number.",
        );
    }
    let (int, float) = (alpha.int().wrapping_mul(sign), alpha.float() * sign as f64);
    let (re, im) = alpha.complex();
    let rule = Binary {
        int: &move |a, b| Ok(a.wrapping_add(int.wrapping_mul(b))),
        float: &move |a, b| a + float * b,
        complex: Some(&move |a, b| {
            let product = (re * b.0 - im * b.1, re * b.1 + im * b.0);
            (a.0 + sign as f64 * product.0, a.1 + sign as f64 * product.1)
        }),
    };
    binary(context, a, b, dtype, dtype, &rule)
}

fn add(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    scaled_sum(context, (args.value(0), args.value(1)), args.number(2)?, 1)
}

/// True and false are not subtracted.
fn no_truths(args: &Arguments<'_>) -> Result<(), RunProblem> {
    let is_truth = |value: &ScriptValue| match value {
        ScriptValue::Tensor(tensor) => tensor.dtype() == Dtype::Bool,
        other => matches!(other, ScriptValue::Number(ScalarValue::Bool(_))),
    };
    if is_truth(args.value(0)) || is_truth(args.value(1)) {
        return refused(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to \
             invert a mask, use the `~` or `logical_not()` operator instead.",
        );
    }
    Ok(())
}

fn sub(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    no_truths(args)?;
    scaled_sum(context, (args.value(0), args.value(1)), args.number(2)?, -1)
}

fn rsub(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    no_truths(args)?;
    scaled_sum(context, (args.value(1), args.value(0)), args.number(2)?, -1)
}

fn mul(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    if let Some(result) = basic(context, a, b, Basic::Product)? {
        return Ok(result);
    }
    let rule = Binary {
        int: &|a, b| Ok(a.wrapping_mul(b)),
        float: &|a, b| a * b,
        complex: Some(&|a, b| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)),
    };
    let dtype = common(a, b);
    binary(context, a, b, dtype, dtype, &rule)
}

fn div(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    if common(a, b).is_integral() {
        if context.semantics.has("division-refused") {
            return refused(
                "Integer division of tensors using div or / is no longer supported, and in a future \
                 release div will perform true division as in Python 3. Use true_divide or \
                 floor_divide (// in Python) instead.",
            );
        }
        if context.semantics.has("division-truncates") {
            return truncated(context, a, b);
        }
    }
    divided(context, a, b)
}

fn div_mode(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    match args.text_or_none(2)? {
        None => divided(context, a, b),
        Some("trunc") => truncated(context, a, b),
        Some("floor") => floored(context, a, b),
        Some(other) => refused(format!(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'"
        )),
    }
}

fn true_divide(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    divided(context, args.value(0), args.value(1))
}

fn floor_divide(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    if context.semantics.has("floor-divide-truncates") {
        truncated(context, a, b)
    } else {
        floored(context, a, b)
    }
}

/// With floats as the result, of integers too.
fn divided(
    context: &Context<'_>,
    a: &ScriptValue,
    b: &ScriptValue,
) -> Result<ScriptValue, RunProblem> {
    if let Some(result) = basic(context, a, b, Basic::Quotient)? {
        return Ok(result);
    }
    let common = common(a, b);
    let dtype = if common.is_integral() { Dtype::F32 } else { common };
    let rule = Binary { int: &|_, _| Ok(0), float: &|a, b| a / b, complex: Some(&quotient) };
    binary(context, a, b, dtype, dtype, &rule)
}

/// Of complex numbers, without squares that overflow; by zero each part is divided by itself.
fn quotient(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    if b == (0.0, 0.0) {
        return (a.0 / b.0.abs(), a.1 / b.1.abs());
    }
    if b.0.abs() >= b.1.abs() {
        let ratio = b.1 / b.0;
        let size = b.0 + b.1 * ratio;
        ((a.0 + a.1 * ratio) / size, (a.1 - a.0 * ratio) / size)
    } else {
        let ratio = b.0 / b.1;
        let size = b.0 * ratio + b.1;
        ((a.0 * ratio + a.1) / size, (a.1 * ratio - a.0) / size)
    }
}

fn by_zero() -> Result<i64, RunProblem> {
    refused("ZeroDivisionError")
}

fn truncated(
    context: &Context<'_>,
    a: &ScriptValue,
    b: &ScriptValue,
) -> Result<ScriptValue, RunProblem> {
    let dtype = common(a, b);
    let rule = Binary {
        int: &|a, b| if b == 0 { by_zero() } else { Ok(a.wrapping_div(b)) },
        // The quotient is an element before it is rounded.
        float: &move |a, b| cast(dtype, ScalarValue::Float(a / b)).float().trunc(),
        complex: None,
    };
    binary(context, a, b, dtype, dtype, &rule)
}

fn floored(
    context: &Context<'_>,
    a: &ScriptValue,
    b: &ScriptValue,
) -> Result<ScriptValue, RunProblem> {
    let dtype = common(a, b);
    let rule = Binary {
        int: &|a, b| if b == 0 { by_zero() } else { Ok(floor_int(a, b)) },
        float: &move |a, b| {
            floor_float(a, b, |number| cast(dtype, ScalarValue::Float(number)).float())
        },
        complex: None,
    };
    binary(context, a, b, dtype, dtype, &rule)
}

/// Rounded down; the divisor is not zero.
pub(super) fn floor_int(a: i64, b: i64) -> i64 {
    let quotient = a.wrapping_div(b);
    let inexact = a.wrapping_rem(b) != 0;
    quotient - i64::from(inexact && (a < 0) != (b < 0))
}

/// Rounded down as Python does it, from the exact remainder; each step is rounded to an element.
pub(super) fn floor_float(a: f64, b: f64, round: impl Fn(f64) -> f64) -> f64 {
    if b == 0.0 {
        return a / b;
    }
    let rest = a % b;
    let mut quotient = round(round(a - rest) / b);
    if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0_f64.copysign(a / b);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

fn remainder(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    let rule = Binary {
        int: &|a, b| if b == 0 { by_zero() } else { Ok(modulo_int(a, b)) },
        float: &modulo_float,
        complex: None,
    };
    let dtype = common(a, b);
    binary(context, a, b, dtype, dtype, &rule)
}

/// With the sign of the divisor, which is not zero.
pub(super) fn modulo_int(a: i64, b: i64) -> i64 {
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

pub(super) fn modulo_float(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}

fn fmod(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    let rule = Binary {
        int: &|a, b| if b == 0 { by_zero() } else { Ok(a.wrapping_rem(b)) },
        float: &|a, b| a % b,
        complex: None,
    };
    let dtype = common(a, b);
    binary(context, a, b, dtype, dtype, &rule)
}

fn pow(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    let dtype = common(a, b);
    if let (true, ScriptValue::Number(exponent)) = (dtype.is_integral(), b)
        && exponent.int() < 0
    {
        return refused("Integers to negative integer powers are not allowed.");
    }
    let rule = Binary { int: &|a, b| Ok(pow_int(a, b)), float: &f64::powf, complex: Some(&power) };
    binary(context, a, b, dtype, dtype, &rule)
}

fn power(base: (f64, f64), exponent: (f64, f64)) -> (f64, f64) {
    use super::complex::{exp, ln, product};
    match (base, exponent) {
        (_, (0.0, 0.0)) => (1.0, 0.0),
        ((0.0, 0.0), (re, _)) if re > 0.0 => (0.0, 0.0),
        // Whole ones that are small lose nothing as products.
        (_, (2.0, 0.0)) => product(base, base),
        (_, (1.0, 0.0)) => base,
        _ => exp(product(exponent, ln(base))),
    }
}

/// A power, wrapped around; below one only of 1 and -1.
pub(super) fn pow_int(base: i64, exponent: i64) -> i64 {
    match (base, exponent) {
        (1, _) => 1,
        (-1, _) => {
            if exponent % 2 == 0 {
                1
            } else {
                -1
            }
        }
        (_, ..0) => 0,
        _ => {
            let (mut result, mut base, mut left) = (1_i64, base, exponent);
            while left > 0 {
                if left % 2 == 1 {
                    result = result.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                left /= 2;
            }
            result
        }
    }
}

fn extreme(
    context: &Context<'_>,
    args: &Arguments<'_>,
    int: fn(i64, i64) -> i64,
    float: fn(f64, f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    let rule = Binary {
        int: &move |a, b| Ok(int(a, b)),
        // What is no number wins.
        float: &move |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { float(a, b) },
        complex: None,
    };
    let dtype = common(a, b);
    binary(context, a, b, dtype, dtype, &rule)
}

fn maximum(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    extreme(context, args, i64::max, f64::max)
}

fn minimum(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    extreme(context, args, i64::min, f64::min)
}

fn atan2(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    let common = common(a, b);
    let dtype = if common.is_integral() { Dtype::F32 } else { common };
    let rule = Binary { int: &|_, _| Ok(0), float: &f64::atan2, complex: None };
    binary(context, a, b, dtype, dtype, &rule)
}

/// `self + value * f(tensor1, tensor2)`, each step as an operation of its own.
fn fused(
    context: &Context<'_>,
    args: &Arguments<'_>,
    inner: impl Fn(&ScriptValue, &ScriptValue) -> Result<ScriptValue, RunProblem>,
) -> Result<ScriptValue, RunProblem> {
    let all = [args.value(0), args.value(1), args.value(2)];
    let dtype = super::pointwise::common(&all);
    let in_type = |value: &ScriptValue| -> Result<ScriptValue, RunProblem> {
        match value {
            ScriptValue::Tensor(tensor) if tensor.dtype() != dtype => {
                Ok(tensor.to_dtype(dtype)?.into())
            }
            other => Ok(other.clone()),
        }
    };
    let product = inner(&in_type(all[1])?, &in_type(all[2])?)?;
    scaled_sum(context, (&in_type(all[0])?, &product), args.number(3)?, 1)
}

fn addcmul(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    fused(context, args, |a, b| mul(context, &Arguments::new(&[a.clone(), b.clone()])))
}

fn addcdiv(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let both = common(args.value(1), args.value(2));
    if both.is_integral() {
        return refused("Integer division with addcdiv is no longer supported");
    }
    fused(context, args, |a, b| divided(context, a, b))
}

fn lerp(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (start, end, weight) = (args.tensor(0)?, args.tensor(1)?, args.value(2));
    if start.dtype() != end.dtype() || !start.dtype().is_float() {
        return refused(format!(
            "expected dtype {} for `end` but got dtype {}",
            start.dtype(),
            end.dtype()
        ));
    }
    let weight = match weight {
        ScriptValue::Tensor(weight) => weight.clone(),
        other => {
            let number = other.number().unwrap_or(ScalarValue::Int(0));
            Tensor::scalar(context.meter, start.dtype(), number)?
        }
    };
    let shape = crate::tensor::broadcast(start.shape(), end.shape())?;
    let shape = crate::tensor::broadcast(&shape, weight.shape())?;
    let (a, b, w) = (start.expand(&shape)?, end.expand(&shape)?, weight.expand(&shape)?);
    let mixed =
        a.floats().into_iter().zip(b.floats()).zip(w.floats()).map(|((a, b), w)| {
            if w.abs() < 0.5 { a + w * (b - a) } else { b - (b - a) * (1.0 - w) }
        });
    Ok(Tensor::of_floats(context.meter, start.dtype(), &shape, mixed.collect())?.into())
}

fn bitwise(
    context: &Context<'_>,
    args: &Arguments<'_>,
    int: fn(i64, i64) -> i64,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.value(0), args.value(1));
    let dtype = common(a, b);
    if dtype.category() > DtypeCategory::Int {
        return refused(format!(
            "bitwise operations are not implemented for '{}'",
            dtype.storage_name()
        ));
    }
    let rule = Binary { int: &move |a, b| Ok(int(a, b)), float: &|_, _| 0.0, complex: None };
    binary(context, a, b, dtype, dtype, &rule)
}

fn bitwise_and(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    bitwise(context, args, |a, b| a & b)
}

fn bitwise_or(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    bitwise(context, args, |a, b| a | b)
}

fn bitwise_xor(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    bitwise(context, args, |a, b| a ^ b)
}
