//! Buffers: arrays on devices.

use std::sync::Arc;

use super::{Device, Error, Event, Memory, Pending};
use crate::sys::bindings::{PJRT_Buffer, PJRT_Buffer_Type as ElementType};
use crate::sys::calls::element::Element;
use crate::sys::calls::{Owned, buffer, contents, host_data};

/// An array in a memory of a device. Its memory is freed when it is dropped, once nothing that is under
/// way needs it.
#[derive(Debug)]
pub struct Buffer {
    raw: Owned<PJRT_Buffer>,
}

impl Buffer {
    pub(crate) fn new(raw: Owned<PJRT_Buffer>) -> Self {
        Self { raw }
    }

    pub(crate) fn raw(&self) -> &Owned<PJRT_Buffer> {
        &self.raw
    }

    /// Its address, for calls through [`Plugin::api`](super::Plugin::api) that this API does not have.
    /// It is valid as long as this lives.
    pub fn address(&self) -> *mut std::ffi::c_void {
        self.raw.raw().cast()
    }

    /// The type of its elements.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn element_type(&self) -> Result<ElementType, Error> {
        buffer::element_type(&self.raw).map_err(Into::into)
    }

    /// Sizes from the outermost dimension to the innermost; empty for a scalar.
    pub fn dimensions(&self) -> Result<Vec<i64>, Error> {
        buffer::dimensions(&self.raw)
    }

    /// Its dimensions without the padding of dynamic ones.
    pub fn unpadded_dimensions(&self) -> Result<Vec<i64>, Error> {
        buffer::unpadded_dimensions(&self.raw)
    }

    /// Which of its dimensions are dynamic.
    pub fn dynamic_dimensions(&self) -> Result<Vec<usize>, Error> {
        buffer::dynamic_dimensions(&self.raw)
    }

    /// The order of its dimensions in memory, from the one whose neighbours lie closest; none if it is
    /// laid out by strides.
    pub fn minor_to_major(&self) -> Result<Option<Vec<i64>>, Error> {
        buffer::minor_to_major(&self.raw).map_err(Into::into)
    }

    /// Its size on its device, in bytes.
    pub fn on_device_size(&self) -> Result<usize, Error> {
        buffer::on_device_size(&self.raw).map_err(Into::into)
    }

    /// The device whose memory the buffer is in.
    pub fn device(&self) -> Result<Device, Error> {
        buffer::device(&self.raw).map(Device::new)
    }

    /// The memory space that the buffer is in.
    pub fn memory(&self) -> Result<Memory, Error> {
        buffer::memory(&self.raw).map(Memory::new)
    }

    /// Whether the host could read its memory directly.
    pub fn is_on_cpu(&self) -> Result<bool, Error> {
        buffer::is_on_cpu(&self.raw).map_err(Into::into)
    }

    /// An event for when its contents are there.
    pub fn ready(&self) -> Result<Event, Error> {
        buffer::ready_event(&self.raw).map(Event::new)
    }

    /// Frees its memory now; every later use is an error.
    pub fn delete(&self) -> Result<(), Error> {
        buffer::delete(&self.raw).map_err(Into::into)
    }

    /// Whether it was deleted, or donated to an execution.
    pub fn is_deleted(&self) -> Result<bool, Error> {
        buffer::is_deleted(&self.raw).map_err(Into::into)
    }

    /// Its contents as bytes, dense and in row-major order; waits until they are there.
    pub fn to_host(&self) -> Result<Vec<u8>, Error> {
        host_data::to_host(&self.raw)?.wait()
    }

    /// Its contents as bytes, later.
    pub fn to_host_async(&self) -> Result<Pending<Vec<u8>>, Error> {
        let incoming = host_data::to_host(&self.raw)?;
        let (pending, finish) = Pending::new();
        incoming.when_ready(finish);
        Ok(pending)
    }

    /// Its contents where they lie, later: dense and in row-major order, and without a copy. None if they do not
    /// lie so, or not where the host can read them; what can be done then is [`Buffer::to_host_async`].
    ///
    /// A program that the buffer is donated to meanwhile gets a copy of it, or is refused.
    pub fn contents(self: &Arc<Self>) -> Result<Option<Pending<Contents>>, Error> {
        let (pending, finish) = Pending::new();
        let begun = contents::when_ready(self, |found| finish(found.map(Contents)))?;
        Ok(begun.then_some(pending))
    }

    /// Its elements, in row-major order; waits until they are there.
    ///
    /// # Errors
    /// [`Error::OtherType`] if it holds elements of another type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        let found = self.element_type()?;
        if found != T::TYPE {
            return Err(Error::OtherType { wanted: T::TYPE.label(), found: found.label() });
        }
        Ok(T::from_bytes(&self.to_host()?))
    }

    /// So many of its bytes as they lie on the device, from `offset` on. Since 0.57.
    ///
    /// # Errors
    /// [`Error::Range`] if there are not so many.
    pub fn raw_bytes(&self, offset: usize, size: usize) -> Result<Pending<Vec<u8>>, Error> {
        let incoming = host_data::raw_to_host(&self.raw, offset, size)?;
        let (pending, finish) = Pending::new();
        incoming.when_ready(finish);
        Ok(pending)
    }

    /// A copy of it on another device of the same client.
    pub fn copy_to_device(&self, device: &Device) -> Result<Self, Error> {
        buffer::copy_to_device(&self.raw, &device.raw).map(Self::new)
    }

    /// A copy of it in another memory of the same client. Since 0.32.
    pub fn copy_to_memory(&self, memory: &Memory) -> Result<Self, Error> {
        buffer::copy_to_memory(&self.raw, &memory.raw).map(Self::new)
    }

    /// The same memory as a buffer of another type and shape. Since 0.98.
    pub fn bitcast(&self, element_type: ElementType, dims: &[i64]) -> Result<Self, Error> {
        buffer::bitcast(&self.raw, element_type, dims).map(Self::new)
    }

    /// The address of its memory on its device. Nothing keeps that memory alive but the buffer itself
    /// and [`Buffer::hold_for_others`].
    pub fn device_address(&self) -> Result<usize, Error> {
        buffer::unsafe_pointer(&self.raw).map_err(Into::into)
    }

    /// Keeps its memory alive for another library, and undonated, until the guard is dropped; with the
    /// address of that memory.
    pub fn hold_for_others(&self) -> Result<ExternalReference<'_>, Error> {
        buffer::increase_references(&self.raw)?;
        let mut held = ExternalReference { buffer: self, address: 0 };
        held.address = buffer::opaque_pointer(&self.raw)?;
        Ok(held)
    }
}

/// The contents of a buffer where they lie: its memory stays as it is as long as this is there, whatever becomes
/// of the buffer.
#[derive(Debug)]
pub struct Contents(contents::Contents);

impl AsRef<[u8]> for Contents {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Keeps the memory of a buffer alive for another library.
#[derive(Debug)]
pub struct ExternalReference<'a> {
    buffer: &'a Buffer,
    address: usize,
}

impl ExternalReference<'_> {
    /// The address of the memory on its device.
    pub fn address(&self) -> usize {
        self.address
    }
}

impl Drop for ExternalReference<'_> {
    fn drop(&mut self) {
        // There is nobody to tell of an error.
        let _ = buffer::decrease_references(&self.buffer.raw);
    }
}
