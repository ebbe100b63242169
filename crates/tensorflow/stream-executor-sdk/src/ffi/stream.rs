//! Memory, streams, events and timers of a device: the functions of `SP_StreamExecutor`, but for copies.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use unskew_stream_executor::bindings as c;
use unskew_stream_executor::layout::{NEWEST, Structure};

use super::status::{answer, answer_or};
use super::{Callback, copies, device, structs};
use crate::{Device, Error, EventStatus, Memory};

/// What an `SP_Stream` points to. Kernels get nothing else of the device.
pub(super) struct StreamState<D: Device> {
    pub(super) device: Arc<D>,
    pub(super) stream: D::Stream,
}

pub(super) fn functions<D: Device>() -> c::SP_StreamExecutor {
    c::SP_StreamExecutor {
        struct_size: structs::size_of_newest(Structure::SP_StreamExecutor),
        ext: null_mut(),
        allocate: Some(allocate::<D>),
        deallocate: Some(deallocate::<D>),
        host_memory_allocate: Some(host_memory_allocate::<D>),
        host_memory_deallocate: Some(host_memory_deallocate::<D>),
        unified_memory_allocate: Some(unified_memory_allocate::<D>),
        unified_memory_deallocate: Some(unified_memory_deallocate::<D>),
        get_allocator_stats: Some(get_allocator_stats::<D>),
        device_memory_usage: Some(device_memory_usage::<D>),
        create_stream: Some(create_stream::<D>),
        destroy_stream: Some(destroy_stream::<D>),
        create_stream_dependency: Some(create_stream_dependency::<D>),
        get_stream_status: Some(get_stream_status::<D>),
        create_event: Some(create_event::<D>),
        destroy_event: Some(destroy_event::<D>),
        get_event_status: Some(get_event_status::<D>),
        record_event: Some(record_event::<D>),
        wait_for_event: Some(wait_for_event::<D>),
        create_timer: Some(create_timer::<D>),
        destroy_timer: Some(destroy_timer::<D>),
        start_timer: Some(start_timer::<D>),
        stop_timer: Some(stop_timer::<D>),
        memcpy_dtoh: Some(copies::memcpy_dtoh::<D>),
        memcpy_htod: Some(copies::memcpy_htod::<D>),
        memcpy_dtod: Some(copies::memcpy_dtod::<D>),
        sync_memcpy_dtoh: Some(copies::sync_memcpy_dtoh::<D>),
        sync_memcpy_htod: Some(copies::sync_memcpy_htod::<D>),
        sync_memcpy_dtod: Some(copies::sync_memcpy_dtod::<D>),
        block_host_for_event: Some(block_host_for_event::<D>),
        block_host_until_done: Some(block_host_until_done::<D>),
        synchronize_all_activity: Some(synchronize_all_activity::<D>),
        mem_zero: Some(copies::mem_zero::<D>),
        memset: Some(copies::memset::<D>),
        memset32: Some(copies::memset32::<D>),
        host_callback: Some(host_callback::<D>),
    }
}

/// The device that a host means.
///
/// # Safety
/// As [`device::state`].
pub(super) unsafe fn device_of<'a, D: Device>(at: *const c::SP_Device) -> Result<&'a D, Error> {
    // SAFETY: the caller says so.
    Ok(&unsafe { device::state::<D>(at) }?.device)
}

/// What a handle stands for.
///
/// # Safety
/// `handle` is null or one that this plug-in made of a `T`, and alive.
unsafe fn known<'a, T, H>(handle: *mut H, kind: &str) -> Result<&'a T, Error> {
    // SAFETY: the caller says so.
    unsafe { handle.cast::<T>().as_ref() }
        .ok_or_else(|| Error::invalid(format!("the host handed out no {kind}")))
}

/// The stream that a host means.
///
/// # Safety
/// `stream` is null or one that this plug-in made, and alive.
pub(super) unsafe fn stream_of<'a, D: Device>(
    stream: c::SP_Stream,
) -> Result<&'a StreamState<D>, Error> {
    // SAFETY: the caller says so.
    unsafe { known(stream, "stream") }
}

