//! Recurrent layers.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use super::matrix::matmul;
use super::unary::sigmoid;
use crate::problem::{refused, unsupported};
use crate::{RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)", lstm),
    plain("aten::mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)", one_layer),
    plain("aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)", lstm_cell),
    plain("aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", gru),
    plain("aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", |c, a| rnn(c, a, f64::tanh)),
    plain("aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", |c, a| rnn(c, a, |n| n.max(0.0))),
    plain("aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", |c, a| Ok(cell(a)?.rnn_step(c, a.tensor(0)?, a.tensor(1)?, f64::tanh)?.into())),
    plain("aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", |c, a| Ok(cell(a)?.rnn_step(c, a.tensor(0)?, a.tensor(1)?, |n| n.max(0.0))?.into())),
    plain("aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", gru_cell),
];

/// The weights of one layer in one direction.
struct Weights<'w> {
    input: &'w Tensor,
    hidden: &'w Tensor,
    biases: Option<(&'w Tensor, &'w Tensor)>,
}

impl Weights<'_> {
    /// What the gates get: from the input, and from the state.
    fn gates(
        &self,
        context: &Context<'_>,
        input: &Tensor,
        hidden: &Tensor,
    ) -> Result<(Vec<f64>, Vec<f64>, usize), RunProblem> {
        let of = |tensor: &Tensor, weight: &Tensor, bias: Option<&Tensor>| {
            let product = matmul(context, tensor, &weight.transposed()?)?;
            let bias = match bias {
                Some(bias) => bias.expand(product.shape())?.floats(),
                None => vec![0.0; product.count()],
            };
            Ok::<_, RunProblem>(
                product.floats().into_iter().zip(bias).map(|(a, b)| a + b).collect::<Vec<f64>>(),
            )
        };
        let width = self.hidden.shape().first().copied().unwrap_or(0);
        let first = of(input, self.input, self.biases.map(|biases| biases.0))?;
        let second = of(hidden, self.hidden, self.biases.map(|biases| biases.1))?;
        if width == 0 || first.len() != second.len() {
            return refused(format!("a recurrent layer of {input} and {hidden}"));
        }
        Ok((first, second, width))
    }

    fn lstm_step(
        &self,
        context: &Context<'_>,
        input: &Tensor,
        hidden: &Tensor,
        cell: &Tensor,
    ) -> Result<(Tensor, Tensor), RunProblem> {
        lstm_of_gates(context, &self.gates(context, input, hidden)?, input, cell)
    }

    fn rnn_step(
        &self,
        context: &Context<'_>,
        input: &Tensor,
        hidden: &Tensor,
        of: fn(f64) -> f64,
    ) -> Result<Tensor, RunProblem> {
        rnn_of_gates(context, &self.gates(context, input, hidden)?, input, of)
    }

    fn gru_step(
        &self,
        context: &Context<'_>,
        input: &Tensor,
        hidden: &Tensor,
    ) -> Result<Tensor, RunProblem> {
        gru_of_gates(context, &self.gates(context, input, hidden)?, input, hidden)
    }
}

/// What the gates of a GRU make of the old state.
pub(super) fn gru_of_gates(
    context: &Context<'_>,
    (a, b, width): &(Vec<f64>, Vec<f64>, usize),
    input: &Tensor,
    hidden: &Tensor,
) -> Result<Tensor, RunProblem> {
    let (size, width) = (width / 3, *width);
    let old = hidden.floats();
    let mut hiddens = Vec::new();
    for (row, (a, b)) in a.chunks(width).zip(b.chunks(width)).enumerate() {
        for at in 0..size {
            let reset = sigmoid(a[at] + b[at]);
            let update = sigmoid(a[size + at] + b[size + at]);
            let new = (a[2 * size + at] + reset * b[2 * size + at]).tanh();
            let Some(old) = old.get(row * size + at) else {
                return refused(format!("a state {hidden} for {input}"));
            };
            hiddens.push((1.0 - update) * new + update * old);
        }
    }
    let shape = [hiddens.len().checked_div(size).unwrap_or(0), size];
    Tensor::of_floats(context.meter, input.dtype(), &shape, hiddens)
}

/// What the gates of a simple layer make, each by itself.
pub(super) fn rnn_of_gates(
    context: &Context<'_>,
    (a, b, width): &(Vec<f64>, Vec<f64>, usize),
    input: &Tensor,
    of: fn(f64) -> f64,
) -> Result<Tensor, RunProblem> {
    let hiddens: Vec<f64> = a.iter().zip(b).map(|(a, b)| of(a + b)).collect();
    let shape = [hiddens.len() / width.max(&1), *width];
    Tensor::of_floats(context.meter, input.dtype(), &shape, hiddens)
}

