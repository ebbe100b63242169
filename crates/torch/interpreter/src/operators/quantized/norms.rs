//! Normalizations of quantized tensors: of the numbers that are meant, rounded to a scale of their own.

use std::rc::Rc;

use super::arithmetic::quantized;
use crate::operators::Arguments;
use crate::operators::declaration::{Context, Operator, plain};
use crate::problem::{refused, unsupported};
use crate::tensor::Quantizer;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("quantized::batch_norm(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, false)),
    plain("quantized::batch_norm_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, true)),
    plain("quantized::batch_norm1d(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, false)),
    plain("quantized::batch_norm1d_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, true)),
    plain("quantized::batch_norm2d(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, false)),
    plain("quantized::batch_norm2d_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, true)),
    plain("quantized::batch_norm3d(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, false)),
    plain("quantized::batch_norm3d_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| batch_norm(c, a, true)),
    plain("quantized::group_norm(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| normalized(c, a, "aten::group_norm", [1, 2, 3, 4], [5, 6])),
    plain("quantized::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps, float output_scale, int output_zero_point) -> Tensor", |c, a| normalized(c, a, "aten::layer_norm", [1, 2, 3, 4], [5, 6])),
    plain("quantized::instance_norm(Tensor input, Tensor? weight, Tensor? bias, float eps, float output_scale, int output_zero_point) -> Tensor", instance_norm),
];

fn numbers(context: &Context<'_>, tensor: &Tensor) -> Result<ScriptValue, RunProblem> {
    tensor.scale_and_zero()?;
    let numbers = tensor.dequantized();
    Ok(Tensor::of_floats(context.meter, Dtype::F32, tensor.shape(), numbers)?.into())
}

/// What an operator gives for numbers, quantized.
fn called(
    context: &Context<'_>,
    args: &Arguments<'_>,
    (name, values): (&str, Vec<ScriptValue>),
    [scale, zero]: [usize; 2],
    relu: bool,
) -> Result<ScriptValue, RunProblem> {
    let Some(entry) = context.overload(name, "") else { return unsupported(name) };
    let ScriptValue::Tensor(result) = entry.run(context, &values)? else {
        return refused(format!("{name} gave no tensor"));
    };
    let quantizer = Rc::new(Quantizer::of_tensor(args.float(scale)?, args.float(zero)?));
    let mut numbers = result.floats();
    if relu {
        numbers.iter_mut().for_each(|number| *number = number.max(0.0));
    }
    let dtype = args.tensor(0)?.dtype();
    Ok(quantized(context, dtype, result.shape(), &numbers, quantizer)?.into())
}

fn normalized(
    context: &Context<'_>,
    args: &Arguments<'_>,
    name: &str,
    given: [usize; 4],
    output: [usize; 2],
) -> Result<ScriptValue, RunProblem> {
    let mut values = vec![numbers(context, args.tensor(0)?)?];
    values.extend(given.map(|at| args.value(at).clone()));
    values.push(false.into());
    called(context, args, (name, values), output, false)
}

fn instance_norm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (weight, bias, eps) = (args.value(1).clone(), args.value(2).clone(), args.value(3).clone());
    let input = numbers(context, args.tensor(0)?)?;
    let (training, momentum) = (true.into(), 0.0.into());
    let values = vec![
        input,
        weight,
        bias,
        ScriptValue::None,
        ScriptValue::None,
        training,
        momentum,
        eps,
        false.into(),
    ];
    called(context, args, ("aten::instance_norm", values), [4, 5], false)
}

fn batch_norm(
    context: &Context<'_>,
    args: &Arguments<'_>,
    relu: bool,
) -> Result<ScriptValue, RunProblem> {
    let mut values = vec![numbers(context, args.tensor(0)?)?];
    values.extend([1, 2, 3, 4].map(|at| args.value(at).clone()));
    values.extend([false.into(), 0.0.into(), args.value(5).clone(), false.into()]);
    called(context, args, ("aten::batch_norm", values), [6, 7], relu)
}
