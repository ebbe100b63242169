//! Quantizer: what the integers of a quantized tensor stand for.

use std::rc::Rc;

use super::{Tensor, contiguous_strides};
use crate::problem::unsupported;
use crate::{Dtype, RunProblem};

/// A number is `(integer - zero point) * scale`: one pair for the whole tensor, or one for each index of a dimension.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantizer {
    pub(crate) scales: Vec<f64>,
    /// Whole numbers, but for weights of embeddings.
    pub(crate) zero_points: Vec<f64>,
    /// The dimension that the pairs are for; none if there is one pair.
    pub(crate) axis: Option<usize>,
    /// Whether only 4 bits of each byte count.
    pub(crate) half_bytes: bool,
}

impl Quantizer {
    pub(crate) fn of_tensor(scale: f64, zero_point: f64) -> Self {
        Self { scales: vec![scale], zero_points: vec![zero_point], axis: None, half_bytes: false }
    }

    /// Which pair each element of a tensor of this shape has, by its place in row-major order.
    pub(crate) fn pairs<'q>(&'q self, shape: &[usize]) -> impl Fn(usize) -> (f64, f64) + use<'q> {
        // How many elements lie between two neighbours of the dimension, and how many indexes it has.
        let (inner, size) = match self.axis {
            None => (1, 1),
            Some(axis) => {
                let inner = contiguous_strides(shape).get(axis).copied().unwrap_or(1);
                (inner, shape.get(axis).copied().unwrap_or(1))
            }
        };
        move |at| {
            let channel = at / inner.max(1) % size.max(1);
            let of = |all: &[f64], absent| all.get(channel).copied().unwrap_or(absent);
            (of(&self.scales, 1.0), of(&self.zero_points, 0.0))
        }
    }

    /// The smallest and the largest integer.
    pub(crate) fn range(&self, dtype: Dtype) -> (f64, f64) {
        match dtype {
            Dtype::I8 => (-128.0, 127.0),
            Dtype::U8 if self.half_bytes => (0.0, 15.0),
            Dtype::U8 => (0.0, 255.0),
            _ => (f64::from(i32::MIN), f64::from(i32::MAX)),
        }
    }
}

impl Tensor {
    pub(crate) fn quantizer(&self) -> Option<&Rc<Quantizer>> {
        self.quantizer.as_ref()
    }

    /// The same integers with this meaning.
    ///
    /// # Errors
    /// If there are not as many pairs as the dimension has indexes.
    pub(crate) fn quantized_by(self, quantizer: Rc<Quantizer>) -> Result<Self, RunProblem> {
        let wanted = match quantizer.axis {
            None => Some(1),
            Some(axis) => self.shape.get(axis).copied(),
        };
        let (scales, zeros) = (quantizer.scales.len(), quantizer.zero_points.len());
        if wanted != Some(scales) || scales != zeros {
            return unsupported(format!("{scales} scales and {zeros} zero points for {self}"));
        }
        Ok(Self { quantizer: Some(quantizer), ..self })
    }

    /// The integers, which stand for themselves.
    pub(crate) fn integers(&self) -> Self {
        Self { quantizer: None, ..self.clone() }
    }

    /// The scale and the zero point of a tensor that has one of each.
    pub(crate) fn scale_and_zero(&self) -> Result<(f64, f64), RunProblem> {
        match self.quantizer.as_deref() {
            Some(Quantizer { scales, zero_points, axis: None, .. }) => {
                let first = |all: &[f64]| all.first().copied().unwrap_or(0.0);
                Ok((first(scales), first(zero_points)))
            }
            Some(_) => unsupported(format!("an operator on {self}, quantized per channel")),
            None => crate::problem::refused(format!("{self} is not quantized")),
        }
    }

    /// The integers less their zero points, in row-major order.
    pub(crate) fn centered(&self) -> Vec<f64> {
        self.meant(|integer, _, zero| integer - zero)
    }

    /// The numbers that are meant, with the precision of `float32`.
    pub(crate) fn dequantized(&self) -> Vec<f64> {
        self.meant(|integer, scale, zero| f64::from((integer as f32 - zero as f32) * scale as f32))
    }

    fn meant(&self, of: impl Fn(f64, f64, f64) -> f64) -> Vec<f64> {
        let mut numbers = self.floats();
        let Some(quantizer) = &self.quantizer else { return numbers };
        let pair = quantizer.pairs(&self.shape);
        for (at, number) in numbers.iter_mut().enumerate() {
            let (scale, zero) = pair(at);
            *number = of(*number, scale, zero);
        }
        numbers
    }
}
