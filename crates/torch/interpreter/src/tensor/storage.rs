//! The memory behind tensors.

use std::cell::RefCell;
use std::rc::Rc;

use unskew_array::{ArrayElementType, Scalar};

use crate::limits::Meter;
use crate::number::truncate;
use crate::{Dtype, RunProblem, ScalarValue};

/// Bytes that tensors share: what is written through one of them is seen through all.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(super) bytes: RefCell<Vec<u8>>,
    meter: Rc<Meter>,
}

impl Storage {
    pub(crate) fn new(meter: &Rc<Meter>, bytes: Vec<u8>) -> Result<Rc<Self>, RunProblem> {
        meter.take(bytes.len())?;
        Ok(Rc::new(Self { bytes: RefCell::new(bytes), meter: meter.clone() }))
    }

    pub(crate) fn zeros(meter: &Rc<Meter>, len: usize) -> Result<Rc<Self>, RunProblem> {
        meter.take(len)?;
        Ok(Rc::new(Self { bytes: RefCell::new(vec![0; len]), meter: meter.clone() }))
    }

    pub(super) fn meter(&self) -> &Rc<Meter> {
        &self.meter
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.borrow().len()
    }

    /// Makes it at least so long.
    pub(super) fn grow(&self, len: usize) -> Result<(), RunProblem> {
        let old = self.len();
        if len > old {
            self.meter.take(len - old)?;
            self.bytes.borrow_mut().resize(len, 0);
        }
        Ok(())
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.meter.release(self.bytes.get_mut().len());
    }
}

/// The element in these bytes, which are as many as the type takes.
pub(super) fn decode(dtype: Dtype, bytes: &[u8]) -> ScalarValue {
    fn take<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.get(..N).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
    }
    match dtype {
        Dtype::Bool => ScalarValue::Bool(take::<1>(bytes)[0] != 0),
        Dtype::U8 => ScalarValue::Int(take::<1>(bytes)[0].into()),
        Dtype::I8 => ScalarValue::Int(i8::from_le_bytes(take(bytes)).into()),
        Dtype::I16 => ScalarValue::Int(i16::from_le_bytes(take(bytes)).into()),
        Dtype::I32 => ScalarValue::Int(i32::from_le_bytes(take(bytes)).into()),
        Dtype::I64 => ScalarValue::Int(i64::from_le_bytes(take(bytes))),
        Dtype::F32 => ScalarValue::Float(f32::from_le_bytes(take(bytes)).into()),
        Dtype::F64 => ScalarValue::Float(f64::from_le_bytes(take(bytes))),
        Dtype::BF16 => {
            let high = u32::from(u16::from_le_bytes(take(bytes)));
            ScalarValue::Float(f32::from_bits(high << 16).into())
        }
        Dtype::F16 => match ArrayElementType::F16.decode(&take::<2>(bytes)) {
            Scalar::Single(number) => ScalarValue::Float(number.into()),
            _ => ScalarValue::Float(f64::NAN),
        },
        Dtype::C64 => {
            let [a, b, c, d, e, f, g, h] = take(bytes);
            let part = |bytes| f64::from(f32::from_le_bytes(bytes));
            ScalarValue::Complex(part([a, b, c, d]), part([e, f, g, h]))
        }
        Dtype::C128 => {
            let part = |bytes| f64::from_le_bytes(take(bytes));
            ScalarValue::Complex(part(bytes), part(bytes.get(8..).unwrap_or(&[])))
        }
    }
}

/// Adds the bytes of a number as an element of this type: integers wrap around, floats round to the
/// nearest, by way of `float32` where the type is smaller.
pub(super) fn encode(dtype: Dtype, number: ScalarValue, out: &mut Vec<u8>) {
    match dtype {
        Dtype::Bool => out.push(number.is_true().into()),
        Dtype::U8 | Dtype::I8 => out.push(number.int() as u8),
        Dtype::I16 => out.extend_from_slice(&(number.int() as i16).to_le_bytes()),
        Dtype::I32 => out.extend_from_slice(&(number.int() as i32).to_le_bytes()),
        Dtype::I64 => out.extend_from_slice(&number.int().to_le_bytes()),
        Dtype::F32 => out.extend_from_slice(&single(number).to_le_bytes()),
        Dtype::F64 => out.extend_from_slice(&number.float().to_le_bytes()),
        Dtype::F16 => ArrayElementType::F16.encode(single(number).into(), out),
        Dtype::BF16 => ArrayElementType::BF16.encode(single(number).into(), out),
        Dtype::C64 => {
            let (real, imaginary) = number.complex();
            out.extend_from_slice(&(real as f32).to_le_bytes());
            out.extend_from_slice(&(imaginary as f32).to_le_bytes());
        }
        Dtype::C128 => {
            let (real, imaginary) = number.complex();
            out.extend_from_slice(&real.to_le_bytes());
            out.extend_from_slice(&imaginary.to_le_bytes());
        }
    }
}

/// An integer goes to `float32` at once: by way of `float64` it would be rounded twice.
fn single(number: ScalarValue) -> f32 {
    match number {
        ScalarValue::Int(number) => number as f32,
        other => other.float() as f32,
    }
}

/// The number that an element of this type would have.
pub(crate) fn cast(dtype: Dtype, number: ScalarValue) -> ScalarValue {
    match (dtype, number) {
        (Dtype::F64, _) => ScalarValue::Float(number.float()),
        (Dtype::F32, _) => ScalarValue::Float(single(number).into()),
        (Dtype::I64, ScalarValue::Float(float)) => ScalarValue::Int(truncate(float)),
        _ => {
            let mut bytes = Vec::with_capacity(dtype.bytes());
            encode(dtype, number, &mut bytes);
            decode(dtype, &bytes)
        }
    }
}
