//! Rounding to integers with a scale, as the engines do it: in `float32`, ties to even.

use std::rc::Rc;

use crate::operators::declaration::Context;
use crate::problem::{refused, unsupported};
use crate::tensor::Quantizer;
use crate::{Dtype, RunProblem, Tensor};

/// The integer for a number in units of the scale.
pub(super) fn rounded(number: f64, zero: f64, (low, high): (f64, f64)) -> f64 {
    if number.is_nan() { low } else { (number.round_ties_even() + zero).clamp(low, high) }
}

pub(super) fn units(number: f64, scale: f64) -> f64 {
    f64::from(number as f32 * (1.0 / scale as f32))
}

/// A quantized tensor of these numbers, with one scale or one for each index of a dimension.
pub(super) fn quantized(
    context: &Context<'_>,
    dtype: Dtype,
    shape: &[usize],
    numbers: &[f64],
    quantizer: Rc<Quantizer>,
) -> Result<Tensor, RunProblem> {
    if quantizer.scales.iter().any(|scale| !scale.is_finite() || *scale <= 0.0) {
        return refused("quantized tensors have scales greater than 0");
    }
    let range = quantizer.range(dtype);
    let integers = {
        let pair = quantizer.pairs(shape);
        let integer = |(at, number): (usize, &f64)| {
            let (scale, zero) = pair(at);
            rounded(units(*number, scale), zero, range)
        };
        numbers.iter().enumerate().map(integer).collect()
    };
    Tensor::of_floats(context.meter, dtype, shape, integers)?.quantized_by(quantizer)
}

/// The type of the integers of a quantized type, by the number that stands for it in programs.
pub(super) fn integers_of(code: i64) -> Result<Dtype, RunProblem> {
    match code {
        12 => Ok(Dtype::I8),
        13 => Ok(Dtype::U8),
        14 => Ok(Dtype::I32),
        _ => unsupported(format!("quantized tensors of the type of this number: {code}")),
    }
}

/// The scale and zero point for numbers between two bounds, in integers from 0 to `most`.
pub(super) fn chosen(low: f64, high: f64, most: f64) -> (f64, f64) {
    /// Below it, dividing by a scale could overflow.
    const SMALLEST: f32 = 6.1e-5;
    let (mut low, mut high) = (low.min(0.0), high.max(0.0));
    let mut scale = ((high - low) / most) as f32;
    if scale == 0.0 || (1.0 / scale).is_infinite() {
        scale = 0.1;
    }
    if scale < SMALLEST {
        let grown = f64::from(SMALLEST / scale);
        scale = SMALLEST;
        if low == 0.0 {
            high = f64::from(SMALLEST) * most;
        } else if high == 0.0 {
            low = -f64::from(SMALLEST) * most;
        } else {
            (low, high) = (low * grown, high * grown);
        }
    }
    let scale = f64::from(scale);
    // The bound that is met more exactly says where zero lies.
    let (from_low, from_high) = (-low / scale, most - high / scale);
    let zero = if (low / scale).abs() < most + (high / scale).abs() { from_low } else { from_high };
    (scale, zero.clamp(0.0, most).round_ties_even())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_spans_the_numbers_and_zero() {
        assert_eq!(chosen(0.0, 0.0, 255.0), (f64::from(0.1_f32), 0.0));
        let (scale, zero) = chosen(-1.0, 1.0, 255.0);
        assert_eq!(scale, f64::from((2.0_f64 / 255.0) as f32));
        assert!((127.0..=128.0).contains(&zero), "{zero}");
        assert_eq!(chosen(2.0, 5.1, 255.0).1, 0.0);
    }

    #[test]
    fn ties_go_to_even_and_what_is_too_large_to_the_bound() {
        let range = (0.0, 255.0);
        assert_eq!([0.5, 1.5, 2.5].map(|n| rounded(n, 0.0, range)), [0.0, 2.0, 2.0]);
        assert_eq!([-9.0, 1e9, f64::NAN].map(|n| rounded(n, 3.0, range)), [0.0, 255.0, 0.0]);
    }
}
