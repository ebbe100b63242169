//! The elements of a tensor of `float32` as they lie in memory: what calculates fast reads them without a copy, and
//! writes its result where it will stay.

use std::cell::Ref;
use std::ops::Deref;
use std::rc::Rc;

use super::{Storage, Tensor, contiguous_strides, count};
use crate::limits::Meter;
use crate::{Dtype, RunProblem};

/// The elements of a tensor of `float32`, in row-major order.
pub(crate) enum Singles<'t> {
    Borrowed(Ref<'t, [f32]>),
    Gathered(Vec<f32>),
}

impl Deref for Singles<'_> {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        match self {
            Self::Borrowed(numbers) => numbers,
            Self::Gathered(numbers) => numbers,
        }
    }
}

impl Tensor {
    /// The elements from its offset on, whatever its strides; none if they do not lie in memory as numbers.
    pub(crate) fn raw_singles(&self) -> Option<Ref<'_, [f32]>> {
        if self.dtype != Dtype::F32 || cfg!(target_endian = "big") {
            return None;
        }
        let bytes = self.storage.bytes.borrow();
        let from = |bytes: &Vec<u8>| -> Option<std::ops::Range<usize>> {
            let start = (self.offset * 4).min(bytes.len());
            Some(start..bytes.len() - (bytes.len() - start) % 4)
        };
        Ref::filter_map(bytes, |bytes| bytemuck::try_cast_slice(bytes.get(from(bytes)?)?).ok()).ok()
    }

    /// The elements of a tensor of `float32`; none of any other type.
    pub(crate) fn singles(&self) -> Option<Singles<'_>> {
        if self.dtype != Dtype::F32 {
            return None;
        }
        if self.is_contiguous()
            && let Some(raw) = self.raw_singles()
            && let Ok(numbers) = Ref::filter_map(raw, |raw| raw.get(..self.count()))
        {
            return Some(Singles::Borrowed(numbers));
        }
        let mut numbers = Vec::with_capacity(self.count());
        match self.raw_singles() {
            Some(raw) => self.positions(|at| numbers.push(raw[at - self.offset])),
            None => self.each(|element| {
                numbers.push(element.try_into().map_or(f32::NAN, f32::from_le_bytes));
            }),
        }
        Some(Singles::Gathered(numbers))
    }

    /// A new tensor of `float32`, whose elements `fill` writes; they are zero before.
    pub(crate) fn of_singles(
        meter: &Rc<Meter>,
        shape: &[usize],
        fill: impl FnOnce(&mut [f32]),
    ) -> Result<Self, RunProblem> {
        let wanted = count(shape)?;
        meter.work(wanted)?;
        let storage = Storage::zeros(meter, wanted.saturating_mul(4))?;
        {
            let mut bytes = storage.bytes.borrow_mut();
            match bytemuck::try_cast_slice_mut(&mut bytes) {
                Ok(numbers) if cfg!(target_endian = "little") => fill(numbers),
                _ => {
                    let mut numbers = vec![0.0_f32; wanted];
                    fill(&mut numbers);
                    *bytes = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
                }
            }
        }
        Self::over(storage, Dtype::F32, 0, shape.to_vec(), contiguous_strides(shape))
    }
}
