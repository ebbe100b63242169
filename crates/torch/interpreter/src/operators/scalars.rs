//! Plain numbers, and comparisons of everything that is no tensor.

use std::cmp::Ordering;

use super::Arguments;
use super::arithmetic::{floor_int, modulo_float, modulo_int, pow_int};
use super::declaration::{Context, Operator, plain};
use crate::number::truncate;
use crate::problem::refused;
use crate::{RunProblem, ScalarValue, ScriptValue};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::add.int(int a, int b) -> int", add),
    plain("aten::add.float(float a, float b) -> float", add),
    plain("aten::add.int_float(int a, float b) -> float", add),
    plain("aten::add.float_int(float a, int b) -> float", add),
    plain("aten::add(Scalar a, Scalar b) -> Scalar", add),
    plain("aten::sub.int(int a, int b) -> int", sub),
    plain("aten::sub.float(float a, float b) -> float", sub),
    plain("aten::sub.int_float(int a, float b) -> float", sub),
    plain("aten::sub.float_int(float a, int b) -> float", sub),
    plain("aten::sub(Scalar a, Scalar b) -> Scalar", sub),
    plain("aten::mul.int(int a, int b) -> int", mul),
    plain("aten::mul.float(float a, float b) -> float", mul),
    plain("aten::mul.int_float(int a, float b) -> float", mul),
    plain("aten::mul.float_int(float a, int b) -> float", mul),
    plain("aten::mul(Scalar a, Scalar b) -> Scalar", mul),
    plain("aten::div.int(int a, int b) -> float", div),
    plain("aten::div.float(float a, float b) -> float", div),
    plain("aten::div(Scalar a, Scalar b) -> Scalar", div),
    plain("aten::floordiv.int(int a, int b) -> int", floordiv),
    plain("aten::floordiv.float(float a, float b) -> float", floordiv),
    plain("aten::floordiv.int_float(int a, float b) -> float", floordiv),
    plain("aten::floordiv.float_int(float a, int b) -> float", floordiv),
    plain("aten::floordiv(Scalar a, Scalar b) -> Scalar", floordiv),
    plain("aten::remainder.int(int a, int b) -> int", remainder),
    plain("aten::remainder.float(float a, float b) -> float", remainder),
    plain("aten::remainder.int_float(int a, float b) -> float", remainder),
    plain("aten::remainder.float_int(float a, int b) -> float", remainder),
    plain("aten::remainder(Scalar a, Scalar b) -> Scalar", remainder),
    plain("aten::pow.int(int a, int b) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.powf(a.float(1)?)))),
    plain("aten::pow.float(float a, float b) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.powf(a.float(1)?)))),
    plain("aten::pow.int_to_int(int a, int b) -> int", |_, a| Ok(ScriptValue::from(pow_int(a.int(0)?, a.int(1)?)))),
    plain("aten::pow(Scalar a, Scalar b) -> Scalar", |_, a| Ok(ScriptValue::from(a.float(0)?.powf(a.float(1)?)))),
    plain("aten::neg.int(int a) -> int", |_, a| Ok(ScriptValue::from(a.int(0)?.wrapping_neg()))),
    plain("aten::neg.float(float a) -> float", |_, a| Ok(ScriptValue::from(-a.float(0)?))),
    plain("aten::neg.Scalar(Scalar a) -> Scalar", |_, a| Ok(ScriptValue::from(-a.float(0)?))),
    plain("aten::floor.int(int a) -> int", |_, a| Ok(ScriptValue::from(a.int(0)?))),
    plain("aten::floor.float(float a) -> int", |_, a| Ok(ScriptValue::from(truncate(a.float(0)?.floor())))),
    plain("aten::ceil.int(int a) -> int", |_, a| Ok(ScriptValue::from(a.int(0)?))),
    plain("aten::ceil.float(float a) -> int", |_, a| Ok(ScriptValue::from(truncate(a.float(0)?.ceil())))),
    plain("aten::round.int(int a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?))),
    plain("aten::round.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.round_ties_even()))),
    plain("aten::sqrt.int(int a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.sqrt()))),
    plain("aten::sqrt.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.sqrt()))),
    plain("aten::exp.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.exp()))),
    plain("aten::exp.int(int a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.exp()))),
    plain("aten::log.int(int a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.ln()))),
    plain("aten::log.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.ln()))),
    plain("aten::tanh.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.tanh()))),
    plain("aten::sin.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.sin()))),
    plain("aten::cos.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.cos()))),
    plain("aten::isnan.float(float a) -> bool", |_, a| Ok(a.float(0)?.is_nan().into())),
    plain("aten::isinf.float(float a) -> bool", |_, a| Ok(a.float(0)?.is_infinite().into())),
    plain("aten::isfinite.float(float a) -> bool", |_, a| Ok(a.float(0)?.is_finite().into())),
    plain("prim::abs.int(int a) -> int", |_, a| Ok(ScriptValue::from(a.int(0)?.wrapping_abs()))),
    plain("prim::abs.float(float a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?.abs()))),
    plain("prim::max.int(int a, int b) -> int", |_, a| Ok(extreme(a, Ordering::Greater))),
    plain("prim::max.float(float a, float b) -> float", |_, a| Ok(extreme(a, Ordering::Greater))),
    plain("prim::max(Scalar a, Scalar b) -> Scalar", |_, a| Ok(extreme(a, Ordering::Greater))),
    plain("prim::min.int(int a, int b) -> int", |_, a| Ok(extreme(a, Ordering::Less))),
    plain("prim::min.float(float a, float b) -> float", |_, a| Ok(extreme(a, Ordering::Less))),
    plain("prim::min(Scalar a, Scalar b) -> Scalar", |_, a| Ok(extreme(a, Ordering::Less))),
    plain("aten::__not__(bool self) -> bool", |_, a| Ok((!a.boolean(0)?).into())),
    plain("aten::__and__.bool(bool a, bool b) -> bool", |_, a| Ok((a.boolean(0)? & a.boolean(1)?).into())),
    plain("aten::__and__.int(int a, int b) -> int", |_, a| Ok(ScriptValue::from(a.int(0)? & a.int(1)?))),
    plain("aten::__or__.bool(bool a, bool b) -> bool", |_, a| Ok((a.boolean(0)? | a.boolean(1)?).into())),
    plain("aten::__or__.int(int a, int b) -> int", |_, a| Ok(ScriptValue::from(a.int(0)? | a.int(1)?))),
    plain("aten::__xor__.bool(bool a, bool b) -> bool", |_, a| Ok((a.boolean(0)? ^ a.boolean(1)?).into())),
    plain("aten::__xor__.int(int a, int b) -> int", |_, a| Ok(ScriptValue::from(a.int(0)? ^ a.int(1)?))),
    plain("aten::__is__(t1 self, t2 obj) -> bool", |_, a| Ok(super::containers::same(a.value(0), a.value(1)).into())),
    plain("aten::__isnot__(t1 self, t2 obj) -> bool", |_, a| Ok((!super::containers::same(a.value(0), a.value(1))).into())),
    plain("aten::eq.int(int a, int b) -> bool", eq),
    plain("aten::eq.float(float a, float b) -> bool", eq),
    plain("aten::eq.int_float(int a, float b) -> bool", eq),
    plain("aten::eq.float_int(float a, int b) -> bool", eq),
    plain("aten::eq.bool(bool a, bool b) -> bool", eq),
    plain("aten::eq.str(str a, str b) -> bool", eq),
    plain("aten::eq.device(Device a, Device b) -> bool", eq),
    plain("aten::eq(Scalar a, Scalar b) -> bool", eq),
    plain("aten::ne.int(int a, int b) -> bool", ne),
    plain("aten::ne.float(float a, float b) -> bool", ne),
    plain("aten::ne.int_float(int a, float b) -> bool", ne),
    plain("aten::ne.float_int(float a, int b) -> bool", ne),
    plain("aten::ne.bool(bool a, bool b) -> bool", ne),
    plain("aten::ne.str(str a, str b) -> bool", ne),
    plain("aten::ne.device(Device a, Device b) -> bool", ne),
    plain("aten::ne(Scalar a, Scalar b) -> bool", ne),
    plain("aten::lt.int(int a, int b) -> bool", |_, a| Ok(ordered(a, Ordering::is_lt))),
    plain("aten::lt.float(float a, float b) -> bool", |_, a| Ok(ordered(a, Ordering::is_lt))),
    plain("aten::lt.str(str a, str b) -> bool", |_, a| Ok(ordered(a, Ordering::is_lt))),
    plain("aten::lt(Scalar a, Scalar b) -> bool", |_, a| Ok(ordered(a, Ordering::is_lt))),
    plain("aten::le.int(int a, int b) -> bool", |_, a| Ok(ordered(a, Ordering::is_le))),
    plain("aten::le.float(float a, float b) -> bool", |_, a| Ok(ordered(a, Ordering::is_le))),
    plain("aten::le.str(str a, str b) -> bool", |_, a| Ok(ordered(a, Ordering::is_le))),
    plain("aten::le(Scalar a, Scalar b) -> bool", |_, a| Ok(ordered(a, Ordering::is_le))),
    plain("aten::gt.int(int a, int b) -> bool", |_, a| Ok(ordered(a, Ordering::is_gt))),
    plain("aten::gt.float(float a, float b) -> bool", |_, a| Ok(ordered(a, Ordering::is_gt))),
    plain("aten::gt.str(str a, str b) -> bool", |_, a| Ok(ordered(a, Ordering::is_gt))),
    plain("aten::gt(Scalar a, Scalar b) -> bool", |_, a| Ok(ordered(a, Ordering::is_gt))),
    plain("aten::ge.int(int a, int b) -> bool", |_, a| Ok(ordered(a, Ordering::is_ge))),
    plain("aten::ge.float(float a, float b) -> bool", |_, a| Ok(ordered(a, Ordering::is_ge))),
    plain("aten::ge.str(str a, str b) -> bool", |_, a| Ok(ordered(a, Ordering::is_ge))),
    plain("aten::ge(Scalar a, Scalar b) -> bool", |_, a| Ok(ordered(a, Ordering::is_ge))),
];

/// Of integers if both are, else of floats.
fn calculate(
    args: &Arguments<'_>,
    int: impl Fn(i64, i64) -> Result<i64, RunProblem>,
    float: impl Fn(f64, f64) -> Result<f64, RunProblem>,
) -> Result<ScriptValue, RunProblem> {
    let (a, b) = (args.number(0)?, args.number(1)?);
    match (a, b) {
        (ScalarValue::Complex(..), _) | (_, ScalarValue::Complex(..)) => {
            crate::problem::unsupported("this operation on complex numbers")
        }
        (ScalarValue::Float(_), _) | (_, ScalarValue::Float(_)) => {
            float(a.float(), b.float()).map(ScriptValue::from)
        }
        _ => int(a.int(), b.int()).map(ScriptValue::from),
    }
}

fn add(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    calculate(args, |a, b| Ok(a.wrapping_add(b)), |a, b| Ok(a + b))
}

fn sub(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    calculate(args, |a, b| Ok(a.wrapping_sub(b)), |a, b| Ok(a - b))
}

fn mul(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    calculate(args, |a, b| Ok(a.wrapping_mul(b)), |a, b| Ok(a * b))
}

fn not_zero<T: PartialEq + Default>(number: T) -> Result<T, RunProblem> {
    if number == T::default() { refused("division by zero") } else { Ok(number) }
}

/// Always a float: numbers never knew another division.
fn div(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(ScriptValue::from(args.float(0)? / not_zero(args.float(1)?)?))
}

fn floordiv(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    calculate(args, |a, b| Ok(floor_int(a, not_zero(b)?)), |a, b| Ok((a / not_zero(b)?).floor()))
}

fn remainder(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    calculate(
        args,
        |a, b| Ok(modulo_int(a, not_zero(b)?)),
        |a, b| Ok(modulo_float(a, not_zero(b)?)),
    )
}

fn extreme(args: &Arguments<'_>, wins: Ordering) -> ScriptValue {
    let (a, b) = (args.value(0), args.value(1));
    if compare(b, a) == Some(wins) { b.clone() } else { a.clone() }
}

pub(crate) fn equal(a: &ScriptValue, b: &ScriptValue) -> bool {
    equal_at(a, b, 0, &std::cell::Cell::new(MOST_COMPARED))
}

/// How many items are compared before two values count as different: a list may hold another many times over,
/// which holds another many times over.
const MOST_COMPARED: usize = 1 << 20;

fn equal_at(a: &ScriptValue, b: &ScriptValue, depth: usize, left: &std::cell::Cell<usize>) -> bool {
    // A list may hold itself.
    if depth > 50 || left.get() == 0 {
        return false;
    }
    left.set(left.get() - 1);
    let all = |a: &[ScriptValue], b: &[ScriptValue]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal_at(a, b, depth + 1, left))
    };
    match (a, b) {
        (ScriptValue::None, ScriptValue::None) => true,
        (ScriptValue::Number(a), ScriptValue::Number(b)) => a.compare(*b) == Some(Ordering::Equal),
        (ScriptValue::Text(a), ScriptValue::Text(b))
        | (ScriptValue::Device(a), ScriptValue::Device(b)) => a == b,
        (ScriptValue::List(a), ScriptValue::List(b)) => all(&a.borrow(), &b.borrow()),
        (ScriptValue::Tuple(a), ScriptValue::Tuple(b)) => all(&a.items, &b.items),
        _ => false,
    }
}

/// Which of two values is larger; none if they have no order.
pub(crate) fn compare(a: &ScriptValue, b: &ScriptValue) -> Option<Ordering> {
    match (a, b) {
        (ScriptValue::Number(a), ScriptValue::Number(b)) => a.compare(*b),
        (ScriptValue::Text(a), ScriptValue::Text(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn eq(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(equal(args.value(0), args.value(1)).into())
}

fn ne(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok((!equal(args.value(0), args.value(1))).into())
}

fn ordered(args: &Arguments<'_>, holds: fn(Ordering) -> bool) -> ScriptValue {
    compare(args.value(0), args.value(1)).is_some_and(holds).into()
}
