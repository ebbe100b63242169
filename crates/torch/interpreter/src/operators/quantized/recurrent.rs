//! LSTMs, GRUs and single cells with packed weights. The input of a layer is quantized as a whole, the state in each step.

use super::packing::PackedWeights;
use super::products::linear_dynamic;
use crate::operators::Arguments;
use crate::operators::declaration::{Context, Operator, plain};
use crate::operators::recurrent::{
    Network, gru_of_gates, joined, last_states, lstm_of_gates, rnn_of_gates,
};
use crate::problem::{refused, unsupported};
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("aten::quantized_lstm.input(Tensor input, Tensor[] hx, __torch__.torch.classes.rnn.CellParamsBase[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first, *, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", lstm),
    // Before 1.6 packed weights stood in the list itself, in pairs.
    plain("aten::quantized_lstm(Tensor input, Tensor[] hx, t[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first, *, int? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", lstm),
    plain("aten::quantized_gru.input(Tensor input, Tensor hx, __torch__.torch.classes.rnn.CellParamsBase[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", gru),
    plain("aten::quantized_gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", gru),
    plain("quantized::quantized_lstm_cell_dynamic(Tensor input, Tensor[] hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor bias_ih, Tensor bias_hh) -> (Tensor, Tensor)", lstm_cell),
    plain("quantized::quantized_gru_cell_dynamic(Tensor input, Tensor hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor b_ih, Tensor b_hh) -> Tensor", |c, a| {
        let (hidden, gates) = cell_gates(c, a)?;
        Ok(gru_of_gates(c, &gates, a.tensor(0)?, hidden)?.into())
    }),
    plain("quantized::quantized_rnn_tanh_cell_dynamic(Tensor input, Tensor hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor b_ih, Tensor b_hh) -> Tensor", |c, a| Ok(rnn_of_gates(c, &cell_gates(c, a)?.1, a.tensor(0)?, f64::tanh)?.into())),
    plain("quantized::quantized_rnn_relu_cell_dynamic(Tensor input, Tensor hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor b_ih, Tensor b_hh) -> Tensor", |c, a| Ok(rnn_of_gates(c, &cell_gates(c, a)?.1, a.tensor(0)?, |n| n.max(0.0))?.into())),
];

/// What the gates of a cell get from the input and from the state, and how many numbers they are.
type Gates = (Vec<f64>, Vec<f64>, usize);

/// The packed weights for the input and for the state, and whether inputs take 7 bits.
struct Cell {
    input: PackedWeights,
    hidden: PackedWeights,
    seven_bits: bool,
}

fn cells(params: &[ScriptValue]) -> Result<Vec<Cell>, RunProblem> {
    let whole = |param: &ScriptValue| match param {
        ScriptValue::Object(object) if object.class.ends_with("rnn.CellParamsBase") => {
            let part = |name: &str| object.get(name).unwrap_or_default();
            let seven_bits = part("seven_bits").number().is_some_and(crate::ScalarValue::is_true);
            let (input, hidden) = (
                PackedWeights::from_value(&part("input"))?,
                PackedWeights::from_value(&part("hidden"))?,
            );
            Ok(Some(Cell { input, hidden, seven_bits }))
        }
        _ => Ok(None),
    };
    let wholes = params.iter().map(whole).collect::<Result<Vec<_>, RunProblem>>()?;
    if wholes.iter().all(Option::is_some) {
        return Ok(wholes.into_iter().flatten().collect());
    }
    let pair = |pair: &[ScriptValue]| {
        let (input, hidden) =
            (PackedWeights::from_value(&pair[0])?, PackedWeights::from_value(&pair[1])?);
        Ok(Cell { input, hidden, seven_bits: false })
    };
    params.chunks_exact(2).map(pair).collect()
}

