//! Sums, products, joins and activations of quantized tensors.

use std::rc::Rc;

use super::arithmetic::{quantized, rounded};
use crate::operators::Arguments;
use crate::operators::declaration::{Context, Operator, plain};
use crate::operators::unary::sigmoid;
use crate::problem::refused;
use crate::tensor::{Quantizer, broadcast};
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("quantized::add(Tensor qa, Tensor qb, float scale, int zero_point) -> (Tensor qc)", |c, a| add(c, a, false)),
    plain("quantized::add_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> (Tensor qc)", |c, a| add(c, a, true)),
    plain("quantized::mul(Tensor qa, Tensor qb, float scale, int zero_point) -> (Tensor qc)", |c, a| mul(c, a, false)),
    plain("quantized::mul_relu(Tensor qa, Tensor qb, float scale, int zero_point) -> (Tensor qc)", |c, a| mul(c, a, true)),
    plain("quantized::cat(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor", |c, a| cat(c, a, false)),
    plain("quantized::cat_relu(Tensor[] qx, int dim, float? scale, int? zero_point) -> Tensor", |c, a| cat(c, a, true)),
    plain("quantized::relu6(Tensor qx, bool inplace=False) -> Tensor", relu6),
    plain("quantized::hardswish(Tensor input, float output_scale, int output_zero_point) -> Tensor", |c, a| mapped(c, a, [1, 2], |n| n * (n + 3.0).clamp(0.0, 6.0) / 6.0)),
    plain("quantized::sigmoid(Tensor qx, float output_scale, int output_zero_point) -> Tensor", |c, a| mapped(c, a, [1, 2], sigmoid)),
    plain("quantized::elu(Tensor self, float output_scale, int output_zero_point, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", |c, a| {
        let (alpha, scale, inner) = (a.float(3)?, a.float(4)?, a.float(5)?);
        mapped(c, a, [1, 2], |n| scale * if n > 0.0 { n } else { alpha * (n * inner).exp_m1() })
    }),
    plain("quantized::mul.Scalar(Tensor qa, Scalar b) -> (Tensor qc)", scaled),
    plain("quantized::mul_scalar(Tensor qa, Scalar b) -> (Tensor qc)", scaled),
    plain("quantized::leaky_relu(Tensor qx, Scalar negative_slope, bool inplace, float output_scale, int output_zero_point) -> Tensor", |c, a| {
        let slope = a.float(1)?;
        mapped(c, a, [3, 4], |n| if n > 0.0 { n } else { n * slope })
    }),
];

fn operands(args: &Arguments<'_>) -> Result<(Tensor, Tensor, Vec<usize>), RunProblem> {
    let (a, b) = (args.tensor(0)?, args.tensor(1)?);
    if a.dtype() != b.dtype() {
        return refused("Both inputs to a quantized operator should have the same type");
    }
    a.scale_and_zero()?;
    b.scale_and_zero()?;
    let shape = broadcast(a.shape(), b.shape())?;
    Ok((a.expand(&shape)?, b.expand(&shape)?, shape))
}

/// The integers that a result may have: with `relu`, none below zero.
fn range(quantizer: &Quantizer, of: &Tensor, relu: bool) -> (f64, f64) {
    let (low, high) = quantizer.range(of.dtype());
    let zero = quantizer.zero_points.first().copied().unwrap_or(low);
    (if relu { low.max(zero) } else { low }, high)
}

fn made(
    context: &Context<'_>,
    like: &Tensor,
    shape: &[usize],
    (scale, zero): (f64, f64),
    relu: bool,
    units: impl Iterator<Item = f64>,
) -> Result<ScriptValue, RunProblem> {
    let quantizer = Rc::new(Quantizer::of_tensor(scale, zero));
    let range = range(&quantizer, like, relu);
    let integers = units.map(|n| rounded(n, zero, range)).collect();
    let made = Tensor::of_floats(context.meter, like.dtype(), shape, integers)?;
    Ok(made.quantized_by(quantizer)?.into())
}

fn add(context: &Context<'_>, args: &Arguments<'_>, relu: bool) -> Result<ScriptValue, RunProblem> {
    let (a, b, shape) = operands(args)?;
    let (scale, zero) = (args.float(2)?, args.float(3)?);
    let pairs = a.dequantized().into_iter().zip(b.dequantized());
    let units = pairs.map(|(a, b)| super::arithmetic::units(a + b, scale));
    made(context, &a, &shape, (scale, zero), relu, units)
}

