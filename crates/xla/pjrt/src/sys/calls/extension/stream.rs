//! The extension Stream.

use crate::sys::CallError;
use crate::sys::bindings::*;
use crate::sys::calls::Handle;

/// The stream of a device on which other libraries wait.
pub(crate) fn of_device(device: &Handle<PJRT_Device>) -> Result<isize, CallError> {
    let mut arguments = device.api().record::<PJRT_Get_Stream_For_External_Ready_Events_Args>();
    arguments.device = device.raw();
    // SAFETY: the device is alive.
    unsafe { device.api().call_extension(&mut arguments) }?;
    Ok(arguments.stream)
}

/// Has a stream wait until a buffer is ready.
///
/// # Safety
/// The stream is one of the plug-in of the buffer.
pub(crate) unsafe fn wait_for(
    stream: isize,
    buffer: &Handle<PJRT_Buffer>,
) -> Result<(), CallError> {
    let mut arguments = buffer.api().record::<PJRT_Wait_Until_Buffer_Ready_On_Stream_Args>();
    arguments.stream = stream;
    arguments.buffer = buffer.raw();
    // SAFETY: the buffer is alive; the caller vouches for the stream.
    unsafe { buffer.api().call_extension(&mut arguments) }
}

/// As [`wait_for`], for the stream of a device of the same client.
pub(crate) fn wait_on_device(
    device: &Handle<PJRT_Device>,
    buffer: &Handle<PJRT_Buffer>,
) -> Result<(), crate::host::Error> {
    crate::host::Error::same_client(device, buffer)?;
    let stream = of_device(device)?;
    // SAFETY: the plug-in has just named the stream.
    unsafe { wait_for(stream, buffer) }.map_err(Into::into)
}
