//! Packed weights, and the operators that pack and unpack.
//!
//! A file never has weights in the layout of an engine: it has the tensors that the engine unpacks
//! ([`state`](super::packed_state)), and packs them anew when it is loaded. Here packed weights are an object with these tensors.

use std::rc::Rc;

use crate::operators::Arguments;
use crate::operators::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::{RunProblem, ScriptObject, ScriptValue, Tensor};
use unskew_torch::prepacked_weights::ConvolutionParameters;

/// Before the names of classes of packed weights.
pub(super) const CLASSES: &str = "__torch__.torch.classes.";

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("quantized::linear_prepack(Tensor W, Tensor? B=None) -> __torch__.torch.classes.quantized.LinearPackedParamsBase", linear),
    plain("quantized::linear_prepack_fp16(Tensor W, Tensor? B=None) -> __torch__.torch.classes.quantized.LinearPackedParamsBase", linear_of_halves),
    plain("quantized::linear_unpack(__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> (Tensor W_origin, Tensor? B_origin)", unpack),
    plain("quantized::linear_unpack_fp16(__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> (Tensor W_origin, Tensor? B_origin)", unpack),
    plain("quantized::conv1d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", |_, a| convolution(a, 1)),
    plain("quantized::conv2d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", |_, a| convolution(a, 2)),
    plain("quantized::conv_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", |_, a| convolution(a, 2)),
    plain("quantized::conv3d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv3dPackedParamsBase", |_, a| convolution(a, 3)),
    plain("quantized::conv_transpose1d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", |_, a| transposed(a, 1)),
    plain("quantized::conv_transpose2d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", |_, a| transposed(a, 2)),
    plain("quantized::conv_transpose3d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv3dPackedParamsBase", |_, a| transposed(a, 3)),
    plain("quantized::embedding_bag_prepack(Tensor weight) -> (__torch__.torch.classes.quantized.EmbeddingPackedParamsBase W_prepack)", |_, a| Ok(embedding(a.value(0).clone()))),
    plain("quantized::make_quantized_cell_params_dynamic(__torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor bias_ih, Tensor bias_hh, bool reduce_range=False) -> __torch__.torch.classes.rnn.CellParamsBase", |_, a| Ok(cell(a.value(0), a.value(1), a.value(4).clone()))),
    plain("quantized::make_quantized_cell_params_fp16(__torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh) -> __torch__.torch.classes.rnn.CellParamsBase", |_, a| Ok(cell(a.value(0), a.value(1), false.into()))),
];

fn object(class: &str, attributes: Vec<(&str, ScriptValue)>) -> ScriptValue {
    let made =
        ScriptObject { class: format!("{CLASSES}{class}").into(), attributes: Default::default() };
    for (name, value) in attributes {
        made.set(name, value);
    }
    ScriptValue::Object(Rc::new(made))
}

pub(super) fn linear_of(weight: ScriptValue, bias: ScriptValue) -> ScriptValue {
    object("quantized.LinearPackedParamsBase", vec![("weight", weight), ("bias", bias)])
}

pub(super) fn embedding(weight: ScriptValue) -> ScriptValue {
    object("quantized.EmbeddingPackedParamsBase", vec![("weight", weight)])
}

pub(super) fn cell(
    input: &ScriptValue,
    hidden: &ScriptValue,
    seven_bits: ScriptValue,
) -> ScriptValue {
    let parts =
        vec![("input", input.clone()), ("hidden", hidden.clone()), ("seven_bits", seven_bits)];
    object("rnn.CellParamsBase", parts)
}

pub(super) fn convolution_of(
    rank: usize,
    weight: ScriptValue,
    bias: ScriptValue,
    moves: ConvolutionParameters,
) -> ScriptValue {
    let class = if rank == 3 {
        "quantized.Conv3dPackedParamsBase"
    } else {
        "quantized.Conv2dPackedParamsBase"
    };
    let attributes = vec![
        ("weight", weight),
        ("bias", bias),
        ("stride", ScriptValue::ints(moves.stride)),
        ("padding", ScriptValue::ints(moves.padding)),
        ("dilation", ScriptValue::ints(moves.dilation)),
        ("output_padding", ScriptValue::ints(moves.output_padding)),
        ("groups", ScriptValue::from(moves.groups)),
        ("transposed", ScriptValue::from(moves.transposed)),
    ];
    object(class, attributes)
}

