//! Encoder layers as one operator: what PyTorch takes when nothing is trained.

use super::Arguments;
use super::activation::{along, soften};
use super::declaration::{Context, Operator, plain};
use super::matrix::{add, matmul};
use crate::problem::{refused, unsupported};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)", native),
    plain("aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor", layer),
];

/// The weights of the attention of several heads.
struct Heads<'h> {
    count: usize,
    weight: &'h Tensor,
    bias: &'h Tensor,
    out_weight: &'h Tensor,
    out_bias: &'h Tensor,
    mask: Option<&'h Tensor>,
    mask_type: Option<i64>,
}

fn linear(
    context: &Context<'_>,
    input: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
) -> Result<Tensor, RunProblem> {
    sum(context, matmul(context, input, &weight.transposed()?)?, bias.clone())
}

fn sum(context: &Context<'_>, a: Tensor, b: Tensor) -> Result<Tensor, RunProblem> {
    one(add(context, a, b)?)
}

fn one(value: ScriptValue) -> Result<Tensor, RunProblem> {
    match value {
        ScriptValue::Tensor(tensor) => Ok(tensor),
        other => refused(format!("a tensor is wanted: {}", other.type_name())),
    }
}

fn heads(args: &Arguments<'_>, first: usize) -> Result<usize, RunProblem> {
    match usize::try_from(args.int(first)?).ok().filter(|count| *count > 0) {
        Some(count) => Ok(count),
        None => refused("num_heads must be positive"),
    }
}

fn native(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let given = [args.tensor(0)?, args.tensor(1)?, args.tensor(2)?];
    let heads = Heads {
        count: heads(args, 4)?,
        weight: args.tensor(5)?,
        bias: args.tensor(6)?,
        out_weight: args.tensor(7)?,
        out_bias: args.tensor(8)?,
        mask: args.tensor_or_none(9)?,
        mask_type: args.int_or_none(12)?,
    };
    let (result, weights) = attention(context, given, &heads)?;
    let weights = match (args.boolean(10)?, args.boolean(11)?) {
        (false, _) => ScriptValue::None,
        (true, false) => weights.into(),
        (true, true) => mean(context, weights)?,
    };
    Ok(ScriptValue::tuple(vec![result.into(), weights]))
}

fn mean(context: &Context<'_>, weights: Tensor) -> Result<ScriptValue, RunProblem> {
    let values =
        [weights.into(), ScriptValue::ints([1]), ScriptValue::from(false), ScriptValue::None];
    match context.overload("aten::mean", "dim") {
        Some(entry) => entry.run(context, &values),
        None => refused("no mean"),
    }
}

fn attention(
    context: &Context<'_>,
    [query, key, value]: [&Tensor; 3],
    heads: &Heads<'_>,
) -> Result<(Tensor, Tensor), RunProblem> {
    let [batch, rows, width] = *query.shape() else {
        return refused(format!("expected 3-D `query`: {query}"));
    };
    if width % heads.count != 0 || heads.weight.shape() != [3 * width, width] {
        return refused(format!("attention of {query} with weights {}", heads.weight));
    }
    let part = |input: &Tensor, nth: usize| -> Result<Tensor, RunProblem> {
        let weight = heads.weight.narrow(0, nth * width, width, 1)?;
        let bias = heads.bias.narrow(0, nth * width, width, 1)?;
        let [_, length, _] = *input.shape() else { return refused("expected 3-D inputs") };
        linear(context, input, &weight, &bias)?
            .reshape(&[batch, length, heads.count, width / heads.count])?
            .permute(&[0, 2, 1, 3])
    };
    let (query, key, value) = (part(query, 0)?, part(key, 1)?, part(value, 2)?);
    let scores = matmul(context, &query, &key.transposed()?)?;
    let scale = 1.0 / ((width / heads.count) as f64).sqrt();
    let mut numbers: Vec<f64> = scores.floats();
    numbers.iter_mut().for_each(|number| *number *= scale);
    if let Some(hidden) = hidden(heads, scores.shape())? {
        for (number, hidden) in numbers.iter_mut().zip(hidden) {
            *number = if hidden { f64::NEG_INFINITY } else { *number };
        }
    }
    let scores = Tensor::of_floats(context.meter, scores.dtype(), scores.shape(), numbers)?;
    let weights = along(context, &scores, 3, scores.dtype(), |run| {
        if run.iter().all(|n| *n == f64::NEG_INFINITY) { run.fill(0.0) } else { soften(run) }
    })?;
    let mixed = matmul(context, &weights, &value)?;
    let mixed = mixed.permute(&[0, 2, 1, 3])?.reshape(&[batch, rows, width])?;
    Ok((linear(context, &mixed, heads.out_weight, heads.out_bias)?, weights))
}

