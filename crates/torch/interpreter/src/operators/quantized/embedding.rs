//! Tables of embeddings of 8 and of 4 bits: each row has a scale and a zero point that are floats.

use super::packing::PackedWeights;
use crate::operators::Arguments;
use crate::operators::declaration::{Context, Operator, plain};
use crate::problem::{refused, unsupported};
use crate::tensor::{Quantizer, cast};
use crate::{Dtype, RunProblem, ScalarValue, ScriptValue, Tensor};

#[rustfmt::skip]
pub(crate) const OPERATORS: &[Operator] = &[
    plain("quantized::embedding_bag_byte(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase weight, Tensor indices, Tensor? offsets=None, bool scale_grad_by_freq=False, int mode=0, bool pruned_weights=False, Tensor? per_sample_weights=None, Tensor? compressed_indices_mapping=None, bool include_last_offset=False) -> Tensor", bag),
    plain("quantized::embedding_bag_4bit(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase weight, Tensor indices, Tensor? offsets=None, bool scale_grad_by_freq=False, int mode=0, bool pruned_weights=False, Tensor? per_sample_weights=None, Tensor? compressed_indices_mapping=None, bool include_last_offset=False) -> Tensor", bag),
    plain("quantized::embedding_byte(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase weight, Tensor indices, bool pruned_weights=False) -> Tensor", single),
    plain("quantized::embedding_4bit(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase weight, Tensor indices, bool pruned_weights=False) -> Tensor", single),
    plain("quantized::embedding_bag_unpack(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase W_prepack) -> (Tensor W_origin)", |_, a| Ok(PackedWeights::from_value(a.value(0))?.weight.into())),
];

/// A table of embeddings, dequantized: `rows` of `width` numbers each.
struct Table {
    numbers: Vec<f64>,
    rows: usize,
    width: usize,
}

impl Table {
    fn from_value(value: &ScriptValue) -> Result<Self, RunProblem> {
        let weight = PackedWeights::from_value(value)?.weight;
        let ([rows, width], Some(quantizer)) = (weight.shape(), weight.quantizer()) else {
            return refused(format!("a table of embeddings is a quantized matrix: {weight}"));
        };
        let (rows, width) = (*rows, *width);
        let Quantizer { scales, zero_points, axis: Some(0), .. } = &**quantizer else {
            return unsupported("a table of embeddings without a scale for each row");
        };
        // The engine keeps the number of integer 0 in the place of the zero point, and both with 16 bits where integers
        // have 4.
        let kept = |number: f32| match quantizer.half_bytes {
            true => cast(Dtype::F16, ScalarValue::Float(number.into())).float() as f32,
            false => number,
        };
        let number = |(at, integer): (usize, f64)| {
            let row = at / width.max(1);
            let of = |all: &[f64]| all.get(row).copied().unwrap_or(0.0) as f32;
            let (scale, zero) = (of(scales), of(zero_points));
            f64::from(integer as f32 * kept(scale) + kept(-zero * scale))
        };
        let numbers = weight.floats().into_iter().enumerate().map(number).collect();
        Ok(Self { numbers, rows, width })
    }

    fn row(&self, index: i64) -> Result<&[f64], RunProblem> {
        let row = usize::try_from(index).ok().filter(|row| *row < self.rows);
        match row {
            Some(row) => Ok(&self.numbers[row * self.width..(row + 1) * self.width]),
            None => refused(format!("index {index} of a table with {} rows", self.rows)),
        }
    }
}

fn bag(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let table = Table::from_value(args.value(0))?;
    if args.boolean(5)? || args.tensor_or_none(7)?.is_some() {
        return unsupported("embeddings with pruned weights");
    }
    let indices = args.tensor(1)?;
    let mut starts = match args.tensor_or_none(2)? {
        Some(offsets) if indices.rank() == 1 => offsets.ints(),
        None if indices.rank() == 2 => {
            let size = indices.shape()[1] as i64;
            (0..indices.shape()[0] as i64).map(|row| row * size).collect()
        }
        _ => return refused("a bag of embeddings has offsets, or indices with two dimensions"),
    };
    if args.boolean(8)? && args.tensor_or_none(2)?.is_some() {
        starts.pop();
    }
    let weights = match args.tensor_or_none(6)? {
        Some(weights) => weights.floats(),
        None => vec![1.0; indices.count()],
    };
    let all = indices.ints();
    if weights.len() != all.len() {
        return refused("per_sample_weights must have the shape of the indices");
    }
    context.meter.work(all.len().saturating_mul(table.width))?;
    context.meter.room(&[starts.len(), table.width])?;
    let mut sums = vec![0.0_f64; starts.len() * table.width];
    for (nth, start) in starts.iter().enumerate() {
        let end = starts.get(nth + 1).copied().unwrap_or(all.len() as i64);
        let (Ok(start), Ok(end)) = (usize::try_from(*start), usize::try_from(end)) else {
            return refused("offsets of bags are not negative");
        };
        let (Some(indices), Some(weights)) = (all.get(start..end), weights.get(start..end)) else {
            return refused(format!("bag {nth} has indices {start} to {end} of {}", all.len()));
        };
        let sum = &mut sums[nth * table.width..(nth + 1) * table.width];
        for (index, weight) in indices.iter().zip(weights) {
            for (sum, number) in sum.iter_mut().zip(table.row(*index)?) {
                *sum += number * weight;
            }
        }
    }
    let shape = [starts.len(), table.width];
    Ok(Tensor::of_floats(context.meter, Dtype::F32, &shape, sums)?.into())
}

fn single(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let table = Table::from_value(args.value(0))?;
    if args.boolean(2)? {
        return unsupported("embeddings with pruned weights");
    }
    let indices = args.tensor(1)?;
    let shape: Vec<usize> = indices.shape().iter().copied().chain([table.width]).collect();
    context.meter.room(&shape)?;
    let mut numbers = Vec::new();
    for index in indices.ints() {
        numbers.extend_from_slice(table.row(index)?);
    }
    Ok(Tensor::of_floats(context.meter, Dtype::F32, &shape, numbers)?.into())
}