fn linear(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    if args.tensor(0)?.quantizer().is_none() {
        return refused("quantized::linear_prepack takes quantized weights");
    }
    Ok(linear_of(args.value(0).clone(), args.value(1).clone()))
}

/// Weights of 16 bits: what is too large for them becomes the largest number.
fn linear_of_halves(
    context: &Context<'_>,
    args: &Arguments<'_>,
) -> Result<ScriptValue, RunProblem> {
    const LARGEST: f64 = 65504.0;
    let weight = args.tensor(0)?;
    let numbers = weight.floats().into_iter().map(|n| n.clamp(-LARGEST, LARGEST)).collect();
    let halves = Tensor::of_floats(context.meter, crate::Dtype::F16, weight.shape(), numbers)?;
    Ok(linear_of(halves.to_dtype(crate::Dtype::F32)?.into(), args.value(1).clone()))
}

fn unpack(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let packed = PackedWeights::from_value(args.value(0))?;
    Ok(ScriptValue::tuple(vec![
        packed.weight.into(),
        packed.bias.map_or(ScriptValue::None, ScriptValue::Tensor),
    ]))
}

fn convolution(args: &Arguments<'_>, rank: usize) -> Result<ScriptValue, RunProblem> {
    let moves = ConvolutionParameters {
        stride: args.ints(2)?,
        padding: args.ints(3)?,
        dilation: args.ints(4)?,
        output_padding: vec![0; rank],
        groups: args.int(5)?,
        transposed: false,
    };
    packed_convolution(args, rank, moves)
}

fn transposed(args: &Arguments<'_>, rank: usize) -> Result<ScriptValue, RunProblem> {
    let moves = ConvolutionParameters {
        stride: args.ints(2)?,
        padding: args.ints(3)?,
        dilation: args.ints(5)?,
        output_padding: args.ints(4)?,
        groups: args.int(6)?,
        transposed: true,
    };
    packed_convolution(args, rank, moves)
}

/// A convolution over one dimension is packed as one over two, of which the first has one index.
fn packed_convolution(
    args: &Arguments<'_>,
    rank: usize,
    mut moves: ConvolutionParameters,
) -> Result<ScriptValue, RunProblem> {
    let mut weight = args.tensor(0)?.clone();
    if rank == 1 {
        let [first, second, kernel] = *weight.shape() else {
            return refused(format!("weights of a convolution over one dimension: {weight}"));
        };
        weight = weight.reshape(&[first, second, 1, kernel])?;
        // 1.7 gives two numbers, of which the last counts.
        let spread = |run: &mut Vec<i64>, first: i64| {
            *run = [first].into_iter().chain(run.last().copied()).collect();
        };
        spread(&mut moves.stride, 1);
        spread(&mut moves.padding, 0);
        spread(&mut moves.dilation, 1);
        spread(&mut moves.output_padding, 0);
    }
    Ok(convolution_of(rank, weight.into(), args.value(1).clone(), moves))
}

pub(super) struct PackedWeights {
    pub(super) weight: Tensor,
    pub(super) bias: Option<Tensor>,
    object: Rc<ScriptObject>,
}

impl PackedWeights {
    pub(super) fn from_value(value: &ScriptValue) -> Result<Self, RunProblem> {
        let ScriptValue::Object(object) = value else {
            return refused(format!("packed weights that are {}", value.type_name()));
        };
        let Some(ScriptValue::Tensor(weight)) = object.get("weight") else {
            return refused(format!("packed weights without weights: {}", object.class));
        };
        let bias = object.get("bias").and_then(|bias| bias.tensor().cloned());
        Ok(Self { weight, bias, object: object.clone() })
    }

    pub(super) fn get(&self, name: &str) -> ScriptValue {
        self.object.get(name).unwrap_or_default()
    }
}