/// What the gates of an LSTM make of the old cell: the state and the new cell.
pub(super) fn lstm_of_gates(
    context: &Context<'_>,
    (a, b, width): &(Vec<f64>, Vec<f64>, usize),
    input: &Tensor,
    cell: &Tensor,
) -> Result<(Tensor, Tensor), RunProblem> {
    let (size, width) = (width / 4, *width);
    let old = cell.floats();
    let (mut hiddens, mut cells) = (Vec::new(), Vec::new());
    for (row, (a, b)) in a.chunks(width).zip(b.chunks(width)).enumerate() {
        for at in 0..size {
            let gate = |nth: usize| a[nth * size + at] + b[nth * size + at];
            let Some(old) = old.get(row * size + at) else {
                return refused(format!("a cell state {cell} for {input}"));
            };
            let new = sigmoid(gate(1)) * old + sigmoid(gate(0)) * gate(2).tanh();
            cells.push(new);
            hiddens.push(sigmoid(gate(3)) * new.tanh());
        }
    }
    let shape = [hiddens.len().checked_div(size).unwrap_or(0), size];
    Ok((
        Tensor::of_floats(context.meter, input.dtype(), &shape, hiddens)?,
        Tensor::of_floats(context.meter, input.dtype(), &shape, cells)?,
    ))
}

/// All layers of a network, as its call describes them.
pub(super) struct Network {
    pub(super) input: Tensor,
    pub(super) params: Vec<Tensor>,
    pub(super) biases: bool,
    pub(super) layers: usize,
    pub(super) directions: usize,
    pub(super) batch_first: bool,
}

fn network(args: &Arguments<'_>) -> Result<Network, RunProblem> {
    if args.float(5)? > 0.0 && args.boolean(6)? {
        return unsupported("dropout while training");
    }
    let (input, batch_first) = (args.tensor(0)?, args.boolean(8)?);
    if input.rank() != 3 {
        return unsupported(format!(
            "a recurrent layer with an input of other than 3 dimensions: {input}"
        ));
    }
    let input = if batch_first { input.permute(&[1, 0, 2])? } else { input.clone() };
    let layers = usize::try_from(args.int(4)?).unwrap_or(0);
    let (biases, directions) = (args.boolean(3)?, 1 + usize::from(args.boolean(7)?));
    let params = args.tensors(2)?;
    let each = if biases { 4 } else { 2 };
    if layers == 0 || Some(params.len()) != layers.checked_mul(directions * each) {
        return unsupported(format!("{} weights for {layers} layers", params.len()));
    }
    Ok(Network { input, params, biases, layers, directions, batch_first })
}

impl Network {
    fn weights(&self, nth: usize) -> Weights<'_> {
        let each = if self.biases { 4 } else { 2 };
        let own = &self.params[nth * each..(nth + 1) * each];
        let biases = if self.biases { Some((&own[2], &own[3])) } else { None };
        Weights { input: &own[0], hidden: &own[1], biases }
    }

    /// Runs every layer in every direction: its whole input is prepared at once, then a step takes the number of the
    /// weights, what was prepared of the input, and the state, and gives the state, whose first tensor is the output.
    pub(super) fn run(
        &self,
        context: &Context<'_>,
        states: &[Tensor],
        prepare: impl Fn(usize, &[Tensor]) -> Result<Vec<Tensor>, RunProblem>,
        step: impl Fn(usize, &Tensor, &[Tensor]) -> Result<Vec<Tensor>, RunProblem>,
    ) -> Result<(Tensor, Vec<Vec<Tensor>>), RunProblem> {
        let steps = self.input.shape()[0];
        let mut sequence: Vec<Tensor> =
            (0..steps).map(|at| self.input.select(0, at)).collect::<Result<_, _>>()?;
        let mut last = Vec::new();
        for layer in 0..self.layers {
            let mut outputs: Vec<Vec<Tensor>> = vec![Vec::new(); steps];
            for direction in 0..self.directions {
                let nth = layer * self.directions + direction;
                let mut state: Vec<Tensor> =
                    states.iter().map(|state| state.select(0, nth)).collect::<Result<_, _>>()?;
                let inputs = prepare(nth, &sequence)?;
                let mut order: Vec<usize> = (0..steps.min(inputs.len())).collect();
                if direction == 1 {
                    order.reverse();
                }
                for at in order {
                    context.meter.step(1)?;
                    state = step(nth, &inputs[at], &state)?;
                    outputs[at].extend(state.first().cloned());
                }
                last.push(state);
            }
            sequence = outputs
                .iter()
                .map(|parts| joined(context, parts, -1, false))
                .collect::<Result<_, _>>()?;
        }
        let output = joined(context, &sequence, 0, true)?;
        let output = if self.batch_first { output.permute(&[1, 0, 2])? } else { output };
        Ok((output, last))
    }
}

/// Each step takes its part of the input.
fn as_it_is(_: usize, sequence: &[Tensor]) -> Result<Vec<Tensor>, RunProblem> {
    Ok(sequence.to_vec())
}