fn mul(context: &Context<'_>, args: &Arguments<'_>, relu: bool) -> Result<ScriptValue, RunProblem> {
    let (a, b, shape) = operands(args)?;
    let (scale, zero) = (args.float(2)?, args.float(3)?);
    let own = |tensor: &Tensor| tensor.scale_and_zero().map(|pair| pair.0 as f32);
    let factor = own(&a)? * own(&b)? * (1.0 / scale as f32);
    let pairs = a.centered().into_iter().zip(b.centered());
    let units = pairs.map(|(a, b)| f64::from((a * b) as f32 * factor));
    made(context, &a, &shape, (scale, zero), relu, units)
}

/// A product with a number, which changes the scale alone; one with a number below zero turns the integers around.
fn scaled(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (tensor, factor) = (args.tensor(0)?, args.float(1)?);
    let (scale, zero) = tensor.scale_and_zero()?;
    let (low, high) = Quantizer::of_tensor(scale, zero).range(tensor.dtype());
    let turned = |zero: f64| high - zero + low;
    let (integers, scale, zero) = if factor > 0.0 {
        (tensor.floats(), scale * factor, zero)
    } else if factor == 0.0 {
        (vec![0.0; tensor.count()], 1.0, 0.0)
    } else {
        (tensor.floats().into_iter().map(turned).collect(), scale * factor.abs(), turned(zero))
    };
    let made = Tensor::of_floats(context.meter, tensor.dtype(), tensor.shape(), integers)?;
    Ok(made.quantized_by(Rc::new(Quantizer::of_tensor(scale, zero)))?.into())
}

pub(super) fn cat(
    context: &Context<'_>,
    args: &Arguments<'_>,
    relu: bool,
) -> Result<ScriptValue, RunProblem> {
    let tensors = args.tensors(0)?;
    let Some(first) = tensors.first() else { return refused("quantized::cat of no tensors") };
    let own = first.scale_and_zero()?;
    let scale = args.float_or_none(2)?.unwrap_or(own.0);
    let zero = args.float_or_none(3)?.unwrap_or(own.1);
    let quantizer = Quantizer::of_tensor(scale, zero);
    let range = range(&quantizer, first, relu);
    let mut parts = Vec::new();
    for tensor in &tensors {
        if tensor.dtype() != first.dtype() {
            return refused("All dtypes must be the same in quantized::cat");
        }
        let same = tensor.scale_and_zero()? == (scale, zero);
        let integer = |n: f64| rounded(super::arithmetic::units(n, scale), zero, range);
        let integers = match same {
            true => tensor.floats().into_iter().map(|n| n.clamp(range.0, range.1)).collect(),
            false => tensor.dequantized().into_iter().map(integer).collect(),
        };
        parts.push(Tensor::of_floats(context.meter, first.dtype(), tensor.shape(), integers)?);
    }
    let Some(entry) = context.overload("aten::cat", "") else {
        return crate::problem::unsupported("joining tensors");
    };
    let parts = crate::operators::shape::tensors(parts);
    match entry.run(context, &[parts, args.value(1).clone()])? {
        ScriptValue::Tensor(joined) => Ok(joined.quantized_by(Rc::new(quantizer))?.into()),
        other => refused(format!("aten::cat gave {}", other.type_name())),
    }
}

fn relu6(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    let (scale, zero) = tensor.scale_and_zero()?;
    let quantizer = Quantizer::of_tensor(scale, zero);
    let limits = quantizer.range(tensor.dtype());
    let six = rounded(super::arithmetic::units(6.0, scale), zero, limits);
    let integers = tensor.floats().into_iter().map(|n| n.max(zero).min(six)).collect();
    let result = Tensor::of_floats(context.meter, tensor.dtype(), tensor.shape(), integers)?
        .quantized_by(Rc::new(quantizer))?;
    if !args.boolean(1)? {
        return Ok(result.into());
    }
    tensor.copy_from(&result)?;
    Ok(tensor.clone().into())
}

/// A function of the numbers that are meant, with a scale of its own.
fn mapped(
    context: &Context<'_>,
    args: &Arguments<'_>,
    [scale, zero]: [usize; 2],
    of: impl Fn(f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let tensor = args.tensor(0)?;
    tensor.scale_and_zero()?;
    let quantizer = Rc::new(Quantizer::of_tensor(args.float(scale)?, args.float(zero)?));
    let numbers: Vec<f64> = tensor.dequantized().into_iter().map(of).collect();
    Ok(quantized(context, tensor.dtype(), tensor.shape(), &numbers, quantizer)?.into())
}
