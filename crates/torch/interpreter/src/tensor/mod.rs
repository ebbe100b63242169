//! Tensors: a type, a shape, and strides over memory that views share.

mod count;
mod elements;
mod quantizer;
mod singles;
mod storage;
mod view;

use std::rc::Rc;

use unskew_array::Array;

use crate::limits::Meter;
use crate::problem::refused;
use crate::{Dtype, RunLimits, RunProblem, ScalarValue};

pub(crate) use count::count;
pub(crate) use elements::Elements;
pub(crate) use quantizer::Quantizer;
pub(crate) use singles::Singles;
pub(crate) use storage::{Storage, cast};
pub(crate) use view::{broadcast, contiguous_strides};

/// A tensor. A clone is the same tensor: what is written to one is seen in the other.
#[derive(Clone, Debug)]
pub struct Tensor {
    storage: Rc<Storage>,
    dtype: Dtype,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
    /// Whether it stands for a number of the program, as constants without dimensions do: then its type gives
    /// way to that of other operands.
    is_number: bool,
    /// What its integers stand for; none if they stand for themselves.
    quantizer: Option<Rc<Quantizer>>,
}

impl Tensor {
    /// A tensor over memory that is there.
    ///
    /// # Errors
    /// If an element would lie outside of it.
    pub(crate) fn over(
        storage: Rc<Storage>,
        dtype: Dtype,
        offset: usize,
        shape: Vec<usize>,
        strides: Vec<usize>,
    ) -> Result<Self, RunProblem> {
        let last = || {
            let mut spans = shape.iter().zip(&strides);
            let last = spans.try_fold(offset, |last, (size, stride)| {
                last.checked_add(size.saturating_sub(1).checked_mul(*stride)?)
            })?;
            last.checked_add(1)?.checked_mul(dtype.bytes())
        };
        if shape.len() != strides.len() {
            return refused(format!("a shape {shape:?} with the strides {strides:?}"));
        }
        if !shape.contains(&0) && last().is_none_or(|last| last > storage.len()) {
            let len = storage.len();
            return refused(format!(
                "a tensor of shape {shape:?}, strides {strides:?} and offset {offset} is outside of \
                 its storage of {len} bytes"
            ));
        }
        let (is_number, quantizer) = (false, None);
        Ok(Self { storage, dtype, offset, shape, strides, is_number, quantizer })
    }

    /// A new tensor of these elements, in row-major order.
    pub(crate) fn from_elements(
        meter: &Rc<Meter>,
        dtype: Dtype,
        shape: &[usize],
        elements: &Elements,
    ) -> Result<Self, RunProblem> {
        let wanted = count(shape)?;
        if wanted != elements.len() {
            return refused(format!("{} elements for the shape {shape:?}", elements.len()));
        }
        meter.work(wanted)?;
        let size = wanted.saturating_mul(dtype.bytes());
        meter.take(size)?;
        meter.release(size);
        let bytes = elements.encode(dtype);
        let strides = contiguous_strides(shape);
        Self::over(Storage::new(meter, bytes)?, dtype, 0, shape.to_vec(), strides)
    }

    pub(crate) fn of_floats(
        meter: &Rc<Meter>,
        dtype: Dtype,
        shape: &[usize],
        numbers: Vec<f64>,
    ) -> Result<Self, RunProblem> {
        Self::from_elements(meter, dtype, shape, &Elements::Float(numbers))
    }

    pub(crate) fn of_ints(
        meter: &Rc<Meter>,
        dtype: Dtype,
        shape: &[usize],
        numbers: Vec<i64>,
    ) -> Result<Self, RunProblem> {
        Self::from_elements(meter, dtype, shape, &Elements::Int(numbers))
    }

    /// A new tensor whose elements are all the same.
    pub(crate) fn filled(
        meter: &Rc<Meter>,
        dtype: Dtype,
        shape: &[usize],
        number: ScalarValue,
    ) -> Result<Self, RunProblem> {
        let one = Elements::one(dtype, number).encode(dtype);
        let wanted = count(shape)?;
        meter.work(wanted)?;
        let Some(size) = wanted.checked_mul(dtype.bytes()) else {
            return refused(format!("no tensor can be so large: {shape:?}"));
        };
        let storage = Storage::zeros(meter, size)?;
        if one.iter().any(|byte| *byte != 0) {
            for element in storage.bytes.borrow_mut().chunks_exact_mut(one.len()) {
                element.copy_from_slice(&one);
            }
        }
        Self::over(storage, dtype, 0, shape.to_vec(), contiguous_strides(shape))
    }

