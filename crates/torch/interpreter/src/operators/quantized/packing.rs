//! Packed weights: what archives keep of them, and the operators that pack and unpack.
//!
//! A file never has weights in the layout of an engine: it has the tensors that the engine unpacks, in a state whose form
//! has a number, and packs them anew when it is loaded. Here packed weights are an object with these tensors.

use std::rc::Rc;

use crate::operators::Arguments;
use crate::operators::form::{Context, Operator, plain};
use crate::problem::refused;
use crate::{Object, Problem, Tensor, Value};

/// Before the names of classes of packed weights.
const CLASSES: &str = "__torch__.torch.classes.";

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
    plain("quantized::embedding_bag_prepack(Tensor weight) -> (__torch__.torch.classes.quantized.EmbeddingPackedParamsBase W_prepack)", |_, a| Ok(embedding(a.value(0).clone()))),
    plain("quantized::make_quantized_cell_params_dynamic(__torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor bias_ih, Tensor bias_hh, bool reduce_range=False) -> __torch__.torch.classes.rnn.CellParamsBase", |_, a| Ok(cell(a.value(0), a.value(1), a.value(4).clone()))),
    plain("quantized::make_quantized_cell_params_fp16(__torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh) -> __torch__.torch.classes.rnn.CellParamsBase", |_, a| Ok(cell(a.value(0), a.value(1), false.into()))),
];

/// How a packed convolution moves.
struct Moves {
    stride: Vec<i64>,
    padding: Vec<i64>,
    dilation: Vec<i64>,
    output_padding: Vec<i64>,
    groups: i64,
    transposed: bool,
}

fn object(class: &str, attributes: Vec<(&str, Value)>) -> Value {
    let made = Object { class: format!("{CLASSES}{class}").into(), attributes: Default::default() };
    for (name, value) in attributes {
        made.set(name, value);
    }
    Value::Object(Rc::new(made))
}

fn linear_of(weight: Value, bias: Value) -> Value {
    object("quantized.LinearPackedParamsBase", vec![("weight", weight), ("bias", bias)])
}

fn embedding(weight: Value) -> Value {
    object("quantized.EmbeddingPackedParamsBase", vec![("weight", weight)])
}

fn cell(input: &Value, hidden: &Value, seven_bits: Value) -> Value {
    let parts =
        vec![("input", input.clone()), ("hidden", hidden.clone()), ("seven_bits", seven_bits)];
    object("rnn.CellParamsBase", parts)
}

fn convolution_of(rank: usize, weight: Value, bias: Value, moves: Moves) -> Value {
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

/// A convolution over one dimension is packed as one over two, of which the first has one index.
fn convolution(args: &Arguments<'_>, rank: usize) -> Result<Value, Problem> {
    let mut weight = args.tensor(0)?.clone();
    let (mut stride, mut padding, mut dilation) = (args.ints(2)?, args.ints(3)?, args.ints(4)?);
    if rank == 1 {
        let [out, of_group, kernel] = *weight.shape() else {
            return refused(format!("weights of a convolution over one dimension: {weight}"));
        };
        if weight.quantizer().is_some_and(|q| q.axis.is_some_and(|axis| axis != 0)) {
            return refused("weights that are quantized per output channel are wanted");
        }
        weight = weight.reshape(&[out, of_group, 1, kernel])?;
        stride.insert(0, 1);
        padding.insert(0, 0);
        dilation.insert(0, 1);
    }
    let output_padding = vec![0; stride.len()];
    let groups = args.int(5)?;
    let moves = Moves { stride, padding, dilation, output_padding, groups, transposed: false };
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

/// The packed weights that a state in an archive describes; none if it is of another class.
pub(crate) fn packed(class: &str, state: &Value) -> Option<Result<Value, String>> {
    let kind = class.strip_prefix(CLASSES)?;
    let parts = state.items().unwrap_or_default();
    let unknown = || Err(format!("a state of another form than is known, of {class}"));
    Some(match (kind, parts.as_slice()) {
        ("quantized.LinearPackedParamsBase", [weight @ Value::Tensor(_), bias]) => {
            Ok(linear_of(weight.clone(), bias.clone()))
        }
        ("quantized.EmbeddingPackedParamsBase", [_, weights, ..]) => {
            match weights.items().unwrap_or_default().as_slice() {
                [weight @ Value::Tensor(_)] => Ok(embedding(weight.clone())),
                _ => unknown(),
            }
        }
        ("rnn.CellParamsBase", [name, _, _, numbers, weights]) => {
            let weights = weights.items().unwrap_or_default();
            match (name.text(), weights.as_slice()) {
                (Some("quantized_dynamic" | "quantized_fp16"), [input, hidden]) => {
                    let first = numbers.items().unwrap_or_default().first().and_then(Value::number);
                    let seven_bits = first.is_some_and(crate::Number::is_true);
                    Ok(cell(input, hidden, seven_bits.into()))
                }
                _ => unknown(),
            }
        }
        (
            "quantized.Conv2dPackedParamsBase" | "quantized.Conv3dPackedParamsBase",
            [version, tensors, optional],
        ) => {
            let rank = if kind.contains("Conv3d") { 3 } else { 2 };
            match version.text() {
                Some("2") => second_form(rank, tensors, optional).unwrap_or_else(unknown),
                _ => Err(format!("packed weights of serialization version {version}: {class}")),
            }
        }
        _ => unknown(),
    })
}

/// The form that says version 2: numbers and weights in a list of tensors, the bias in one of optional tensors.
fn second_form(rank: usize, tensors: &Value, optional: &Value) -> Option<Result<Value, String>> {
    let tensors = tensors.items()?;
    let [Value::Tensor(numbers), weight @ Value::Tensor(_)] = tensors.as_slice() else {
        return None;
    };
    let bias = optional.items()?.first().cloned().unwrap_or_default();
    let numbers = numbers.ints();
    // The rank, four numbers for each dimension, the groups, and whether it is transposed.
    if numbers.len() != 3 + 4 * rank || numbers.first() != Some(&(rank as i64)) {
        return None;
    }
    let run = |nth: usize| numbers[1 + nth * rank..1 + (nth + 1) * rank].to_vec();
    let moves = Moves {
        stride: run(0),
        padding: run(1),
        dilation: run(2),
        output_padding: run(3),
        groups: numbers[1 + 4 * rank],
        transposed: numbers[2 + 4 * rank] != 0,
    };
    Some(Ok(convolution_of(rank, weight.clone(), bias, moves)))
}
