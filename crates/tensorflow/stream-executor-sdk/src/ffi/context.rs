//! Context of a kernel that computes: inputs, outputs, the stream.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr::null_mut;

use super::framework::{self, TF_OpKernelContext};
use super::status::Status;
use super::stream::{self, StreamState};
use super::tensor::Tensor;
use crate::{DataType, Device, Error};

/// One execution of an operation.
pub struct Context<'a, D> {
    pub(super) raw: *mut TF_OpKernelContext,
    device: PhantomData<&'a D>,
}

impl<D: Device> Context<'_, D> {
    /// # Safety
    /// `raw` is what the host passed to a kernel of a device of this kind, and alive for as long as this
    /// value.
    pub(super) unsafe fn new(raw: *mut TF_OpKernelContext) -> Self {
        Self { raw, device: PhantomData }
    }

    pub(super) fn fail(&self, error: &Error) {
        let status = Status::from(error);
        // SAFETY: both are alive.
        unsafe { framework::TF_OpKernelContext_Failure(self.raw, status.raw()) }
    }

    /// How many inputs the operation has.
    pub fn inputs(&self) -> usize {
        // SAFETY: the context is alive.
        usize::try_from(unsafe { framework::TF_NumInputs(self.raw) }).unwrap_or(0)
    }

    /// How many outputs it has.
    pub fn outputs(&self) -> usize {
        // SAFETY: the context is alive.
        usize::try_from(unsafe { framework::TF_NumOutputs(self.raw) }).unwrap_or(0)
    }

    /// An input.
    ///
    /// # Errors
    /// If there is no such input.
    pub fn input(&self, index: usize) -> Result<Tensor, Error> {
        let (index, status) = (number(index), Status::new());
        let mut tensor = null_mut();
        // SAFETY: the context is alive, and there is a place for the tensor.
        unsafe { framework::TF_GetInput(self.raw, index, &raw mut tensor, status.raw()) };
        status.result()?;
        // SAFETY: the host made the object for the caller.
        unsafe { Tensor::own(tensor) }
    }

    /// The type that an output has to have.
    ///
    /// # Errors
    /// If there is no such output.
    pub fn output_type(&self, index: usize) -> Result<DataType, Error> {
        if index >= self.outputs() {
            return Err(Error::invalid(format!("the operation has no output {index}")));
        }
        // SAFETY: the context is alive, and the index is one of an output: the host ends the process over
        // any other.
        Ok(DataType(unsafe { framework::TF_ExpectedOutputDataType(self.raw, number(index)) }))
    }

    /// Makes an output of this shape.
    ///
    /// # Errors
    /// If the device has not so much memory, there is no such output, or its elements have no size.
    pub fn allocate_output(&self, index: usize, dims: &[i64]) -> Result<Tensor, Error> {
        let data_type = self.output_type(index)?;
        let each = data_type.bytes().ok_or_else(|| {
            Error::unimplemented(format!("outputs of the type {} have no size", data_type.0))
        })?;
        let bytes =
            dims.iter().try_fold(each, |bytes, dim| bytes.checked_mul(usize::try_from(*dim).ok()?));
        let bytes = bytes.ok_or_else(|| Error::invalid(format!("no shape: {dims:?}")))?;
        let (rank, status) = (number(dims.len()), Status::new());
        // SAFETY: the context is alive, and the dimensions are as many as the rank says.
        let tensor = unsafe {
            let (index, dims) = (number(index), dims.as_ptr());
            framework::TF_AllocateOutput(
                self.raw,
                index,
                data_type.0,
                dims,
                rank,
                bytes,
                status.raw(),
            )
        };
        status.result()?;
        // SAFETY: the host made the object for the caller.
        unsafe { Tensor::own(tensor) }
    }

    /// Makes an output of this shape out of one of the inputs, if nobody else needs that one any more, and
    /// a new one otherwise.
    ///
    /// # Errors
    /// As [`Context::allocate_output`].
    pub fn forward_or_allocate(
        &self,
        inputs: &[usize],
        index: usize,
        dims: &[i64],
    ) -> Result<Tensor, Error> {
        self.output_type(index)?;
        let candidates: Vec<c_int> = inputs.iter().map(|input| number(*input)).collect();
        let (count, rank) = (number(candidates.len()), number(dims.len()));
        let (mut forwarded, status) = (-1, Status::new());
        // SAFETY: the context is alive, and both lists have as many numbers as is said.
        let tensor = unsafe {
            let (candidates, dims) = (candidates.as_ptr(), dims.as_ptr());
            let (index, forwarded) = (number(index), &raw mut forwarded);
            framework::TF_ForwardInputOrAllocateOutput(
                self.raw,
                candidates,
                count,
                index,
                dims,
                rank,
                forwarded,
                status.raw(),
            )
        };
        status.result()?;
        // SAFETY: the host made the object for the caller.
        unsafe { Tensor::own(tensor) }
    }

    /// Makes a tensor the output.
    ///
    /// # Errors
    /// If there is no such output, or it has another type.
    pub fn set_output(&self, index: usize, tensor: &Tensor) -> Result<(), Error> {
        if tensor.data_type() != self.output_type(index)? {
            return Err(Error::invalid(format!("output {index} has another type")));
        }
        let status = Status::new();
        // SAFETY: the context and the tensor are alive; the host takes a share of its own.
        unsafe { framework::TF_SetOutput(self.raw, number(index), tensor.raw(), status.raw()) };
        status.result()
    }

    fn stream_state(&self) -> Result<&StreamState<D>, Error> {
        let status = Status::new();
        // SAFETY: the context is alive.
        let stream = unsafe { framework::TF_GetStream(self.raw, status.raw()) };
        status.result()?;
        // SAFETY: kernels are registered for devices of this plug-in only, so that the stream is one of
        // theirs; it lives as long as the device computes.
        unsafe { stream::stream_of(stream) }
    }

    /// The stream on which the device has to compute.
    ///
    /// # Errors
    /// If the host has none.
    pub fn stream(&self) -> Result<&D::Stream, Error> {
        Ok(&self.stream_state()?.stream)
    }

    /// The device.
    ///
    /// # Errors
    /// As [`Context::stream`].
    pub fn device(&self) -> Result<&D, Error> {
        Ok(&self.stream_state()?.device)
    }
}

pub(super) fn number(index: usize) -> c_int {
    c_int::try_from(index).unwrap_or(c_int::MAX)
}
