//! Operators of `prim`: what programs ask of tensors and of the interpreter itself.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::size(Tensor self) -> int[]", |_, a| Ok(ScriptValue::ints(a.tensor(0)?.shape().iter().map(|n| *n as i64)))),
    plain("aten::size.int(Tensor self, int dim) -> int", size),
    plain("aten::sym_size.int(Tensor self, int dim) -> int", size),
    plain("aten::stride(Tensor self) -> int[]", |_, a| Ok(ScriptValue::ints(a.tensor(0)?.strides().iter().map(|n| *n as i64)))),
    plain("aten::stride.int(Tensor self, int dim) -> int", stride),
    plain("aten::storage_offset(Tensor self) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.offset() as i64))),
    plain("aten::dim(Tensor self) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.rank() as i64))),
    plain("aten::numel(Tensor self) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.count() as i64))),
    plain("aten::element_size(Tensor self) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.dtype().bytes() as i64))),
    plain("aten::is_floating_point(Tensor self) -> bool", |_, a| Ok(a.tensor(0)?.dtype().is_float().into())),
    plain("aten::is_complex(Tensor self) -> bool", |_, a| Ok(a.tensor(0)?.dtype().is_complex().into())),
    plain("aten::is_signed(Tensor self) -> bool", |_, a| Ok((!matches!(a.tensor(0)?.dtype(), Dtype::U8 | Dtype::Bool)).into())),
    plain("aten::is_nonzero(Tensor self) -> bool", |_, a| Ok(a.tensor(0)?.item()?.is_true().into())),
    plain("aten::is_contiguous(Tensor self) -> bool", |_, a| Ok(a.tensor(0)?.is_contiguous().into())),
    plain("aten::is_same_size(Tensor self, Tensor other) -> bool", |_, a| Ok((a.tensor(0)?.shape() == a.tensor(1)?.shape()).into())),
    plain("aten::item(Tensor self) -> Scalar", |_, a| Ok(a.tensor(0)?.item()?.into())),
    plain("aten::_local_scalar_dense(Tensor self) -> Scalar", |_, a| Ok(a.tensor(0)?.item()?.into())),
    plain("aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType", result_type),
    plain("aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType", result_type),
    plain("aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType", promote_types),
    plain("aten::can_cast(ScalarType from_, ScalarType to) -> bool", can_cast),
    plain("aten::can_cast(ScalarType from, ScalarType to) -> bool", can_cast),
    plain("prim::dtype(Tensor a) -> int", |_, a| Ok(ScriptValue::from(super::quantized::code(a.tensor(0)?)))),
    plain("prim::device(Tensor a) -> Device", |_, _| Ok(ScriptValue::Device("cpu".into()))),
    plain("prim::layout(Tensor a) -> Layout", |_, _| Ok(ScriptValue::from(0_i64))),
    plain("prim::shape(Tensor a) -> int[]", |_, a| Ok(ScriptValue::ints(a.tensor(0)?.shape().iter().map(|n| *n as i64)))),
    plain("prim::is_cuda(Tensor a) -> bool", |_, _| Ok(false.into())),
    plain("prim::is_quantized(Tensor a) -> bool", |_, a| Ok(a.tensor(0)?.quantizer().is_some().into())),
    plain("prim::is_nested(Tensor a) -> bool", |_, _| Ok(false.into())),
    plain("prim::is_cpu(Tensor a) -> bool", |_, _| Ok(true.into())),
    plain("prim::is_meta(Tensor a) -> bool", |_, _| Ok(false.into())),
    plain("prim::itemsize(Tensor a) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.dtype().bytes() as i64))),
    plain("prim::name(Tensor a) -> str?", |_, _| Ok(ScriptValue::None)),
    plain("aten::is_autocast_enabled() -> bool", |_, _| Ok(false.into())),
    plain("aten::is_autocast_cpu_enabled() -> bool", |_, _| Ok(false.into())),
    plain("aten::__range_length(int lo, int hi, int step) -> int", range_length),
    plain("aten::__derive_index(int index, int start, int step) -> int", |_, a| Ok(ScriptValue::from(a.int(1)?.wrapping_add(a.int(0)?.wrapping_mul(a.int(2)?))))),
    plain("aten::_assert_scalar(Scalar self, str assert_msg) -> ()", assert_scalar),
    plain("aten::_assert_tensor_metadata(Tensor a, int[]? size=None, int[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()", assert_metadata),
    plain("aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()", |_, _| Ok(ScriptValue::None)),
    plain("aten::sym_numel(Tensor self) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.count() as i64))),
    plain("aten::sym_stride.int(Tensor self, int dim) -> int", stride),
    plain("prim::is_sparse(Tensor a) -> bool", |_, _| Ok(false.into())),
    plain("prim::is_mkldnn(Tensor a) -> bool", |_, _| Ok(false.into())),
    plain("prim::requires_grad(Tensor a) -> bool", |_, _| Ok(false.into())),
    plain("prim::data(Tensor(a) a) -> Tensor(a)", |_, a| Ok(a.value(0).clone())),
    plain("prim::type(Device self) -> str", |_, _| Ok(ScriptValue::from("cpu"))),
    plain("prim::min.int_list(int[] l, int[] r) -> int[]", |_, a| Ok(if a.ints(0)? < a.ints(1)? { a.value(0) } else { a.value(1) }.clone())),
    plain("prim::min.self_int(int[] self) -> int", |_, a| extreme_of(a, true)),
    plain("prim::max.self_int(int[] self) -> int", |_, a| extreme_of(a, false)),
    plain("prim::min.self_float(float[] self) -> float", |_, a| extreme_of(a, true)),
    plain("prim::max.self_float(float[] self) -> float", |_, a| extreme_of(a, false)),
    plain("aten::device(str a) -> Device", |_, a| Ok(ScriptValue::Device(a.text(0)?.into()))),
    plain("aten::is_grad_enabled() -> bool", |_, _| Ok(false.into())),
    plain("aten::set_grad_enabled(bool val) -> ()", |_, _| Ok(ScriptValue::None)),
    plain("aten::is_scripting() -> bool", |_, _| Ok(true.into())),
    plain("aten::warn(str message, int stacklevel=2) -> ()", |_, _| Ok(ScriptValue::None)),
    plain("prim::Print(...) -> ()", |_, _| Ok(ScriptValue::None)),
    plain("aten::_assert_async.msg(Tensor self, str assert_msg) -> ()", assert_async),
    plain("aten::Int.Tensor(Tensor a) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.item()?.int()))),
    plain("aten::Int.Scalar(Scalar a) -> int", |_, a| Ok(ScriptValue::from(a.number(0)?.int()))),
    plain("aten::Int.bool(bool a) -> int", |_, a| Ok(ScriptValue::from(a.int(0)?))),
    plain("aten::Int.float(float a) -> int", |_, a| Ok(ScriptValue::from(a.int(0)?))),
    plain("aten::Int.str(str a) -> int", parsed_int),
    plain("aten::IntImplicit(Tensor a) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.item()?.int()))),
    plain("aten::Float.Tensor(Tensor a) -> float", |_, a| Ok(ScriptValue::from(a.tensor(0)?.item()?.float()))),
    plain("aten::Float.Scalar(Scalar a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?))),
    plain("aten::Float.int(int a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?))),
    plain("aten::Float.bool(bool a) -> float", |_, a| Ok(ScriptValue::from(a.float(0)?))),
    plain("aten::Float.str(str a) -> float", parsed_float),
    plain("aten::FloatImplicit(Tensor a) -> float", |_, a| Ok(ScriptValue::from(a.tensor(0)?.item()?.float()))),
    plain("aten::ScalarImplicit(Tensor a) -> Scalar", |_, a| Ok(a.tensor(0)?.item()?.into())),
    plain("aten::Bool.Tensor(Tensor a) -> bool", |_, a| Ok(a.tensor(0)?.item()?.is_true().into())),
    plain("aten::Bool.int(int a) -> bool", |_, a| Ok(a.boolean(0)?.into())),
    plain("aten::Bool.float(float a) -> bool", |_, a| Ok(a.boolean(0)?.into())),
    plain("aten::Complex.Scalar(Scalar a) -> complex", |_, a| { let (re, im) = a.number(0)?.complex(); Ok(ScalarValue::Complex(re, im).into()) }),
    plain("aten::Complex.int_int(int x, int y) -> complex", |_, a| Ok(ScalarValue::Complex(a.float(0)?, a.float(1)?).into())),
    plain("aten::Complex.float_float(float x, float y) -> complex", |_, a| Ok(ScalarValue::Complex(a.float(0)?, a.float(1)?).into())),
    plain("prim::abs.Scalar(Scalar a) -> Scalar", |_, a| Ok(match a.number(0)? { ScalarValue::Int(n) => ScriptValue::from(n.wrapping_abs()), n => ScriptValue::from(n.float().abs()) })),
];

fn size(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    match tensor.shape().get(args.axis(1, tensor.rank())?) {
        Some(size) => Ok(ScriptValue::from(*size as i64)),
        None => refused("dimension specified as 0 but tensor has no dimensions"),
    }
}

fn stride(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    match tensor.strides().get(args.axis(1, tensor.rank())?) {
        Some(stride) => Ok(ScriptValue::from(*stride as i64)),
        None => refused("dimension specified as 0 but tensor has no dimensions"),
    }
}

fn result_type(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(ScriptValue::from(super::arithmetic::common(args.value(0), args.value(1)).code()))
}

fn two_types(args: &Arguments<'_>) -> Result<(Dtype, Dtype), RunProblem> {
    match (args.dtype(0)?, args.dtype(1)?) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => refused("two types are wanted"),
    }
}

fn promote_types(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (a, b) = two_types(args)?;
    Ok(ScriptValue::from(crate::dtype::promote(a, b).code()))
}

fn can_cast(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (from, to) = two_types(args)?;
    Ok(from.can_cast(to).into())
}

/// The smallest or the largest of a list of numbers.
fn extreme_of(args: &Arguments<'_>, least: bool) -> Result<ScriptValue, RunProblem> {
    let items = args.items(0)?;
    let best = items.iter().filter_map(ScriptValue::number).reduce(|best, next| {
        let wins = next.compare(best).is_some_and(|o| if least { o.is_lt() } else { o.is_gt() });
        if wins { next } else { best }
    });
    best.map_or_else(|| refused("arg is an empty sequence"), |best| Ok(best.into()))
}

/// How many numbers a range has.
fn range_length(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let [low, high, step] = [args.int(0)?, args.int(1)?, args.int(2)?].map(i128::from);
    let span = match step {
        0 => return refused("range() arg 3 must not be zero"),
        1.. => (high - low).max(0),
        _ => (low - high).max(0),
    };
    let length = (span + step.abs() - 1) / step.abs();
    Ok(ScriptValue::from(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn assert_scalar(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.number(0)?.is_true() { Ok(ScriptValue::None) } else { refused(args.text(1)?) }
}

/// What the graph was made for; it is refused otherwise.
fn assert_metadata(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let sizes = |sizes: &[usize]| sizes.iter().map(|size| *size as i64).collect::<Vec<_>>();
    let right = args.ints_or_none(1)?.is_none_or(|wanted| wanted == sizes(tensor.shape()))
        && args.ints_or_none(2)?.is_none_or(|wanted| wanted == sizes(tensor.strides()))
        && args.dtype(3)?.is_none_or(|wanted| wanted == tensor.dtype());
    match right {
        true => Ok(ScriptValue::None),
        false => refused(format!("Tensor metadata mismatch: {tensor}")),
    }
}

fn assert_async(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let holds = args.tensor(0)?.item()?.is_true();
    if holds { Ok(ScriptValue::None) } else { refused(args.text(1)?) }
}

fn parsed_int(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let text = args.text(0)?;
    match text.trim().parse::<i64>() {
        Ok(number) => Ok(ScriptValue::from(number)),
        Err(_) => refused(format!("invalid literal for int(): {text}")),
    }
}

fn parsed_float(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let text = args.text(0)?;
    match text.trim().parse::<f64>() {
        Ok(number) => Ok(ScriptValue::from(number)),
        Err(_) => refused(format!("could not convert string to float: {text}")),
    }
}
