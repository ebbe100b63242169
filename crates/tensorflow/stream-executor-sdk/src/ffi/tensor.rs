//! Tensors of the host.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::framework::{self, TF_Tensor};
use crate::{DataType, Error};

/// A tensor that a kernel was given, or that it made: a share of it, which ends when this is dropped.
pub struct Tensor(NonNull<TF_Tensor>);

// SAFETY: tensors are counted with atomics by the host, and may go to another thread.
unsafe impl Send for Tensor {}

impl Tensor {
    /// # Safety
    /// `raw` is null or a tensor whose share the caller gives away.
    pub(super) unsafe fn own(raw: *mut TF_Tensor) -> Result<Self, Error> {
        NonNull::new(raw).map(Self).ok_or_else(|| Error::internal("the host gave no tensor"))
    }

    pub(super) fn raw(&self) -> *mut TF_Tensor {
        self.0.as_ptr()
    }

    /// The type of its elements.
    pub fn data_type(&self) -> DataType {
        // SAFETY: the tensor is alive.
        DataType(unsafe { framework::TF_TensorType(self.raw()) })
    }

    /// Its dimensions, the slowest first.
    pub fn dims(&self) -> Vec<i64> {
        // SAFETY: the tensor is alive, and the indices are below its rank.
        unsafe {
            let rank = framework::TF_NumDims(self.raw());
            (0..rank).map(|index| framework::TF_Dim(self.raw(), index)).collect()
        }
    }

    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.dims().iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).product()
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        // SAFETY: the tensor is alive.
        unsafe { framework::TF_TensorByteSize(self.raw()) }
    }

    /// The address of its elements, in device memory unless the kernel was registered with
    /// [`crate::KernelDef::host_memory`] for it. Null for an empty tensor.
    pub fn address(&self) -> *mut c_void {
        // SAFETY: the tensor is alive.
        unsafe { framework::TF_TensorData(self.raw()) }
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: the share is this object's own.
        unsafe { framework::TF_DeleteTensor(self.raw()) }
    }
}
