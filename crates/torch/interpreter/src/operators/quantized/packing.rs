//! Packed weights, and the operators that pack and unpack.
//!
//! A file never has weights in the layout of an engine: it has the tensors that the engine unpacks
//! ([`state`](super::state)), and packs them anew when it is loaded. Here packed weights are an object with these tensors.

use std::rc::Rc;

use crate::operators::Arguments;
use crate::operators::form::{Context, Operator, plain};
use crate::problem::refused;
use crate::{Object, Problem, Tensor, Value};
use unskew_torch::packed::Moves;

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

fn object(class: &str, attributes: Vec<(&str, Value)>) -> Value {
    let made = Object { class: format!("{CLASSES}{class}").into(), attributes: Default::default() };
    for (name, value) in attributes {
        made.set(name, value);
    }
    Value::Object(Rc::new(made))
}

pub(super) fn linear_of(weight: Value, bias: Value) -> Value {
    object("quantized.LinearPackedParamsBase", vec![("weight", weight), ("bias", bias)])
}

pub(super) fn embedding(weight: Value) -> Value {
    object("quantized.EmbeddingPackedParamsBase", vec![("weight", weight)])
}

pub(super) fn cell(input: &Value, hidden: &Value, seven_bits: Value) -> Value {
    let parts =
        vec![("input", input.clone()), ("hidden", hidden.clone()), ("seven_bits", seven_bits)];
    object("rnn.CellParamsBase", parts)
}

pub(super) fn convolution_of(rank: usize, weight: Value, bias: Value, moves: Moves) -> Value {
    let class = if rank == 3 {
        "quantized.Conv3dPackedParamsBase"
    } else {
        "quantized.Conv2dPackedParamsBase"
    };
    let attributes = vec![
        ("weight", weight),
        ("bias", bias),
        ("stride", Value::ints(moves.stride)),
        ("padding", Value::ints(moves.padding)),
        ("dilation", Value::ints(moves.dilation)),
        ("output_padding", Value::ints(moves.output_padding)),
        ("groups", Value::from(moves.groups)),
        ("transposed", Value::from(moves.transposed)),
    ];
    object(class, attributes)
}

fn linear(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    if args.tensor(0)?.quantizer().is_none() {
        return refused("quantized::linear_prepack takes quantized weights");
    }
    Ok(linear_of(args.value(0).clone(), args.value(1).clone()))
}

/// Weights of 16 bits: what is too large for them becomes the largest number.
fn linear_of_halves(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    const LARGEST: f64 = 65504.0;
    let weight = args.tensor(0)?;
    let numbers = weight.floats().into_iter().map(|n| n.clamp(-LARGEST, LARGEST)).collect();
    let halves = Tensor::of_floats(context.meter, crate::Dtype::F16, weight.shape(), numbers)?;
    Ok(linear_of(halves.to_dtype(crate::Dtype::F32)?.into(), args.value(1).clone()))
}

fn unpack(_: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    let packed = Packed::of(args.value(0))?;
    Ok(Value::tuple(vec![packed.weight.into(), packed.bias.map_or(Value::None, Value::Tensor)]))
}

fn convolution(args: &Arguments<'_>, rank: usize) -> Result<Value, Problem> {
    let moves = Moves {
        stride: args.ints(2)?,
        padding: args.ints(3)?,
        dilation: args.ints(4)?,
        output_padding: vec![0; rank],
        groups: args.int(5)?,
        transposed: false,
    };
    packed_convolution(args, rank, moves)
}

fn transposed(args: &Arguments<'_>, rank: usize) -> Result<Value, Problem> {
    let moves = Moves {
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
    mut moves: Moves,
) -> Result<Value, Problem> {
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

/// What packed weights hold.
pub(super) struct Packed {
    pub(super) weight: Tensor,
    pub(super) bias: Option<Tensor>,
    object: Rc<Object>,
}

impl Packed {
    pub(super) fn of(value: &Value) -> Result<Self, Problem> {
        let Value::Object(object) = value else {
            return refused(format!("packed weights that are {}", value.type_name()));
        };
        let Some(Value::Tensor(weight)) = object.get("weight") else {
            return refused(format!("packed weights without weights: {}", object.class));
        };
        let bias = object.get("bias").and_then(|bias| bias.tensor().cloned());
        Ok(Self { weight, bias, object: object.clone() })
    }

    pub(super) fn get(&self, name: &str) -> Value {
        self.object.get(name).unwrap_or_default()
    }
}
