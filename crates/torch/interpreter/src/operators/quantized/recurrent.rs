//! LSTMs with packed weights. The input of a layer is quantized as a whole, the state in each step.

use super::packing::Packed;
use super::products::linear_dynamic;
use crate::operators::Arguments;
use crate::operators::form::{Context, Operator, plain};
use crate::operators::recurrent::{Network, joined, last_states, lstm_of_gates};
use crate::problem::{refused, unsupported};
use crate::{Problem, Tensor, Value};

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("aten::quantized_lstm.input(Tensor input, Tensor[] hx, __torch__.torch.classes.rnn.CellParamsBase[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first, *, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", lstm),
    // Before 1.6 packed weights stood in the list itself, in pairs.
    plain("aten::quantized_lstm(Tensor input, Tensor[] hx, t[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first, *, int? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", lstm),
];

/// The packed weights for the input and for the state, and whether inputs take 7 bits.
struct Cell {
    input: Packed,
    hidden: Packed,
    seven_bits: bool,
}

fn cells(params: &[Value]) -> Result<Vec<Cell>, Problem> {
    let whole = |param: &Value| match param {
        Value::Object(object) if object.class.ends_with("rnn.CellParamsBase") => {
            let part = |name: &str| object.get(name).unwrap_or_default();
            let seven_bits = part("seven_bits").number().is_some_and(crate::Number::is_true);
            let (input, hidden) = (Packed::of(&part("input"))?, Packed::of(&part("hidden"))?);
            Ok(Some(Cell { input, hidden, seven_bits }))
        }
        _ => Ok(None),
    };
    let wholes = params.iter().map(whole).collect::<Result<Vec<_>, Problem>>()?;
    if wholes.iter().all(Option::is_some) {
        return Ok(wholes.into_iter().flatten().collect());
    }
    let pair = |pair: &[Value]| {
        let (input, hidden) = (Packed::of(&pair[0])?, Packed::of(&pair[1])?);
        Ok(Cell { input, hidden, seven_bits: false })
    };
    params.chunks_exact(2).map(pair).collect()
}

fn lstm(context: &Context<'_>, args: &Arguments<'_>) -> Result<Value, Problem> {
    if args.float(5)? > 0.0 && args.boolean(6)? {
        return unsupported("dropout while training");
    }
    let (input, batch_first) = (args.tensor(0)?, args.boolean(8)?);
    if input.rank() != 3 {
        return refused(format!("a quantized LSTM takes 3 dimensions: {input}"));
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
    let states = args.tensors(1)?;
    if states.len() != 2 {
        return refused("lstm expects two hidden states");
    }
    let whole = |nth: usize, sequence: &[Tensor]| {
        let (cell, all) = (&cells[nth], joined(context, sequence, 0, true)?);
        let product = linear_dynamic(context, &all, &cell.input, cell.seven_bits)?;
        (0..sequence.len()).map(|at| product.select(0, at)).collect()
    };
    let (output, last) = network.run(context, &states, whole, |nth, first, state| {
        let cell = &cells[nth];
        let second = linear_dynamic(context, &state[0], &cell.hidden, cell.seven_bits)?;
        let width = cell.hidden.weight.shape().first().copied().unwrap_or(0);
        if width == 0 || first.shape() != second.shape() {
            return refused(format!("a recurrent layer of {first} and {second}"));
        }
        let gates = (first.floats(), second.floats(), width);
        let (hidden, cell) = lstm_of_gates(context, &gates, first, &state[1])?;
        Ok(vec![hidden, cell])
    })?;
    let (hidden, cell) = (last_states(context, &last, 0)?, last_states(context, &last, 1)?);
    Ok(Value::tuple(vec![output.into(), hidden.into(), cell.into()]))
}