unsafe extern "C" fn allocate<D: Device>(
    at: *const c::SP_Device,
    bytes: u64,
    space: i64,
    memory: *mut c::SP_DeviceMemoryBase,
) {
    answer_or("allocate", (), || {
        // SAFETY: the host hands out a device that was filled in.
        let found = unsafe { device_of::<D>(at) }?.allocate(bytes, space);
        let found = found.unwrap_or(Memory { address: null_mut(), bytes: 0, payload: 0 });
        // SAFETY: the host hands out the struct to be filled in.
        let mut writer = unsafe { structs::writer(memory, Structure::SP_DeviceMemoryBase, NEWEST) }
            .inspect_err(|_| give_back::<D>(at, found))?;
        for set in [
            writer.set_named("opaque", found.address),
            writer.set_named("size", found.bytes),
            writer.set_named("payload", found.payload),
        ] {
            set.map_err(|absent| {
                give_back::<D>(at, found);
                Error::invalid(absent.to_string())
            })?;
        }
        Ok(())
    });
}

/// Memory that the host has no room to be told of.
fn give_back<D: Device>(at: *const c::SP_Device, memory: Memory) {
    // SAFETY: the caller has looked at the device before.
    if let Ok(device) = unsafe { device_of::<D>(at) }
        && !memory.address.is_null()
    {
        device.deallocate(memory);
    }
}

unsafe extern "C" fn deallocate<D: Device>(
    at: *const c::SP_Device,
    memory: *mut c::SP_DeviceMemoryBase,
) {
    answer_or("deallocate", (), || {
        // SAFETY: the host hands out a device that was filled in, and memory that it got.
        let memory = unsafe { copies::memory_of(memory) }?;
        if !memory.address.is_null() {
            // SAFETY: as above.
            unsafe { device_of::<D>(at) }?.deallocate(memory);
        }
        Ok(())
    });
}

unsafe extern "C" fn host_memory_allocate<D: Device>(
    at: *const c::SP_Device,
    bytes: u64,
) -> *mut c_void {
    // SAFETY: the host hands out a device that was filled in.
    let found = || Ok(unsafe { device_of::<D>(at) }?.allocate_host(bytes).unwrap_or(null_mut()));
    answer_or("host_memory_allocate", null_mut(), found)
}

unsafe extern "C" fn host_memory_deallocate<D: Device>(
    at: *const c::SP_Device,
    memory: *mut c_void,
) {
    // SAFETY: as above.
    let free = || unsafe { device_of::<D>(at) }.map(|device| device.deallocate_host(memory));
    answer_or("host_memory_deallocate", (), free);
}

unsafe extern "C" fn unified_memory_allocate<D: Device>(
    at: *const c::SP_Device,
    bytes: u64,
) -> *mut c_void {
    // SAFETY: as above.
    let found = || Ok(unsafe { device_of::<D>(at) }?.allocate_unified(bytes).unwrap_or(null_mut()));
    answer_or("unified_memory_allocate", null_mut(), found)
}

unsafe extern "C" fn unified_memory_deallocate<D: Device>(
    at: *const c::SP_Device,
    memory: *mut c_void,
) {
    // SAFETY: as above.
    let free = || unsafe { device_of::<D>(at) }.map(|device| device.deallocate_unified(memory));
    answer_or("unified_memory_deallocate", (), free);
}

unsafe extern "C" fn get_allocator_stats<D: Device>(
    at: *const c::SP_Device,
    stats: *mut c::SP_AllocatorStats,
) -> u8 {
    answer_or("get_allocator_stats", 0, || {
        // SAFETY: as above.
        let Some(found) = unsafe { device_of::<D>(at) }?.statistics() else { return Ok(0) };
        let value = c::SP_AllocatorStats {
            struct_size: structs::size_of_newest(Structure::SP_AllocatorStats),
            num_allocs: found.allocations,
            bytes_in_use: found.in_use,
            peak_bytes_in_use: found.peak_in_use,
            largest_alloc_size: found.largest,
            has_bytes_limit: i8::from(found.limit.is_some()),
            bytes_limit: found.limit.unwrap_or(0),
            bytes_reserved: found.reserved,
            peak_bytes_reserved: found.peak_reserved,
            has_bytes_reservable_limit: i8::from(found.reservable_limit.is_some()),
            bytes_reservable_limit: found.reservable_limit.unwrap_or(0),
            largest_free_block_bytes: found.largest_free,
        };
        // SAFETY: the host hands out the struct to be filled in.
        unsafe { structs::fill(stats, &value, Structure::SP_AllocatorStats, NEWEST) }?;
        Ok(1)
    })
}