    pub(crate) fn scalar(
        meter: &Rc<Meter>,
        dtype: Dtype,
        number: ScalarValue,
    ) -> Result<Self, RunProblem> {
        Self::filled(meter, dtype, &[], number)
    }

    /// A tensor with the contents of an array.
    ///
    /// # Errors
    /// If PyTorch has no such element type, or it is too large.
    pub fn from_array(array: &Array) -> Result<Self, RunProblem> {
        let Some(dtype) = Dtype::of_array(array.element()) else {
            return refused(format!("PyTorch has no tensors of this type: {}", array.element()));
        };
        let sizes = array.dims().iter().map(|dim| usize::try_from(*dim));
        let Ok(shape) = sizes.collect::<Result<Vec<_>, _>>() else {
            return refused(format!("no tensor can be so large: {}", array.shape()));
        };
        let meter = Meter::new(RunLimits::for_bytes(array.bytes().len() as u64));
        let storage = Storage::new(&meter, array.bytes().to_vec())?;
        let strides = contiguous_strides(&shape);
        Self::over(storage, dtype, 0, shape, strides)
    }

    /// A tensor of these numbers, in row-major order, converted to the type.
    ///
    /// ```
    /// use unskew_interpreter::{Dtype, ScalarValue, Tensor};
    /// let tensor = Tensor::new(Dtype::F32, &[2], &[ScalarValue::Int(1), ScalarValue::Float(0.5)]).unwrap();
    /// assert_eq!(tensor.to_array().to_string(), "[1, 0.5]");
    /// ```
    ///
    /// # Errors
    /// If they are not as many as the shape takes.
    pub fn new(dtype: Dtype, shape: &[usize], numbers: &[ScalarValue]) -> Result<Self, RunProblem> {
        let elements = Elements::of_numbers(dtype, numbers);
        Self::from_elements(&Meter::new(RunLimits::default()), dtype, shape, &elements)
    }

    /// Its contents, dense and in row-major order.
    pub fn to_array(&self) -> Array {
        let dims: Vec<u64> = self.shape.iter().map(|size| *size as u64).collect();
        let mut bytes = Vec::new();
        self.each(|element| bytes.extend_from_slice(element));
        let element = self.dtype.array_type();
        // There are as many bytes as the shape takes; an array without elements would say if not.
        Array::new(element, &dims, bytes).unwrap_or_else(|_| {
            Array::new(element, &[0], Vec::new()).unwrap_or_else(|_| unreachable!("no elements"))
        })
    }

    /// The type of its elements.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Its dimensions; none for a scalar.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How far apart neighbours of each dimension lie, in elements.
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// How many dimensions it has.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    pub(crate) fn is_number(&self) -> bool {
        self.is_number
    }

    /// The same elements as a constant of a program: without dimensions it stands for a number.
    pub(crate) fn as_constant(&self, is_number: bool) -> Self {
        Self { is_number: is_number && self.rank() == 0, ..self.clone() }
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Every element as a number, in row-major order.
    pub fn numbers(&self) -> Vec<ScalarValue> {
        let mut numbers = Vec::with_capacity(self.count());
        self.each(|element| numbers.push(storage::decode(self.dtype, element)));
        numbers
    }

    /// The only element.
    ///
    /// # Errors
    /// If it has none, or more than one.
    pub fn item(&self) -> Result<ScalarValue, RunProblem> {
        match (self.count(), self.numbers().first()) {
            (1, Some(number)) => Ok(*number),
            (count, _) => {
                refused(format!("a Tensor with {count} elements cannot be converted to Scalar"))
            }
        }
    }
}

/// Element type and dimensions: `float32[2,3]`.
impl std::fmt::Display for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        write!(f, "{}[{}]", self.dtype, sizes.join(","))
    }
}
