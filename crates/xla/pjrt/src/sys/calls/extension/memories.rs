//! The extension MemoryDescriptions.

use crate::host::Error;
use crate::sys::bindings::*;
use crate::sys::calls::Handle;
use crate::sys::calls::read::{self, list, text};

/// The kind of one memory that a device has: its name and its number.
pub(crate) type MemoryKindId = (String, i32);

/// The memories of a device that may only be described, and the place of the default one.
pub(crate) fn described(
    device: &Handle<PJRT_DeviceDescription>,
) -> Result<(Vec<MemoryKindId>, Option<usize>), Error> {
    let function = "PJRT_DeviceDescription_MemoryDescriptions";
    let api = device.api();
    let mut arguments = api.record::<PJRT_DeviceDescription_MemoryDescriptions_Args>();
    arguments.device_description = device.raw();
    // SAFETY: the description is alive.
    unsafe { api.call_extension(&mut arguments) }?;
    let (start, count) = (arguments.memory_descriptions, arguments.num_memory_descriptions);
    // SAFETY: the plug-in says that so many are there, as long as the description of the device.
    let found = unsafe { list(function, start, count) }?;
    let kind = |memory: *const PJRT_MemoryDescription| {
        let memory = read::some(function, memory.cast_mut())?;
        let mut arguments = api.record::<PJRT_MemoryDescription_Kind_Args>();
        arguments.memory_description = memory.as_ptr();
        // SAFETY: the memory's description is alive.
        unsafe { api.call_extension(&mut arguments) }?;
        // SAFETY: the plug-in says that the text is there.
        Ok((unsafe { text(arguments.kind, arguments.kind_size) }, arguments.kind_id))
    };
    let kinds: Result<Vec<MemoryKindId>, Error> = found.into_iter().map(kind).collect();
    // A device without a default memory has the place -1.
    let default = Some(arguments.default_memory_index).filter(|&at| at < count);
    Ok((kinds?, default))
}
