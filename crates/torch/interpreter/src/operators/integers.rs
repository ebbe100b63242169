//! Functions of two integers: common divisors and multiples, shifts.

use super::Arguments;
use super::declaration::{Context, Operator, all, plain};
use super::pointwise::{Binary, binary, common};
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScriptValue};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    all("aten::gcd(Tensor self, Tensor other) -> Tensor", |c, a| ints(c, a, |_, x, y| divisor(x, y))),
    all("aten::lcm(Tensor self, Tensor other) -> Tensor", |c, a| ints(c, a, |_, x, y| multiple(x, y))),
    all("aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor", |c, a| ints(c, a, left)),
    all("aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", |c, a| ints(c, a, left)),
    plain("aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", |c, a| ints(c, a, left)),
    all("aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor", |c, a| ints(c, a, right)),
    all("aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor", |c, a| ints(c, a, right)),
    plain("aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", |c, a| ints(c, a, right)),
    plain("aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor", |c, a| ints(c, a, left)),
    plain("aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor", |c, a| ints(c, a, left)),
    plain("aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor", |c, a| ints(c, a, right)),
    plain("aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor", |c, a| ints(c, a, right)),
];

fn ints(
    context: &Context<'_>,
    args: &Arguments<'_>,
    of: fn(Dtype, i64, i64) -> i64,
) -> Result<ScriptValue, RunProblem> {
    let dtype = common(&[args.value(0), args.value(1)]);
    if !dtype.is_integral() || dtype == Dtype::Bool {
        return refused(format!("this operator is not implemented for '{}'", dtype.storage_name()));
    }
    let int = |a, b| Ok(of(dtype, a, b));
    let rule = Binary { int: &int, float: &|_, _| f64::NAN, complex: None };
    binary(context, args.value(0), args.value(1), dtype, dtype, &rule)
}

fn divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a.wrapping_rem(b));
    }
    a.wrapping_abs()
}

fn multiple(a: i64, b: i64) -> i64 {
    match divisor(a, b) {
        0 => 0,
        common => (a / common).wrapping_mul(b).wrapping_abs(),
    }
}

/// The bits of a type, without the sign.
fn width(dtype: Dtype) -> i64 {
    dtype.bytes() as i64 * 8
}

fn left(dtype: Dtype, a: i64, by: i64) -> i64 {
    if (0..width(dtype)).contains(&by) { a.wrapping_shl(by as u32) } else { 0 }
}

fn right(dtype: Dtype, a: i64, by: i64) -> i64 {
    let most = if dtype == Dtype::U8 { 7 } else { width(dtype) - 1 };
    match (0..=most).contains(&by) {
        true => a >> by,
        false if a < 0 => -1,
        false => 0,
    }
}
