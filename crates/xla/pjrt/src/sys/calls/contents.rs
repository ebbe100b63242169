//! Contents of buffers, read where a plug-in for CPUs keeps them.

use std::ptr::NonNull;
use std::sync::Arc;

use super::order::Turn;
use super::{buffer, event, host_data};
use crate::host::{Buffer, Error, host_bytes};

/// A reference from outside to a buffer: as long as it is held, the memory is neither freed, moved nor given away.
#[derive(Debug)]
struct BufferReference(Arc<Buffer>);

impl BufferReference {
    /// Takes one, if the plug-in has such references.
    fn take(of: &Arc<Buffer>) -> Option<Self> {
        buffer::increase_references(of.raw()).ok().map(|()| Self(Arc::clone(of)))
    }
}

impl Drop for BufferReference {
    fn drop(&mut self) {
        // There is nobody to tell of an error.
        let _ = buffer::decrease_references(self.0.raw());
    }
}

/// The memory of a buffer that is ready, to be read.
#[derive(Debug)]
pub(crate) struct Contents {
    first: NonNull<u8>,
    size: usize,
    _held: BufferReference,
}

// SAFETY: the memory is only read, and the reference to the buffer may be given back from any thread.
unsafe impl Send for Contents {}
// SAFETY: as above.
unsafe impl Sync for Contents {}

impl Contents {
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the plug-in said that so many bytes are there, and neither frees nor writes them while the
        // reference is held.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.size) }
    }
}

/// The size of a buffer that lies on the host as it would be copied: row by row, each element in whole bytes.
fn size_as_copied(of: &Buffer) -> Result<Option<usize>, Error> {
    let raw = of.raw();
    if !buffer::is_on_cpu(raw).unwrap_or(false) || Turn::from_buffer(raw)?.is_some() {
        return Ok(None);
    }
    let element = buffer::element_type(raw)?;
    let size = host_bytes(element, &buffer::dimensions(raw)?, None)?;
    let whole = element.bits().is_some_and(|bits| bits >= 8);
    let there = buffer::on_device_size(raw)?;
    Ok((whole && there == size && host_data::host_size(raw)? == size).then_some(size))
}

/// Has `then` called with the contents of a buffer once they are there. Whether it will be: not if they do not
/// lie on the host as they would be copied, or the plug-in cannot hold them there.
pub(crate) fn when_ready(
    of: &Arc<Buffer>,
    then: impl FnOnce(Result<Contents, Error>) + Send + 'static,
) -> Result<bool, Error> {
    let Some(size) = size_as_copied(of)? else { return Ok(false) };
    let ready = buffer::ready_event(of.raw())?;
    let Some(held) = BufferReference::take(of) else { return Ok(false) };
    let found = move |done: Result<(), _>| {
        done?;
        let address = buffer::opaque_pointer(held.0.raw())?;
        let first = NonNull::new(std::ptr::with_exposed_provenance_mut(address));
        let function = "PJRT_Buffer_OpaqueDeviceMemoryDataPointer";
        let first =
            first.or((size == 0).then(NonNull::dangling)).ok_or(Error::Null { function })?;
        Ok(Contents { first, size, _held: held })
    };
    event::when_ready(&ready, Box::new(move |done| then(found(done))));
    Ok(true)
}
