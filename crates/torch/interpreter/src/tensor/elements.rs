//! The elements of a tensor as numbers of one kind.

use std::rc::Rc;

use super::storage::{cast, decode, encode};
use super::{Tensor, contiguous_strides, count};
use crate::dtype::DtypeCategory;
use crate::problem::refused;
use crate::{Dtype, RunProblem, ScalarValue};

/// Numbers of one kind; true and false are 1 and 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elements {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Complex(Vec<(f64, f64)>),
}

impl Elements {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Int(numbers) => numbers.len(),
            Self::Float(numbers) => numbers.len(),
            Self::Complex(numbers) => numbers.len(),
        }
    }

    /// One number of the kind that the type holds.
    pub(crate) fn one(dtype: Dtype, number: ScalarValue) -> Self {
        Self::of_numbers(dtype, &[number])
    }

    /// Numbers of the kind that the type holds; they are not rounded to the type.
    pub(crate) fn of_numbers(dtype: Dtype, numbers: &[ScalarValue]) -> Self {
        match dtype.category() {
            DtypeCategory::Bool => {
                Self::Int(numbers.iter().map(|number| number.is_true().into()).collect())
            }
            DtypeCategory::Int => Self::Int(numbers.iter().map(|number| number.int()).collect()),
            DtypeCategory::Float if numbers.iter().any(|n| matches!(n, ScalarValue::Int(_))) => {
                Self::Float(numbers.iter().map(|number| cast(dtype, *number).float()).collect())
            }
            DtypeCategory::Float => {
                Self::Float(numbers.iter().map(|number| number.float()).collect())
            }
            DtypeCategory::Complex => {
                Self::Complex(numbers.iter().map(|number| number.complex()).collect())
            }
        }
    }

    pub(crate) fn get(&self, index: usize) -> Option<ScalarValue> {
        match self {
            Self::Int(numbers) => numbers.get(index).map(|number| ScalarValue::Int(*number)),
            Self::Float(numbers) => numbers.get(index).map(|number| ScalarValue::Float(*number)),
            Self::Complex(numbers) => numbers.get(index).map(|n| ScalarValue::Complex(n.0, n.1)),
        }
    }

    /// As the bytes of elements of a type.
    pub(super) fn encode(&self, dtype: Dtype) -> Vec<u8> {
        if let (Self::Float(numbers), Dtype::F32) = (self, dtype) {
            let mut bytes = vec![0; numbers.len() * 4];
            let places = bytes.as_chunks_mut::<4>().0.iter_mut();
            places.zip(numbers).for_each(|(place, n)| *place = (*n as f32).to_le_bytes());
            return bytes;
        }
        let mut bytes = Vec::with_capacity(self.len() * dtype.bytes());
        match self {
            Self::Int(numbers) => {
                numbers.iter().for_each(|n| encode(dtype, ScalarValue::Int(*n), &mut bytes));
            }
            Self::Float(numbers) => {
                numbers.iter().for_each(|n| encode(dtype, ScalarValue::Float(*n), &mut bytes));
            }
            Self::Complex(numbers) => {
                numbers
                    .iter()
                    .for_each(|n| encode(dtype, ScalarValue::Complex(n.0, n.1), &mut bytes));
            }
        }
        bytes
    }
}

impl Tensor {
    /// Visits the bytes of every element in row-major order.
    pub(super) fn each(&self, mut visit: impl FnMut(&[u8])) {
        let bytes = self.storage.bytes.borrow();
        let width = self.dtype.bytes();
        self.positions(|at| {
            // All positions lie inside: checked when the tensor was made.
            visit(bytes.get(at * width..(at + 1) * width).unwrap_or(&[]));
        });
    }

    /// Visits its bytes in row-major order, many at a time where they lie together.
    pub(crate) fn bytes_of_elements(&self, mut visit: impl FnMut(&[u8])) {
        let width = self.dtype.bytes();
        if self.is_contiguous() {
            let bytes = self.storage.bytes.borrow();
            let size = self.count() * width;
            let own = bytes.get(self.offset * width..).and_then(|bytes| bytes.get(..size));
            visit(own.unwrap_or(&[]));
            return;
        }
        self.each(visit);
    }