/// What the mask hides of the scores: all that is not zero in it.
fn hidden(heads: &Heads<'_>, scores: &[usize]) -> Result<Option<Vec<bool>>, RunProblem> {
    let Some(mask) = heads.mask else { return Ok(None) };
    let shape = match (heads.mask_type, mask.shape()) {
        (Some(0), [rows, columns]) => vec![1, 1, *rows, *columns],
        (Some(1), [batch, columns]) => vec![*batch, 1, 1, *columns],
        (Some(2) | None, [batch, heads, rows, columns]) => vec![*batch, *heads, *rows, *columns],
        (kind, _) => return unsupported(format!("a mask of the type {kind:?}: {mask}")),
    };
    let numbers = mask.reshape(&shape)?.expand(scores)?.numbers();
    Ok(Some(numbers.into_iter().map(ScalarValue::is_true).collect()))
}

fn layer(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let src = args.tensor(0)?;
    if src.dtype() != Dtype::F32 && !src.dtype().is_float() {
        return refused(format!("an encoder of {src}"));
    }
    let heads = Heads {
        count: heads(args, 2)?,
        weight: args.tensor(3)?,
        bias: args.tensor(4)?,
        out_weight: args.tensor(5)?,
        out_bias: args.tensor(6)?,
        mask: args.tensor_or_none(18)?,
        mask_type: args.int_or_none(19)?,
    };
    // A nested tensor has no such items, and its stand-in in a converted file marks with them what it lacks.
    if src.floats().iter().any(|number| !number.is_finite()) {
        return unsupported("an encoder of a nested tensor, or of what is no number");
    }
    let (gelu, first) = (args.boolean(7)?, args.boolean(8)?);
    let norm = |input: &Tensor, at: usize| -> Result<Tensor, RunProblem> {
        let width = input.shape().last().copied().unwrap_or(0) as i64;
        let (weight, bias) = (args.value(at).clone(), args.value(at + 1).clone());
        let values = [
            input.clone().into(),
            ScriptValue::ints([width]),
            weight,
            bias,
            args.value(9).clone(),
            true.into(),
        ];
        match context.overload("aten::layer_norm", "") {
            Some(entry) => one(entry.run(context, &values)?),
            None => refused("no layer_norm"),
        }
    };
    let feed = |input: &Tensor| -> Result<Tensor, RunProblem> {
        let wide = linear(context, input, args.tensor(14)?, args.tensor(15)?)?;
        let (name, mut values) = if gelu {
            ("aten::gelu", vec![wide.into(), "none".into()])
        } else {
            ("aten::relu", vec![wide.into()])
        };
        let active = match context.overload(name, "") {
            Some(entry) => one(entry.run(context, &std::mem::take(&mut values))?)?,
            None => return refused(format!("no {name}")),
        };
        linear(context, &active, args.tensor(16)?, args.tensor(17)?)
    };
    let attend =
        |input: &Tensor| Ok::<_, RunProblem>(attention(context, [input, input, input], &heads)?.0);
    if first {
        let here = sum(context, attend(&norm(src, 10)?)?, src.clone())?;
        return Ok(sum(context, feed(&norm(&here, 12)?)?, here)?.into());
    }
    let here = norm(&sum(context, attend(src)?, src.clone())?, 10)?;
    Ok(norm(&sum(context, feed(&here)?, here)?, 12)?.into())
}