/// The layers of a call, and the weights of their cells.
fn network(args: &Arguments<'_>) -> Result<(Network, Vec<Cell>), RunProblem> {
    if args.float(5)? > 0.0 && args.boolean(6)? {
        return unsupported("dropout while training");
    }
    let (input, batch_first) = (args.tensor(0)?, args.boolean(8)?);
    if input.rank() != 3 {
        return refused(format!("a quantized recurrent layer takes 3 dimensions: {input}"));
    }
    let cells = cells(&args.items(2)?)?;
    let network = Network {
        input: if batch_first { input.permute(&[1, 0, 2])? } else { input.clone() },
        params: Vec::new(),
        biases: args.boolean(3)?,
        layers: usize::try_from(args.int(4)?).unwrap_or(0),
        directions: 1 + usize::from(args.boolean(7)?),
        batch_first,
    };
    if network.layers == 0 || Some(cells.len()) != network.layers.checked_mul(network.directions) {
        return refused(format!("weights of {} cells for {} layers", cells.len(), network.layers));
    }
    Ok((network, cells))
}

/// Runs the layers: a step takes the input, what the gates get, and the state.
fn run(
    context: &Context<'_>,
    (network, cells): &(Network, Vec<Cell>),
    states: &[Tensor],
    step: impl Fn(&Tensor, &Gates, &[Tensor]) -> Result<Vec<Tensor>, RunProblem>,
) -> Result<(Tensor, Vec<Vec<Tensor>>), RunProblem> {
    let whole = |nth: usize, sequence: &[Tensor]| {
        let (cell, all) = (&cells[nth], joined(context, sequence, 0, true)?);
        let product = linear_dynamic(context, &all, &cell.input, cell.seven_bits)?;
        (0..sequence.len()).map(|at| product.select(0, at)).collect()
    };
    network.run(context, states, whole, |nth, first, state| {
        step(first, &gates(context, &cells[nth], first, &state[0])?, state)
    })
}

/// What the gates get, with the part of the input calculated before.
fn gates(
    context: &Context<'_>,
    cell: &Cell,
    first: &Tensor,
    hidden: &Tensor,
) -> Result<Gates, RunProblem> {
    let second = linear_dynamic(context, hidden, &cell.hidden, cell.seven_bits)?;
    let width = cell.hidden.weight.shape().first().copied().unwrap_or(0);
    if width == 0 || first.shape() != second.shape() {
        return refused(format!("a recurrent layer of {first} and {second}"));
    }
    Ok((first.floats(), second.floats(), width))
}

fn lstm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let states = args.tensors(1)?;
    if states.len() != 2 {
        return refused("lstm expects two hidden states");
    }
    let (output, last) = run(context, &network(args)?, &states, |first, gates, state| {
        let (hidden, cell) = lstm_of_gates(context, gates, first, &state[1])?;
        Ok(vec![hidden, cell])
    })?;
    let (hidden, cell) = (last_states(context, &last, 0)?, last_states(context, &last, 1)?);
    Ok(ScriptValue::tuple(vec![output.into(), hidden.into(), cell.into()]))
}

fn gru(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let states = [args.tensor(1)?.clone()];
    let (output, last) = run(context, &network(args)?, &states, |first, gates, state| {
        Ok(vec![gru_of_gates(context, gates, first, &state[0])?])
    })?;
    Ok(ScriptValue::tuple(vec![output.into(), last_states(context, &last, 0)?.into()]))
}

/// The cell of a call that has its weights, of which inputs take 7 bits, and what its gates get.
fn of_cell(
    context: &Context<'_>,
    args: &Arguments<'_>,
    hidden: &Tensor,
) -> Result<Gates, RunProblem> {
    let (input, weights) =
        (PackedWeights::from_value(args.value(2))?, PackedWeights::from_value(args.value(3))?);
    let first = linear_dynamic(context, args.tensor(0)?, &input, true)?;
    gates(context, &Cell { input, hidden: weights, seven_bits: true }, &first, hidden)
}

fn cell_gates<'a>(
    context: &Context<'_>,
    args: &Arguments<'a>,
) -> Result<(&'a Tensor, Gates), RunProblem> {
    let hidden = args.tensor(1)?;
    Ok((hidden, of_cell(context, args, hidden)?))
}

fn lstm_cell(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let states = args.tensors(1)?;
    let [hidden, old] = states.as_slice() else {
        return refused("lstm_cell expects two hidden states");
    };
    let gates = of_cell(context, args, hidden)?;
    let (hidden, cell) = lstm_of_gates(context, &gates, args.tensor(0)?, old)?;
    Ok(ScriptValue::tuple(vec![hidden.into(), cell.into()]))
}
