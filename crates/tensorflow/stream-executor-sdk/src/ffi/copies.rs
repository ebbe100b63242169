//! Copies between host and device, and filling: functions of `SP_StreamExecutor`.

use std::ffi::c_void;
use std::ptr::null_mut;

use unskew_stream_executor::bindings as c;
use unskew_stream_executor::layout::{NEWEST, Structure};

use super::status::answer;
use super::stream::{device_of, stream_of};
use super::structs;
use crate::{Device, Error, HostMemory, Memory, Order, Pattern};

/// The memory that a host means.
///
/// # Safety
/// `memory` is null or a struct of the host.
pub(super) unsafe fn memory_of(memory: *const c::SP_DeviceMemoryBase) -> Result<Memory, Error> {
    // SAFETY: the caller says so.
    let reader = unsafe { structs::reader(memory, Structure::SP_DeviceMemoryBase, NEWEST) }?;
    Ok(Memory {
        address: reader.get_named("opaque").unwrap_or(null_mut()),
        bytes: reader.get_named("size").unwrap_or(0),
        payload: reader.get_named("payload").unwrap_or(0),
    })
}

/// When a copy is wanted: a host that names no stream waits for it.
///
/// # Safety
/// `stream` is null or one that this plug-in made, and alive.
unsafe fn order<'a, D: Device>(stream: c::SP_Stream) -> Result<Order<'a, D::Stream>, Error> {
    if stream.is_null() {
        return Ok(Order::Now);
    }
    // SAFETY: the caller says so.
    Ok(Order::On(&unsafe { stream_of::<D>(stream) }?.stream))
}

unsafe fn to_host<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    to: *mut c_void,
    from: *const c::SP_DeviceMemoryBase,
    bytes: u64,
) -> Result<(), Error> {
    // SAFETY: the callers pass on what a host handed out.
    unsafe {
        let to = HostMemory { address: to, bytes };
        device_of::<D>(at)?.copy_to_host(order::<D>(stream)?, to, memory_of(from)?)
    }
}

unsafe fn from_host<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    to: *mut c::SP_DeviceMemoryBase,
    from: *const c_void,
    bytes: u64,
) -> Result<(), Error> {
    // SAFETY: the callers pass on what a host handed out.
    unsafe {
        let from = HostMemory { address: from.cast_mut(), bytes };
        device_of::<D>(at)?.copy_from_host(order::<D>(stream)?, memory_of(to)?, from)
    }
}

unsafe fn within<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    to: *mut c::SP_DeviceMemoryBase,
    from: *const c::SP_DeviceMemoryBase,
    bytes: u64,
) -> Result<(), Error> {
    // SAFETY: the callers pass on what a host handed out.
    unsafe {
        let (to, from) = (memory_of(to)?, memory_of(from)?);
        device_of::<D>(at)?.copy(order::<D>(stream)?, to, from, bytes)
    }
}

pub(super) unsafe extern "C" fn memcpy_dtoh<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    to: *mut c_void,
    from: *const c::SP_DeviceMemoryBase,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    // SAFETY: what a host hands out.
    answer("memcpy_dtoh", status, || unsafe { to_host::<D>(at, stream, to, from, bytes) });
}

pub(super) unsafe extern "C" fn memcpy_htod<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    to: *mut c::SP_DeviceMemoryBase,
    from: *const c_void,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    // SAFETY: what a host hands out.
    answer("memcpy_htod", status, || unsafe { from_host::<D>(at, stream, to, from, bytes) });
}

pub(super) unsafe extern "C" fn memcpy_dtod<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    to: *mut c::SP_DeviceMemoryBase,
    from: *const c::SP_DeviceMemoryBase,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    // SAFETY: what a host hands out.
    answer("memcpy_dtod", status, || unsafe { within::<D>(at, stream, to, from, bytes) });
}

pub(super) unsafe extern "C" fn sync_memcpy_dtoh<D: Device>(
    at: *const c::SP_Device,
    to: *mut c_void,
    from: *const c::SP_DeviceMemoryBase,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    let now = null_mut();
    // SAFETY: what a host hands out.
    answer("sync_memcpy_dtoh", status, || unsafe { to_host::<D>(at, now, to, from, bytes) });
}

pub(super) unsafe extern "C" fn sync_memcpy_htod<D: Device>(
    at: *const c::SP_Device,
    to: *mut c::SP_DeviceMemoryBase,
    from: *const c_void,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    let now = null_mut();
    // SAFETY: what a host hands out.
    answer("sync_memcpy_htod", status, || unsafe { from_host::<D>(at, now, to, from, bytes) });
}

pub(super) unsafe extern "C" fn sync_memcpy_dtod<D: Device>(
    at: *const c::SP_Device,
    to: *mut c::SP_DeviceMemoryBase,
    from: *const c::SP_DeviceMemoryBase,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    let now = null_mut();
    // SAFETY: what a host hands out.
    answer("sync_memcpy_dtod", status, || unsafe { within::<D>(at, now, to, from, bytes) });
}

unsafe fn fill<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    memory: *mut c::SP_DeviceMemoryBase,
    pattern: Pattern,
    bytes: u64,
) -> Result<(), Error> {
    // SAFETY: the callers pass on what a host handed out.
    unsafe {
        let stream = &stream_of::<D>(stream)?.stream;
        device_of::<D>(at)?.fill(stream, memory_of(memory)?, pattern, bytes)
    }
}

pub(super) unsafe extern "C" fn mem_zero<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    memory: *mut c::SP_DeviceMemoryBase,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    let zero = Pattern::Byte(0);
    // SAFETY: what a host hands out.
    answer("mem_zero", status, || unsafe { fill::<D>(at, stream, memory, zero, bytes) });
}

pub(super) unsafe extern "C" fn memset<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    memory: *mut c::SP_DeviceMemoryBase,
    byte: u8,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    let byte = Pattern::Byte(byte);
    // SAFETY: what a host hands out.
    answer("memset", status, || unsafe { fill::<D>(at, stream, memory, byte, bytes) });
}

pub(super) unsafe extern "C" fn memset32<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    memory: *mut c::SP_DeviceMemoryBase,
    word: u32,
    bytes: u64,
    status: *mut c::TF_Status,
) {
    let word = Pattern::Word(word);
    // SAFETY: what a host hands out.
    answer("memset32", status, || unsafe { fill::<D>(at, stream, memory, word, bytes) });
}