unsafe extern "C" fn device_memory_usage<D: Device>(
    at: *const c::SP_Device,
    free: *mut i64,
    total: *mut i64,
) -> u8 {
    answer_or("device_memory_usage", 0, || {
        // SAFETY: as above.
        let Some(usage) = unsafe { device_of::<D>(at) }?.usage() else { return Ok(0) };
        // SAFETY: the host hands out places for both.
        unsafe {
            *free = usage.free;
            *total = usage.total;
        }
        Ok(1)
    })
}

unsafe extern "C" fn create_stream<D: Device>(
    at: *const c::SP_Device,
    stream: *mut c::SP_Stream,
    status: *mut c::TF_Status,
) {
    answer("create_stream", status, || {
        // SAFETY: the host hands out a device that was filled in, and a place for the handle.
        unsafe {
            let device = Arc::clone(&device::state::<D>(at)?.device);
            let made = device.stream()?;
            *stream = Box::into_raw(Box::new(StreamState { device, stream: made })).cast();
        }
        Ok(())
    });
}

/// Frees what a handle stands for.
///
/// # Safety
/// `handle` is null or one that this plug-in made of a `T`, and comes back once.
unsafe fn destroy<T, H>(place: &str, handle: *mut H) {
    answer_or(place, (), || {
        if !handle.is_null() {
            // SAFETY: the caller says so.
            drop(unsafe { Box::from_raw(handle.cast::<T>()) });
        }
        Ok(())
    });
}

unsafe extern "C" fn destroy_stream<D: Device>(_: *const c::SP_Device, stream: c::SP_Stream) {
    // SAFETY: the host gives back each stream once.
    unsafe { destroy::<StreamState<D>, _>("destroy_stream", stream) }
}

unsafe extern "C" fn create_stream_dependency<D: Device>(
    at: *const c::SP_Device,
    dependent: c::SP_Stream,
    other: c::SP_Stream,
    status: *mut c::TF_Status,
) {
    answer("create_stream_dependency", status, || {
        // SAFETY: the host hands out its device and streams of it.
        unsafe {
            let (dependent, other) = (stream_of::<D>(dependent)?, stream_of::<D>(other)?);
            device_of::<D>(at)?.wait_for_stream(&dependent.stream, &other.stream)
        }
    });
}

unsafe extern "C" fn get_stream_status<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    status: *mut c::TF_Status,
) {
    answer("get_stream_status", status, || {
        // SAFETY: as above.
        unsafe { device_of::<D>(at)?.stream_status(&stream_of::<D>(stream)?.stream) }
    });
}

unsafe extern "C" fn create_event<D: Device>(
    at: *const c::SP_Device,
    event: *mut c::SP_Event,
    status: *mut c::TF_Status,
) {
    answer("create_event", status, || {
        // SAFETY: the host hands out a device that was filled in, and a place for the handle.
        unsafe { *event = Box::into_raw(Box::new(device_of::<D>(at)?.event()?)).cast() };
        Ok(())
    });
}

unsafe extern "C" fn destroy_event<D: Device>(_: *const c::SP_Device, event: c::SP_Event) {
    // SAFETY: the host gives back each event once.
    unsafe { destroy::<D::Event, _>("destroy_event", event) }
}

