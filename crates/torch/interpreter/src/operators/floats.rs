//! Functions of two floats, and the parts of one.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain, with_out};
use super::pointwise::common;
use super::special::pair;
use crate::problem::refused;
use crate::tensor::Elements;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", |c, a| pair(c, a, f64::copysign)),
    all("aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor", |c, a| pair(c, a, f64::copysign)),
    all("aten::hypot(Tensor self, Tensor other) -> Tensor", |c, a| floats_only(a).and_then(|()| pair(c, a, f64::hypot))),
    all("aten::nextafter(Tensor self, Tensor other) -> Tensor", next_after),
    with_out("aten::logaddexp(Tensor self, Tensor other) -> Tensor", |c, a| floats_only(a).and_then(|()| pair(c, a, log_add_exp))),
    with_out("aten::logaddexp2(Tensor self, Tensor other) -> Tensor", |c, a| floats_only(a).and_then(|()| pair(c, a, |x, y| log_add_exp(x * LN_2, y * LN_2) / LN_2))),
    plain("aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", parts),
];

const LN_2: f64 = std::f64::consts::LN_2;

fn floats_only(args: &Arguments<'_>) -> Result<(), RunProblem> {
    let dtype = common(&[args.value(0), args.value(1)]);
    match dtype.is_integral() {
        true => refused(format!("this operator is not implemented for '{}'", dtype.storage_name())),
        false => Ok(()),
    }
}

pub(super) fn log_add_exp(a: f64, b: f64) -> f64 {
    if a.is_infinite() && a == b {
        return a;
    }
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

/// The next float of the type, which no other type knows.
fn next_after(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    match common(&[args.value(0), args.value(1)]) {
        Dtype::F64 => pair(context, args, |from, to| match from {
            _ if from.is_nan() || to.is_nan() => f64::NAN,
            _ if from == to => to,
            _ if from < to => from.next_up(),
            _ => from.next_down(),
        }),
        Dtype::F32 => pair(context, args, |from, to| {
            let single = from as f32;
            match from {
                _ if from.is_nan() || to.is_nan() => f64::NAN,
                _ if from == to => to,
                _ if from < to => single.next_up().into(),
                _ => single.next_down().into(),
            }
        }),
        dtype => refused(format!("\"nextafter\" not implemented for '{}'", dtype.storage_name())),
    }
}

/// A fraction between a half and one, and the power of two.
fn parts(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    if !tensor.dtype().is_float() {
        return refused("torch.frexp() only supports floating-point dtypes");
    }
    let (mut fractions, mut powers) = (Vec::new(), Vec::new());
    for number in tensor.floats() {
        if number == 0.0 || !number.is_finite() {
            fractions.push(number);
            powers.push(0);
            continue;
        }
        let (mut fraction, mut power) = (number, 0);
        while fraction.abs() >= 1.0 {
            fraction /= 2.0;
            power += 1;
        }
        while fraction.abs() < 0.5 {
            fraction *= 2.0;
            power -= 1;
        }
        fractions.push(fraction);
        powers.push(power);
    }
    let fractions = Elements::Float(fractions);
    let fractions =
        Tensor::from_elements(context.meter, tensor.dtype(), tensor.shape(), &fractions)?;
    let powers = Tensor::of_ints(context.meter, Dtype::I32, tensor.shape(), powers)?;
    Ok(ScriptValue::tuple(vec![fractions.into(), powers.into()]))
}