pub(super) fn joined(
    context: &Context<'_>,
    parts: &[Tensor],
    axis: i64,
    stack: bool,
) -> Result<Tensor, RunProblem> {
    let name = if stack { "aten::stack" } else { "aten::cat" };
    let values = [super::shape::tensors(parts.to_vec()), ScriptValue::from(axis)];
    let entry = context.overload(name, "");
    match entry.map(|entry| entry.run(context, &values)).transpose()? {
        Some(ScriptValue::Tensor(tensor)) => Ok(tensor),
        _ => unsupported("joining tensors"),
    }
}

pub(super) fn last_states(
    context: &Context<'_>,
    last: &[Vec<Tensor>],
    nth: usize,
) -> Result<Tensor, RunProblem> {
    let states: Vec<Tensor> = last.iter().filter_map(|state| state.get(nth).cloned()).collect();
    joined(context, &states, 0, true)
}

fn lstm(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let network = network(args)?;
    let states = args.tensors(1)?;
    if states.len() != 2 {
        return refused("lstm expects two hidden states");
    }
    let (output, last) = network.run(context, &states, as_it_is, |nth, input, state| {
        let (hidden, cell) =
            network.weights(nth).lstm_step(context, input, &state[0], &state[1])?;
        Ok(vec![hidden, cell])
    })?;
    let (hidden, cell) = (last_states(context, &last, 0)?, last_states(context, &last, 1)?);
    Ok(ScriptValue::tuple(vec![output.into(), hidden.into(), cell.into()]))
}

/// One layer in one direction, as exported graphs of 2.1 and 2.2 have it: mode 2 is an LSTM.
fn one_layer(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let sizes = args.items(8)?;
    if args.int(9)? != 2 || args.int(11)? != 1 || args.boolean(13)? || !sizes.is_empty() {
        return unsupported("mkldnn_rnn_layer other than one layer of an LSTM");
    }
    let network = Network {
        input: args.tensor(0)?.clone(),
        params: (1..5).map(|at| args.tensor(at).cloned()).collect::<Result<_, _>>()?,
        biases: args.boolean(12)?,
        layers: 1,
        directions: 1,
        batch_first: args.boolean(14)?,
    };
    if args.boolean(7)? || network.batch_first || !network.biases {
        return unsupported("mkldnn_rnn_layer that goes backwards, or has the batch first");
    }
    let states = [args.tensor(5)?.clone(), args.tensor(6)?.clone()];
    let (output, last) = network.run(context, &states, as_it_is, |nth, input, state| {
        let (hidden, cell) =
            network.weights(nth).lstm_step(context, input, &state[0], &state[1])?;
        Ok(vec![hidden, cell])
    })?;
    let empty = Tensor::of_floats(context.meter, output.dtype(), &[0], Vec::new())?;
    let (hidden, cell) = (last_states(context, &last, 0)?, last_states(context, &last, 1)?);
    Ok(ScriptValue::tuple(vec![output.into(), hidden.into(), cell.into(), empty.into()]))
}

fn gru(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let network = network(args)?;
    let states = [args.tensor(1)?.clone()];
    let (output, last) = network.run(context, &states, as_it_is, |nth, input, state| {
        Ok(vec![network.weights(nth).gru_step(context, input, &state[0])?])
    })?;
    Ok(ScriptValue::tuple(vec![output.into(), last_states(context, &last, 0)?.into()]))
}

fn rnn(
    context: &Context<'_>,
    args: &Arguments<'_>,
    of: fn(f64) -> f64,
) -> Result<ScriptValue, RunProblem> {
    let network = network(args)?;
    let states = [args.tensor(1)?.clone()];
    let (output, last) = network.run(context, &states, as_it_is, |nth, input, state| {
        Ok(vec![network.weights(nth).rnn_step(context, input, &state[0], of)?])
    })?;
    Ok(ScriptValue::tuple(vec![output.into(), last_states(context, &last, 0)?.into()]))
}

fn cell<'a>(args: &Arguments<'a>) -> Result<Weights<'a>, RunProblem> {
    let biases = match (args.tensor_or_none(4)?, args.tensor_or_none(5)?) {
        (Some(first), Some(second)) => Some((first, second)),
        _ => None,
    };
    Ok(Weights { input: args.tensor(2)?, hidden: args.tensor(3)?, biases })
}

fn lstm_cell(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let states = args.tensors(1)?;
    let [hidden, old] = states.as_slice() else {
        return refused("lstm_cell expects two hidden states");
    };
    let (hidden, cell) = cell(args)?.lstm_step(context, args.tensor(0)?, hidden, old)?;
    Ok(ScriptValue::tuple(vec![hidden.into(), cell.into()]))
}

fn gru_cell(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    Ok(cell(args)?.gru_step(context, args.tensor(0)?, args.tensor(1)?)?.into())
}
