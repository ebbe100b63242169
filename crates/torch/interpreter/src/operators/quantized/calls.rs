//! Calls of quantized operators: which take quantized tensors, and how.

use std::rc::Rc;

use super::arithmetic::{quantized, rounded};
use crate::operators::declaration::Context;
use crate::operators::{Arguments, OperatorEntry};
use crate::tensor::Quantizer;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

/// Operators outside of `quantized::` that know quantized tensors.
#[rustfmt::skip]
const KNOW: [&str; 25] = [
    "aten::dequantize", "aten::int_repr", "aten::q_scale", "aten::q_zero_point", "aten::q_per_channel_axis",
    "aten::q_per_channel_scales", "aten::q_per_channel_zero_points", "prim::dtype", "prim::device", "prim::is_quantized",
    "prim::is_cuda", "prim::layout", "prim::shape", "aten::size", "aten::dim", "aten::numel", "aten::len",
    "aten::__is__", "aten::__isnot__", "aten::append", "aten::__getitem__", "aten::_set_item", "aten::list",
    "aten::pop", "aten::extend",
];

/// Operators that give other views or copies of the same integers.
#[rustfmt::skip]
const VIEWS: [&str; 21] = [
    "aten::view", "aten::reshape", "aten::flatten", "aten::squeeze", "aten::unsqueeze", "aten::permute",
    "aten::transpose", "aten::t", "aten::contiguous", "aten::clone", "aten::detach", "aten::select", "aten::slice",
    "aten::narrow", "aten::chunk", "aten::split", "aten::split_with_sizes", "aten::unbind", "aten::expand",
    "aten::dropout", "aten::alias",
];

/// Operators that calculate on the integers less the zero point, and keep the scale.
#[rustfmt::skip]
const INTEGERS: [&str; 12] = [
    "aten::relu", "aten::relu_", "aten::max_pool1d", "aten::max_pool2d", "aten::adaptive_avg_pool1d",
    "aten::adaptive_avg_pool2d", "aten::avg_pool1d", "aten::avg_pool2d", "aten::mean", "aten::upsample_nearest1d",
    "aten::upsample_nearest2d", "aten::constant_pad_nd",
];

/// Operators that calculate on the numbers that are meant, and keep the scale.
#[rustfmt::skip]
const NUMBERS: [&str; 6] = [
    "aten::hardtanh", "aten::hardtanh_", "aten::leaky_relu", "aten::leaky_relu_", "aten::clamp", "aten::elu",
];

/// Operators whose results have a scale of their own: one over the first number; with the zero point of unsigned and of signed
/// integers.
const OWN_SCALE: [(&str, f64, f64, f64); 3] = [
    ("aten::sigmoid", 256.0, 0.0, -128.0),
    ("aten::hardsigmoid", 256.0, 0.0, -128.0),
    ("aten::tanh", 128.0, 128.0, 0.0),
];

pub(crate) fn call(
    context: &Context<'_>,
    entry: &OperatorEntry,
    values: &[ScriptValue],
) -> Result<ScriptValue, RunProblem> {
    let run = |values: &[ScriptValue]| entry.calculate(context, values);
    if !values.iter().any(holds_quantized) {
        return run(values);
    }
    let name = entry.schema.name.as_str();
    if name.starts_with("quantized::") || KNOW.contains(&name) {
        return run(values);
    }
    if let ("aten::cat", [tensors, dim]) = (name, values) {
        // By the scale of the first.
        let values = [tensors.clone(), dim.clone(), ScriptValue::None, ScriptValue::None];
        return super::elementwise::cat(context, &Arguments::new(&values), false);
    }
    let no =
        || RunProblem::Unsupported(format!("{} of quantized tensors", entry.schema.full_name()));
    let Some(ScriptValue::Tensor(first)) = values.first() else { return Err(no()) };
    let Some(quantizer) = first.quantizer() else { return Err(no()) };
    if values.iter().skip(1).any(holds_quantized) {
        return Err(no());
    }
    let (scale, zero) = first.scale_and_zero()?;
    if VIEWS.contains(&name) {
        let result = run(values)?;
        let kept = |tensor: &Tensor| tensor.quantizer().is_some();
        return if result.tensors().iter().all(kept) { Ok(result) } else { Err(no()) };
    }
    let on = |dtype: Dtype, numbers: Vec<f64>| -> Result<Tensor, RunProblem> {
        let mut values = values.to_vec();
        if let Some(place) = values.first_mut() {
            *place = Tensor::of_floats(context.meter, dtype, first.shape(), numbers)?.into();
        }
        match run(&values)? {
            ScriptValue::Tensor(result) if result.dtype() == dtype => Ok(result),
            _ => Err(no()),
        }
    };
    if INTEGERS.contains(&name) {
        let filled = name == "aten::constant_pad_nd";
        if filled
            && values.get(2).and_then(ScriptValue::number).is_none_or(|fill| fill.float() != 0.0)
        {
            return Err(no());
        }
        let result = on(Dtype::F64, first.centered())?;
        let range = quantizer.range(first.dtype());
        let integers = result.floats().into_iter().map(|n| rounded(n, zero, range)).collect();
        let made = Tensor::of_floats(context.meter, first.dtype(), result.shape(), integers)?;
        return Ok(made.quantized_by(quantizer.clone())?.into());
    }
    let own = OWN_SCALE.iter().find(|row| row.0 == name);
    let (scale, zero) = match own {
        Some((_, steps, unsigned, _)) if first.dtype() == Dtype::U8 => (1.0 / steps, *unsigned),
        Some((_, steps, _, signed)) if first.dtype() == Dtype::I8 => (1.0 / steps, *signed),
        None if NUMBERS.contains(&name) => (scale, zero),
        _ => return Err(no()),
    };
    let result = on(Dtype::F32, first.dequantized())?;
    let quantizer = Rc::new(Quantizer::of_tensor(scale, zero));
    let made = quantized(context, first.dtype(), result.shape(), &result.floats(), quantizer)?;
    Ok(made.into())
}

fn holds_quantized(value: &ScriptValue) -> bool {
    let is =
        |value: &ScriptValue| value.tensor().is_some_and(|tensor| tensor.quantizer().is_some());
    match value {
        ScriptValue::List(items) => {
            let items = items.borrow();
            // A list has items of one type; one of numbers is not gone through.
            matches!(items.first(), Some(ScriptValue::Tensor(_))) && items.iter().any(is)
        }
        value => is(value),
    }
}
