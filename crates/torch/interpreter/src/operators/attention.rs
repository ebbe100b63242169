//! Attention.

use super::Arguments;
use super::activation::{along, soften};
use super::declaration::{Context, Operator, plain};
use super::matrix::matmul;
use crate::problem::{refused, unsupported};
use crate::tensor::broadcast;
use crate::{Dtype, RunProblem, ScriptValue, Tensor};

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor", attention),
];

/// Each head of a key or a value for as many heads of the query in turn.
fn grouped(tensor: &Tensor, query: &Tensor) -> Result<Tensor, RunProblem> {
    let (Some(at), Some(wanted)) = (
        tensor.rank().checked_sub(3),
        query.rank().checked_sub(3).and_then(|at| query.shape().get(at)),
    ) else {
        return refused(format!("attention of groups of {query} and {tensor}"));
    };
    let own = tensor.shape()[at];
    if own == 0 || wanted % own != 0 {
        return refused(format!("{wanted} heads of queries for {own} heads"));
    }
    let (mut shape, mut strides) = (tensor.shape().to_vec(), tensor.strides().to_vec());
    shape.insert(at + 1, wanted / own);
    strides.insert(at + 1, 0);
    let repeated = tensor.with(shape, strides, tensor.offset())?;
    let full = repeated.shape().to_vec();
    let mut shape = tensor.shape().to_vec();
    shape[at] = *wanted;
    // Asks whether there is room for a copy.
    repeated.expand(&full)?.reshape(&shape)
}

fn attention(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (query, key, value) = (args.tensor(0)?, args.tensor(1)?, args.tensor(2)?);
    let mask = args.tensor_or_none(3)?;
    if args.float(4)? > 0.0 {
        return unsupported("attention with dropout");
    }
    let (key, value) = match args.boolean(7)? {
        true => (&grouped(key, query)?, &grouped(value, query)?),
        false => (key, value),
    };
    let ([.., rows, width], [.., columns, _]) = (query.shape(), key.shape()) else {
        return refused(format!("attention of {query} and {key}"));
    };
    let scale = args.float_or_none(6)?.unwrap_or(1.0 / (*width as f64).sqrt());
    let scores = matmul(context, query, &key.transposed()?)?;
    let mut numbers = scores.floats();
    numbers.iter_mut().for_each(|number| *number *= scale);
    if args.boolean(5)? {
        if mask.is_some() {
            return refused("Explicit attn_mask should not be set when is_causal=True");
        }
        for (at, number) in numbers.iter_mut().enumerate() {
            if at % columns > at / columns % rows {
                *number = f64::NEG_INFINITY;
            }
        }
    }
    let mut shape = scores.shape().to_vec();
    if let Some(mask) = mask {
        shape = broadcast(&shape, mask.shape())?;
        let spread = scores.expand(&shape)?;
        if spread.shape() != scores.shape() {
            return unsupported("an attention mask with more dimensions than the scores");
        }
        let mask_numbers = mask.expand(&shape)?.floats();
        for (number, mask_number) in numbers.iter_mut().zip(mask_numbers) {
            match mask.dtype() {
                Dtype::Bool if mask_number == 0.0 => *number = f64::NEG_INFINITY,
                Dtype::Bool => {}
                _ => *number += mask_number,
            }
        }
    }
    let scores = Tensor::of_floats(context.meter, scores.dtype(), &shape, numbers)?;
    let last = scores.rank() - 1;
    let weights = along(context, &scores, last, scores.dtype(), |run| {
        // A query that may see nothing gets zeros.
        if run.iter().all(|n| *n == f64::NEG_INFINITY) { run.fill(0.0) } else { soften(run) }
    })?;
    let result = matmul(context, &weights, value)?;
    let result = match context.semantics.has("attention-in-order") {
        true => result,
        false => laid_out_as(query, &result)?,
    };
    Ok(result.into())
}

/// The same values with the dimensions in the order in which those of the query lie in memory, if its rows are whole.
fn laid_out_as(query: &Tensor, result: &Tensor) -> Result<Tensor, RunProblem> {
    let strides = query.strides();
    if query.rank() != 4 || query.shape() != result.shape() || strides[3] != 1 {
        return Ok(result.clone());
    }
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|at| std::cmp::Reverse(strides[*at]));
    let mut back = [0; 4];
    for (place, at) in order.iter().enumerate() {
        back[*at] = place;
    }
    result.permute(&order)?.contiguous()?.permute(&back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScalarValue;

    #[test]
    fn a_result_lies_in_memory_as_the_query_does() {
        let numbers: Vec<ScalarValue> = (0..24).map(ScalarValue::Int).collect();
        let plain = Tensor::new(Dtype::I64, &[1, 2, 3, 4], &numbers).unwrap();
        // Heads were split off a dimension behind that of the sequence.
        let query = Tensor::new(Dtype::I64, &[1, 3, 2, 4], &numbers).unwrap();
        let query = query.permute(&[0, 2, 1, 3]).unwrap();
        let result = laid_out_as(&query, &plain).unwrap();
        assert_eq!((result.shape(), result.strides()), (query.shape(), query.strides()));
        assert_eq!(result.contiguous().unwrap().strides(), plain.strides());
        assert_eq!(laid_out_as(&plain, &plain).unwrap().strides(), plain.strides());
        // One whose rows are not whole decides nothing.
        let across = plain.permute(&[0, 1, 3, 2]).unwrap();
        let other = across.contiguous().unwrap();
        assert_eq!(laid_out_as(&across, &other).unwrap().strides(), other.strides());
    }
}
