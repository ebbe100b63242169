//! Buffers.

use std::sync::PoisonError;

use unskew_pjrt::sys::bindings::*;

use super::{bytes, object, release, serve, share};
use crate::Error;
use crate::ffi::state::{BufferState, EventState};

serve!(PJRT_Buffer_Destroy_Args, |a, _| {
    release::<BufferState, _>(a.buffer);
});
serve!(PJRT_Buffer_ElementType_Args, |a, _| {
    a.r#type = object::<BufferState, _>(a.buffer)?.shape.element_type;
});
serve!(PJRT_Buffer_Dimensions_Args, |a, _| {
    let dims = &object::<BufferState, _>(a.buffer)?.shape.dims;
    (a.dims, a.num_dims) = (dims.as_ptr(), dims.len());
});
serve!(PJRT_Buffer_UnpaddedDimensions_Args, |a, _| {
    let dims = &object::<BufferState, _>(a.buffer)?.shape.dims;
    (a.unpadded_dims, a.num_dims) = (dims.as_ptr(), dims.len());
});
serve!(PJRT_Buffer_DynamicDimensionIndices_Args, |a, _| {
    object::<BufferState, _>(a.buffer)?;
    (a.dynamic_dim_indices, a.num_dynamic_dims) = (std::ptr::null(), 0);
});
serve!(PJRT_Buffer_GetMemoryLayout_Args, |a, _| {
    let order = &object::<BufferState, _>(a.buffer)?.minor_to_major;
    a.layout.struct_size = size_of::<PJRT_Buffer_MemoryLayout>();
    a.layout.r#type = PJRT_Buffer_MemoryLayout_Type::Tiled;
    a.layout.layout.tiled.struct_size = size_of::<PJRT_Buffer_MemoryLayout_Tiled>();
    a.layout.layout.tiled.minor_to_major = order.as_ptr();
    a.layout.layout.tiled.minor_to_major_size = order.len();
});
serve!(PJRT_Buffer_OnDeviceSizeInBytes_Args, |a, _| {
    a.on_device_size_in_bytes = object::<BufferState, _>(a.buffer)?.stored()?.device_bytes();
});
serve!(PJRT_Buffer_Device_Args, |a, _| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    a.device = buffer.client.devices[buffer.device].own.0;
});
serve!(PJRT_Buffer_Memory_Args, |a, _| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    a.memory = buffer.client.devices[buffer.device].memory.0;
});
serve!(PJRT_Buffer_Delete_Args, |a, _| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    buffer.stored.lock().unwrap_or_else(PoisonError::into_inner).take();
});
serve!(PJRT_Buffer_IsDeleted_Args, |a, _| {
    a.is_deleted = u8::from(object::<BufferState, _>(a.buffer)?.stored().is_err());
});
serve!(PJRT_Buffer_IsOnCpu_Args, |a, _| {
    object::<BufferState, _>(a.buffer)?;
    a.is_on_cpu = 0;
});
serve!(PJRT_Buffer_ReadyEvent_Args, |a, _| {
    let result = object::<BufferState, _>(a.buffer)?.stored().map(|_| ());
    a.event = share(EventState::done(result));
});
serve!(PJRT_Buffer_ToHostBuffer_Args, |a, _| {
    let buffer = object::<BufferState, _>(a.src)?;
    let size = buffer.shape.host_bytes().unwrap_or(0);
    if a.dst.is_null() {
        a.dst_size = size;
        return Ok(());
    }
    row_major(a.host_layout, buffer)?;
    let elements = buffer.stored()?.to_host()?;
    if elements.len() != size || a.dst_size < size {
        return Err(Error::invalid(format!(
            "the buffer has {size} bytes: {} given, and {} on the device",
            a.dst_size,
            elements.len()
        )));
    }
    std::ptr::copy_nonoverlapping(elements.as_ptr(), a.dst.cast(), size);
    a.event = share(EventState::done(Ok(())));
});

/// Whether the host wants the elements in row-major order, the only one there is here.
///
/// # Safety
/// `layout` is null or a layout of the host.
unsafe fn row_major(
    layout: *const PJRT_Buffer_MemoryLayout,
    buffer: &BufferState,
) -> Result<(), Error> {
    // SAFETY: the caller says so.
    let Some(layout) = (unsafe { layout.as_ref() }) else { return Ok(()) };
    let other = || Error::unimplemented("copies to the host in another order than row-major");
    if layout.r#type != PJRT_Buffer_MemoryLayout_Type::Tiled {
        return Err(other());
    }
    // SAFETY: the type says which of the two it is.
    let tiled = unsafe { layout.layout.tiled };
    let size = tiled.minor_to_major_size * size_of::<i64>();
    // SAFETY: the host says that so many numbers are there.
    let order = unsafe { bytes(tiled.minor_to_major.cast(), size) };
    let own = buffer.minor_to_major.iter().flat_map(|dim| dim.to_ne_bytes());
    if tiled.num_tiles == 0 && own.eq(order.iter().copied()) { Ok(()) } else { Err(other()) }
}

serve!(PJRT_Buffer_IncreaseExternalReferenceCount_Args, |a, _| {
    // A share that the decrease takes back.
    std::mem::forget(super::again::<BufferState, _>(a.buffer)?);
});
serve!(PJRT_Buffer_DecreaseExternalReferenceCount_Args, |a, _| {
    release::<BufferState, _>(a.buffer);
});
