//! Views: other shapes over the same memory.

use super::{Tensor, count};
use crate::problem::refused;
use crate::{Dtype, RunProblem};

/// The strides of a dense tensor of this shape.
pub(crate) fn contiguous_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1_usize; shape.len()];
    for axis in (0..shape.len().saturating_sub(1)).rev() {
        strides[axis] = strides[axis + 1].saturating_mul(shape[axis + 1].max(1));
    }
    strides
}

pub(crate) fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, RunProblem> {
    let rank = a.len().max(b.len());
    let size = |shape: &[usize], axis: usize| {
        (axis + shape.len())
            .checked_sub(rank)
            .and_then(|axis| shape.get(axis))
            .copied()
            .unwrap_or(1)
    };
    let mut shape = Vec::with_capacity(rank);
    for axis in 0..rank {
        match (size(a, axis), size(b, axis)) {
            (x, y) if x == y => shape.push(x),
            (1, y) => shape.push(y),
            (x, 1) => shape.push(x),
            (x, y) => {
                return refused(format!(
                    "The size of tensor a ({x}) must match the size of tensor b ({y}) at \
                     non-singleton dimension {axis}"
                ));
            }
        }
    }
    Ok(shape)
}

impl Tensor {
    /// Whether its elements lie one after the other, in row-major order.
    pub(crate) fn is_contiguous(&self) -> bool {
        let mut wanted = 1;
        for (size, stride) in self.shape.iter().zip(&self.strides).rev() {
            if *size != 1 && *stride != wanted {
                return self.shape.contains(&0);
            }
            wanted *= size;
        }
        true
    }

    /// Another shape, strides and offset over the same memory.
    pub(crate) fn with(
        &self,
        shape: Vec<usize>,
        strides: Vec<usize>,
        offset: usize,
    ) -> Result<Self, RunProblem> {
        let quantizer = self.quantizer.clone();
        let view = Self::over(self.storage.clone(), self.dtype, offset, shape, strides)?;
        Ok(Self { quantizer, ..view })
    }

    /// The same elements repeated, without copies, so that it has this shape.
    pub(crate) fn expand(&self, shape: &[usize]) -> Result<Self, RunProblem> {
        let fail = || {
            let own = &self.shape;
            RunProblem::Refused(format!(
                "a tensor of shape {own:?} cannot be broadcast to {shape:?}"
            ))
        };
        let extra = shape.len().checked_sub(self.rank()).ok_or_else(fail)?;
        let mut strides = vec![0; extra];
        for axis in 0..self.rank() {
            match (self.shape[axis], shape[axis + extra]) {
                (own, wanted) if own == wanted => strides.push(self.strides[axis]),
                (1, _) => strides.push(0),
                _ => return Err(fail()),
            }
        }
        self.storage.meter().could_hold(count(shape)?)?;
        self.with(shape.to_vec(), strides, self.offset)
    }

    /// One index of a dimension, which goes away.
    pub(crate) fn select(&self, axis: usize, index: usize) -> Result<Self, RunProblem> {
        let (mut shape, mut strides) = (self.shape.clone(), self.strides.clone());
        if axis >= shape.len() || index >= shape[axis] {
            return refused(format!("index {index} of dimension {axis} of {self}"));
        }
        let offset = self.offset + index * strides[axis];
        shape.remove(axis);
        strides.remove(axis);
        self.with(shape, strides, offset)
    }

    /// A part of a dimension: `length` indexes from `start` on, `step` apart.
    pub(crate) fn narrow(
        &self,
        axis: usize,
        start: usize,
        length: usize,
        step: usize,
    ) -> Result<Self, RunProblem> {
        let (mut shape, mut strides) = (self.shape.clone(), self.strides.clone());
        if axis >= shape.len() {
            return refused(format!("dimension {axis} of {self}"));
        }
        let offset = if length == 0 { self.offset } else { self.offset + start * strides[axis] };
        shape[axis] = length;
        strides[axis] = strides[axis].saturating_mul(step);
        self.with(shape, strides, offset)
    }

    pub(crate) fn permute(&self, order: &[usize]) -> Result<Self, RunProblem> {
        let mut seen = vec![false; self.rank()];
        let (mut shape, mut strides) = (Vec::new(), Vec::new());
        for axis in order {
            match seen.get_mut(*axis) {
                Some(seen) if !*seen => *seen = true,
                _ => return refused(format!("the order {order:?} of the dimensions of {self}")),
            }
            shape.push(self.shape[*axis]);
            strides.push(self.strides[*axis]);
        }
        if order.len() != self.rank() {
            return refused(format!("the order {order:?} of the dimensions of {self}"));
        }
        self.with(shape, strides, self.offset)
    }

    /// The last two dimensions exchanged.
    pub(crate) fn transposed(&self) -> Result<Self, RunProblem> {
        let mut order: Vec<usize> = (0..self.rank()).collect();
        match self.rank() {
            0 | 1 => {}
            rank => order.swap(rank - 1, rank - 2),
        }
        self.permute(&order)
    }

    /// A dense tensor with the same elements: itself, if it is dense.
    pub(crate) fn contiguous(&self) -> Result<Self, RunProblem> {
        if self.is_contiguous() { Ok(self.clone()) } else { self.copy() }
    }

    pub(crate) fn copy(&self) -> Result<Self, RunProblem> {
        Ok(Self { quantizer: self.quantizer.clone(), ..self.to_dtype(self.dtype)? })
    }

    /// A dense copy with elements of another type.
    pub(crate) fn to_dtype(&self, dtype: Dtype) -> Result<Self, RunProblem> {
        let elements = self.elements();
        Self::from_elements(self.storage.meter(), dtype, &self.shape, &elements)
    }

    /// The same elements in another shape: a view where the strides allow it.
    pub(crate) fn view(&self, shape: &[usize]) -> Result<Option<Self>, RunProblem> {
        if count(shape)? != self.count() {
            let own = self.count();
            return refused(format!("shape '{shape:?}' is invalid for input of size {own}"));
        }
        match self.view_strides(shape) {
            Some(strides) => self.with(shape.to_vec(), strides, self.offset).map(Some),
            None => Ok(None),
        }
    }

    /// A view where possible, else a copy.
    pub(crate) fn reshape(&self, shape: &[usize]) -> Result<Self, RunProblem> {
        match self.view(shape)? {
            Some(view) => Ok(view),
            None => {
                let copy = self.copy()?;
                copy.with(shape.to_vec(), contiguous_strides(shape), copy.offset)
            }
        }
    }

    /// Each run of dimensions that are dense among themselves may be cut anew.
    fn view_strides(&self, shape: &[usize]) -> Option<Vec<usize>> {
        if self.count() == 0 || self.is_contiguous() {
            return Some(contiguous_strides(shape));
        }
        let mut strides = vec![0; shape.len()];
        let mut next = shape.len();
        let mut axis = self.rank();
        while axis > 0 {
            // The run that ends here.
            let base = self.strides[axis - 1];
            let mut size = self.shape[axis - 1];
            axis -= 1;
            while axis > 0 && (self.shape[axis - 1] == 1 || self.strides[axis - 1] == base * size) {
                size *= self.shape[axis - 1];
                axis -= 1;
            }
            let mut filled = 1;
            while next > 0 && (filled < size || shape[next - 1] == 1) {
                next -= 1;
                strides[next] = base * filled;
                filled *= shape[next];
            }
            if filled != size {
                return None;
            }
        }
        (next == 0).then_some(strides)
    }
}
