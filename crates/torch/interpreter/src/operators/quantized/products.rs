//! Linear layers and convolutions with packed weights.
//!
//! The sum of products of integers is exact. What the engines do with it then differs: see [`QuantizedEngine`].

use std::rc::Rc;

use super::arithmetic::rounded;
use super::packing::PackedWeights;
use super::tensors::by_its_bounds;
use crate::engine::QuantizedEngine;
use crate::operators::Arguments;
use crate::operators::declaration::{Context, Operator, plain};
use crate::operators::matrix::matmul;
use crate::problem::{refused, unsupported};
use crate::tensor::Quantizer;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("quantized::linear(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float Y_scale_i, int Y_zero_point_i) -> (Tensor Y)", |c, a| linear(c, a, false)),
    plain("quantized::linear_relu(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float Y_scale_i, int Y_zero_point_i) -> (Tensor Y)", |c, a| linear(c, a, true)),
    plain("quantized::linear_dynamic(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, bool reduce_range=False) -> (Tensor Y)", |c, a| dynamic(c, a, false)),
    plain("quantized::linear_relu_dynamic(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, bool reduce_range=False) -> (Tensor Y)", |c, a| dynamic(c, a, true)),
    plain("quantized::linear_dynamic_fp16(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> (Tensor Y)", |c, a| Ok(linear_dynamic(c, a.tensor(0)?, &PackedWeights::from_value(a.value(1))?, false)?.into())),
    plain("quantized::conv1d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| over_one(c, a, false)),
    plain("quantized::conv1d_relu(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| over_one(c, a, true)),
    plain("quantized::conv2d.new(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 2, false)),
    plain("quantized::conv2d_relu.new(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 2, true)),
    plain("quantized::conv3d.new(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 2, false)),
    plain("quantized::conv3d_relu.new(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 2, true)),
    plain("quantized::conv_transpose1d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| over_one(c, a, false)),
    plain("quantized::conv_transpose2d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 2, false)),
    plain("quantized::conv_transpose3d(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 2, false)),
    plain("quantized::conv2d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 6, false)),
    plain("quantized::conv3d(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 6, false)),
    plain("quantized::conv3d_relu(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 6, true)),
    plain("quantized::conv2d_relu(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", |c, a| convolution(c, a, 6, true)),
];

/// Sums of products, and what each channel of them is worth.
struct Sums {
    sums: Tensor,
    /// The dimension of the output channels.
    axis: usize,
    /// The product of both scales, for each channel.
    worth: Vec<f32>,
    bias: Option<Vec<f64>>,
}

impl Sums {
    fn new(
        sums: Tensor,
        axis: usize,
        input_scale: f64,
        packed: &PackedWeights,
    ) -> Result<Self, RunProblem> {
        let channels = sums.shape().get(axis).copied().unwrap_or(0);
        let Some(quantizer) = packed.weight.quantizer() else {
            return refused("quantized weights are wanted");
        };
        let worth = |scale: &f64| input_scale as f32 * *scale as f32;
        let mut worth: Vec<f32> = quantizer.scales.iter().map(worth).collect();
        if let [one] = *worth {
            worth = vec![one; channels];
        }
        let bias = packed.bias.as_ref().map(Tensor::floats);
        if worth.len() != channels || bias.as_ref().is_some_and(|bias| bias.len() != channels) {
            return refused(format!("{} scales for {channels} channels", worth.len()));
        }
        Ok(Self { sums, axis, worth, bias })
    }

    /// One number for each sum, by the sum and its channel.
    fn each(&self, of: impl Fn(f32, usize) -> f64) -> Vec<f64> {
        let shape = self.sums.shape();
        let inner: usize = shape.iter().skip(self.axis + 1).product();
        let channels = self.worth.len().max(1);
        let sums = self.sums.floats().into_iter().enumerate();
        sums.map(|(at, sum)| of(sum as f32, at / inner.max(1) % channels)).collect()
    }

    fn rounded(
        &self,
        context: &Context<'_>,
        (scale, zero): (f64, f64),
        relu: bool,
    ) -> Result<Tensor, RunProblem> {
        let quantizer = Rc::new(Quantizer::of_tensor(scale, zero));
        let (low, high) = quantizer.range(Dtype::U8);
        let low = if relu { low.max(zero) } else { low };
        let integers = self.each(|sum, channel| {
            let worth = self.worth[channel];
            let bias = self.bias.as_ref().map_or(0.0, |bias| bias[channel]) as f32 / worth;
            let bias = match context.engine {
                QuantizedEngine::Fbgemm => bias,
                QuantizedEngine::Qnnpack => bias.round_ties_even(),
            };
            rounded(f64::from((sum + bias) * (worth / scale as f32)), zero, (low, high))
        });
        let made = Tensor::of_floats(context.meter, Dtype::U8, self.sums.shape(), integers)?;
        made.quantized_by(quantizer)
    }
}

/// The integers of a tensor less their zero points, as numbers whose sums are exact.
fn exact(context: &Context<'_>, tensor: &Tensor) -> Result<Tensor, RunProblem> {
    Tensor::of_floats(context.meter, Dtype::F64, tensor.shape(), tensor.centered())
}

fn unsigned(input: &Tensor) -> Result<(f64, f64), RunProblem> {
    let pair = input.scale_and_zero()?;
    match input.dtype() {
        Dtype::U8 => Ok(pair),
        _ => unsupported("products of activations of another type than quint8"),
    }
}

fn linear_sums(
    context: &Context<'_>,
    input: &Tensor,
    packed: &PackedWeights,
) -> Result<Sums, RunProblem> {
    let (scale, _) = unsigned(input)?;
    let weight = exact(context, &packed.weight)?.transposed()?;
    let sums = matmul(context, &exact(context, input)?, &weight)?;
    let axis = sums.rank().saturating_sub(1);
    Sums::new(sums, axis, scale, packed)
}

fn linear(
    context: &Context<'_>,
    args: &Arguments<'_>,
    relu: bool,
) -> Result<ScriptValue, RunProblem> {
    let sums = linear_sums(context, args.tensor(0)?, &PackedWeights::from_value(args.value(1))?)?;
    Ok(sums.rounded(context, (args.float(2)?, args.float(3)?), relu)?.into())
}

fn dynamic(
    context: &Context<'_>,
    args: &Arguments<'_>,
    relu: bool,
) -> Result<ScriptValue, RunProblem> {
    let packed = PackedWeights::from_value(args.value(1))?;
    let result = linear_dynamic(context, args.tensor(0)?, &packed, args.boolean(2)?)?;
    if !relu {
        return Ok(result.into());
    }
    let numbers = result.floats().into_iter().map(|n| n.max(0.0)).collect();
    Ok(Tensor::of_floats(context.meter, Dtype::F32, result.shape(), numbers)?.into())
}

/// A linear layer of floats, whose input is quantized by its bounds for the product alone; with weights of 16 bits it is
/// not quantized at all.
pub(super) fn linear_dynamic(
    context: &Context<'_>,
    input: &Tensor,
    packed: &PackedWeights,
    seven_bits: bool,
) -> Result<Tensor, RunProblem> {
    if input.dtype() != Dtype::F32 || input.quantizer().is_some() {
        return refused(format!("a dynamic linear layer takes float32, got {input}"));
    }
    if packed.weight.quantizer().is_none() {
        let product = matmul(context, input, &packed.weight.transposed()?)?;
        let Some(bias) = &packed.bias else { return Ok(product) };
        let bias = bias.expand(product.shape())?.floats();
        let numbers = product.floats().into_iter().zip(bias).map(|(a, b)| a + b).collect();
        return Tensor::of_floats(context.meter, Dtype::F32, product.shape(), numbers);
    }
    // QNNPACK takes 8 bits whatever the call says.
    let seven_bits = seven_bits && context.engine == QuantizedEngine::Fbgemm;
    let sums = linear_sums(context, &by_its_bounds(context, input, seven_bits)?, packed)?;
    let numbers = sums.each(|sum, channel| {
        let bias = sums.bias.as_ref().map_or(0.0, |bias| bias[channel]);
        f64::from(sum * sums.worth[channel] + bias as f32)
    });
    Tensor::of_floats(context.meter, Dtype::F32, sums.sums.shape(), numbers)
}

fn convolved(
    context: &Context<'_>,
    input: &Tensor,
    packed: &PackedWeights,
    output: (f64, f64),
    relu: bool,
) -> Result<Tensor, RunProblem> {
    let (scale, _) = unsigned(input)?;
    let rank = packed.weight.rank().saturating_sub(2);
    let transposed = packed.get("transposed").number().is_some_and(crate::ScalarValue::is_true);
    // Transposed weights have the channels of the output behind those of the input.
    let channels = packed.weight.quantizer().and_then(|quantizer| quantizer.axis);
    if channels.is_some_and(|axis| axis != usize::from(transposed)) {
        return refused("weights that are quantized per output channel are wanted");
    }
    let Some(entry) = context.overload("aten::convolution", "") else {
        return unsupported("aten::convolution");
    };
    let values = [
        exact(context, input)?.into(),
        exact(context, &packed.weight)?.into(),
        ScriptValue::None,
        packed.get("stride"),
        packed.get("padding"),
        packed.get("dilation"),
        transposed.into(),
        packed.get("output_padding"),
        packed.get("groups"),
    ];
    match entry.run(context, &values)? {
        ScriptValue::Tensor(sums) => {
            let axis = sums.rank().saturating_sub(rank + 1).min(1);
            Sums::new(sums, axis, scale, packed)?.rounded(context, output, relu)
        }
        other => refused(format!("a convolution gave {}", other.type_name())),
    }
}

fn convolution(
    context: &Context<'_>,
    args: &Arguments<'_>,
    output: usize,
    relu: bool,
) -> Result<ScriptValue, RunProblem> {
    let packed = PackedWeights::from_value(args.value(1))?;
    let output = (args.float(output)?, args.float(output + 1)?);
    Ok(convolved(context, args.tensor(0)?, &packed, output, relu)?.into())
}

fn over_one(
    context: &Context<'_>,
    args: &Arguments<'_>,
    relu: bool,
) -> Result<ScriptValue, RunProblem> {
    let input = args.tensor(0)?;
    let [batch, channels, size] = *input.shape() else {
        return refused("Input shape must be `(N, C, L)`!");
    };
    let input = input.reshape(&[batch, channels, 1, size])?;
    let output = (args.float(2)?, args.float(3)?);
    let result =
        convolved(context, &input, &PackedWeights::from_value(args.value(1))?, output, relu)?;
    Ok(result.select(2, 0)?.into())
}