    /// Visits the place of every element in the storage, in row-major order.
    pub(crate) fn positions(&self, mut visit: impl FnMut(usize)) {
        if self.shape.contains(&0) {
            return;
        }
        if self.is_contiguous() {
            (self.offset..self.offset + self.count()).for_each(visit);
            return;
        }
        let mut index = vec![0; self.rank()];
        let mut at = self.offset;
        loop {
            visit(at);
            let mut axis = self.rank();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                index[axis] += 1;
                at += self.strides[axis];
                if index[axis] < self.shape[axis] {
                    break;
                }
                at -= self.strides[axis] * self.shape[axis];
                index[axis] = 0;
            }
        }
    }

    /// Its elements, as numbers of its own kind.
    pub(crate) fn elements(&self) -> Elements {
        match self.dtype.category() {
            DtypeCategory::Bool | DtypeCategory::Int => Elements::Int(self.ints()),
            DtypeCategory::Float => Elements::Float(self.floats()),
            DtypeCategory::Complex => Elements::Complex(self.complexes()),
        }
    }

    /// Its elements as they are in another type.
    pub(crate) fn elements_as(&self, dtype: Dtype) -> Elements {
        if self.dtype == dtype {
            return self.elements();
        }
        let mut numbers = Vec::with_capacity(self.count());
        self.each(|element| numbers.push(cast(dtype, decode(self.dtype, element))));
        Elements::of_numbers(dtype, &numbers)
    }

    pub(crate) fn floats(&self) -> Vec<f64> {
        if let Some(numbers) = self.singles() {
            return numbers.iter().map(|number| f64::from(*number)).collect();
        }
        let mut numbers = Vec::with_capacity(self.count());
        self.each(|element| numbers.push(decode(self.dtype, element).float()));
        numbers
    }

    pub(crate) fn ints(&self) -> Vec<i64> {
        let mut numbers = Vec::with_capacity(self.count());
        self.each(|element| numbers.push(decode(self.dtype, element).int()));
        numbers
    }

    pub(crate) fn complexes(&self) -> Vec<(f64, f64)> {
        let mut numbers = Vec::with_capacity(self.count());
        self.each(|element| numbers.push(decode(self.dtype, element).complex()));
        numbers
    }

    /// Overwrites every element with that of `value`, which is broadcast and converted.
    pub(crate) fn copy_from(&self, value: &Self) -> Result<(), RunProblem> {
        let value = value.expand(&self.shape)?;
        if value.dtype == self.dtype
            && value.is_contiguous()
            && self.is_contiguous()
            && !Rc::ptr_eq(&value.storage, &self.storage)
        {
            let (width, size) = (self.dtype.bytes(), self.count() * self.dtype.bytes());
            self.storage.meter().work(self.count())?;
            let (mut to, from) = (self.storage.bytes.borrow_mut(), value.storage.bytes.borrow());
            let to = to.get_mut(self.offset * width..).and_then(|to| to.get_mut(..size));
            let from = from.get(value.offset * width..).and_then(|from| from.get(..size));
            if let (Some(to), Some(from)) = (to, from) {
                to.copy_from_slice(from);
                return Ok(());
            }
        }
        self.write(&value.elements())
    }

    /// Overwrites every element, in row-major order.
    pub(crate) fn write(&self, elements: &Elements) -> Result<(), RunProblem> {
        if elements.len() != self.count() {
            return refused(format!("{} elements for {self}", elements.len()));
        }
        self.storage.meter().work(elements.len())?;
        let width = self.dtype.bytes();
        let new = elements.encode(self.dtype);
        let mut bytes = self.storage.bytes.borrow_mut();
        let mut next = 0;
        self.positions(|at| {
            let element = new.get(next..next + width);
            let place = bytes.get_mut(at * width..(at + 1) * width);
            if let (Some(place), Some(element)) = (place, element) {
                place.copy_from_slice(element);
            }
            next += width;
        });
        Ok(())
    }

    /// Gives it another shape as an `out` argument gets it, and room for it.
    pub(crate) fn resized(&self, shape: &[usize]) -> Result<Self, RunProblem> {
        if self.shape == shape {
            return Ok(self.clone());
        }
        let size = count(shape)?.saturating_add(self.offset).checked_mul(self.dtype.bytes());
        let Some(size) = size else {
            return refused(format!("no tensor can be so large: {shape:?}"));
        };
        self.storage.grow(size)?;
        let strides = contiguous_strides(shape);
        Self::over(self.storage.clone(), self.dtype, self.offset, shape.to_vec(), strides)
    }
}
