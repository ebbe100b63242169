//! Making quantized tensors, and what they are made of.

use std::rc::Rc;

use super::arithmetic::{chosen, integers_of, quantized};
use crate::operators::Arguments;
use crate::operators::declaration::{Context, Operator, plain};
use crate::problem::unsupported;
use crate::tensor::Quantizer;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("aten::quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor", |c, a| of_tensor(c, a, a.float(1)?, a.float(2)?)),
    plain("aten::quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType dtype) -> Tensor", |c, a| of_tensor(c, a, a.tensor(1)?.item()?.float(), a.tensor(2)?.item()?.float())),
    plain("aten::quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType dtype) -> Tensor", of_channels),
    plain("aten::quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor", dynamic),
    plain("aten::dequantize.self(Tensor self) -> Tensor", |c, a| numbers(c, a.tensor(0)?)),
    plain("aten::dequantize.tensors(Tensor[] tensors) -> Tensor[]", |c, a| Ok(ScriptValue::list(a.tensors(0)?.iter().map(|one| numbers(c, one)).collect::<Result<_, _>>()?))),
    plain("aten::int_repr(Tensor self) -> Tensor", |_, a| Ok(a.tensor(0)?.integers().copy()?.into())),
    plain("aten::q_scale(Tensor self) -> float", |_, a| Ok(a.tensor(0)?.scale_and_zero()?.0.into())),
    plain("aten::q_zero_point(Tensor self) -> int", |_, a| Ok(ScriptValue::from(a.tensor(0)?.scale_and_zero()?.1 as i64))),
    plain("aten::q_per_channel_axis(Tensor self) -> int", |_, a| Ok(ScriptValue::from(channels(a.tensor(0)?)?.axis.unwrap_or(0) as i64))),
    plain("aten::q_per_channel_scales(Tensor self) -> Tensor", |c, a| {
        let scales = &channels(a.tensor(0)?)?.scales;
        Ok(Tensor::of_floats(c.meter, Dtype::F64, &[scales.len()], scales.clone())?.into())
    }),
    plain("aten::q_per_channel_zero_points(Tensor self) -> Tensor", |c, a| {
        let zeros = &channels(a.tensor(0)?)?.zero_points;
        Ok(Tensor::of_floats(c.meter, Dtype::I64, &[zeros.len()], zeros.clone())?.into())
    }),
];

/// The number of the type in programs.
pub(crate) fn code(tensor: &Tensor) -> i64 {
    match (tensor.quantizer(), tensor.dtype()) {
        (Some(quantizer), Dtype::U8) if quantizer.half_bytes => 16,
        (Some(_), Dtype::I8) => 12,
        (Some(_), Dtype::U8) => 13,
        (Some(_), _) => 14,
        (None, dtype) => dtype.code(),
    }
}

fn of_tensor(
    context: &Context<'_>,
    args: &Arguments<'_>,
    scale: f64,
    zero: f64,
) -> Result<ScriptValue, RunProblem> {
    let tensor = of_floats(args)?;
    let quantizer = Rc::new(Quantizer::of_tensor(scale, zero));
    let dtype = integers_of(args.int(3)?)?;
    Ok(quantized(context, dtype, tensor.shape(), &tensor.floats(), quantizer)?.into())
}

fn of_channels(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = of_floats(args)?;
    let axis = args.axis(3, tensor.rank())?;
    let (scales, zero_points) = (args.tensor(1)?.floats(), args.tensor(2)?.floats());
    if args.tensor(2)?.dtype().is_float() {
        return unsupported("quantize_per_channel with zero points that are floats");
    }
    let quantizer = Quantizer { scales, zero_points, axis: Some(axis), half_bytes: false };
    let dtype = integers_of(args.int(4)?)?;
    let numbers = tensor.floats();
    Ok(quantized(context, dtype, tensor.shape(), &numbers, Rc::new(quantizer))?.into())
}

fn dynamic(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = of_floats(args)?;
    let dtype = integers_of(args.int(1)?)?;
    if dtype != Dtype::U8 {
        return unsupported("quantize_per_tensor_dynamic to other types than quint8");
    }
    Ok(by_its_bounds(context, tensor, args.boolean(2)?)?.into())
}

/// Quantized with the scale that spans its numbers, with 8 bits or 7.
pub(super) fn by_its_bounds(
    context: &Context<'_>,
    tensor: &Tensor,
    seven_bits: bool,
) -> Result<Tensor, RunProblem> {
    let numbers = tensor.floats();
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if numbers.is_empty() { (0.0, 0.0) } else { (low, high) };
    let (scale, zero) = chosen(low, high, if seven_bits { 127.0 } else { 255.0 });
    let quantizer = Rc::new(Quantizer::of_tensor(scale, zero));
    quantized(context, Dtype::U8, tensor.shape(), &numbers, quantizer)
}

fn of_floats<'a>(args: &Arguments<'a>) -> Result<&'a Tensor, RunProblem> {
    let tensor = args.tensor(0)?;
    match (tensor.dtype(), tensor.quantizer()) {
        (Dtype::F32, None) => Ok(tensor),
        _ => crate::problem::refused(format!("Quantize only works on Float Tensor, got {tensor}")),
    }
}

fn numbers(context: &Context<'_>, tensor: &Tensor) -> Result<ScriptValue, RunProblem> {
    if tensor.quantizer().is_none() {
        return Ok(tensor.to_dtype(Dtype::F32)?.into());
    }
    let numbers = tensor.dequantized();
    Ok(Tensor::of_floats(context.meter, Dtype::F32, tensor.shape(), numbers)?.into())
}

fn channels(tensor: &Tensor) -> Result<&Quantizer, RunProblem> {
    match tensor.quantizer() {
        Some(quantizer) if quantizer.axis.is_some() => Ok(quantizer),
        _ => crate::problem::refused("Expected quantizer->qscheme() == kPerChannelAffine"),
    }
}