unsafe extern "C" fn get_event_status<D: Device>(
    at: *const c::SP_Device,
    event: c::SP_Event,
) -> c::SE_EventStatus {
    answer_or("get_event_status", c::SE_EventStatus::ERROR, || {
        // SAFETY: the host hands out its device and an event of it.
        let status = unsafe { device_of::<D>(at)?.event_status(known(event, "event")?) };
        Ok(match status {
            EventStatus::Failed => c::SE_EventStatus::ERROR,
            EventStatus::Pending => c::SE_EventStatus::PENDING,
            EventStatus::Complete => c::SE_EventStatus::COMPLETE,
        })
    })
}

unsafe extern "C" fn record_event<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    event: c::SP_Event,
    status: *mut c::TF_Status,
) {
    answer("record_event", status, || {
        // SAFETY: as above.
        unsafe {
            let stream = stream_of::<D>(stream)?;
            device_of::<D>(at)?.record(&stream.stream, known(event, "event")?)
        }
    });
}

unsafe extern "C" fn wait_for_event<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    event: c::SP_Event,
    status: *mut c::TF_Status,
) {
    answer("wait_for_event", status, || {
        // SAFETY: as above.
        unsafe {
            let stream = stream_of::<D>(stream)?;
            device_of::<D>(at)?.wait_for_event(&stream.stream, known(event, "event")?)
        }
    });
}

unsafe extern "C" fn block_host_for_event<D: Device>(
    at: *const c::SP_Device,
    event: c::SP_Event,
    status: *mut c::TF_Status,
) {
    answer("block_host_for_event", status, || {
        // SAFETY: as above.
        unsafe { device_of::<D>(at)?.block_for_event(known(event, "event")?) }
    });
}

unsafe extern "C" fn block_host_until_done<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    status: *mut c::TF_Status,
) {
    answer("block_host_until_done", status, || {
        // SAFETY: as above.
        unsafe { device_of::<D>(at)?.finish(&stream_of::<D>(stream)?.stream) }
    });
}

unsafe extern "C" fn synchronize_all_activity<D: Device>(
    at: *const c::SP_Device,
    status: *mut c::TF_Status,
) {
    // SAFETY: as above.
    answer("synchronize_all_activity", status, || unsafe { device_of::<D>(at) }?.finish_all());
}

unsafe extern "C" fn host_callback<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    function: c::SE_StatusCallbackFn,
    argument: *mut c_void,
) -> u8 {
    answer_or("host_callback", 0, || {
        let callback = Callback { function, argument };
        // SAFETY: as above.
        unsafe { device_of::<D>(at)?.call_back(&stream_of::<D>(stream)?.stream, callback) }?;
        Ok(1)
    })
}

unsafe extern "C" fn create_timer<D: Device>(
    at: *const c::SP_Device,
    timer: *mut c::SP_Timer,
    status: *mut c::TF_Status,
) {
    answer("create_timer", status, || {
        // SAFETY: the host hands out a device that was filled in, and a place for the handle.
        unsafe { *timer = Box::into_raw(Box::new(device_of::<D>(at)?.timer()?)).cast() };
        Ok(())
    });
}

unsafe extern "C" fn destroy_timer<D: Device>(_: *const c::SP_Device, timer: c::SP_Timer) {
    // SAFETY: the host gives back each timer once.
    unsafe { destroy::<D::Timer, _>("destroy_timer", timer) }
}

unsafe extern "C" fn start_timer<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    timer: c::SP_Timer,
    status: *mut c::TF_Status,
) {
    answer("start_timer", status, || {
        // SAFETY: as above.
        unsafe {
            let stream = stream_of::<D>(stream)?;
            device_of::<D>(at)?.start_timer(&stream.stream, known(timer, "timer")?)
        }
    });
}

unsafe extern "C" fn stop_timer<D: Device>(
    at: *const c::SP_Device,
    stream: c::SP_Stream,
    timer: c::SP_Timer,
    status: *mut c::TF_Status,
) {
    answer("stop_timer", status, || {
        // SAFETY: as above.
        unsafe {
            let stream = stream_of::<D>(stream)?;
            device_of::<D>(at)?.stop_timer(&stream.stream, known(timer, "timer")?)
        }
    });
}
