//! Buffers.

use std::ffi::c_void;
use std::sync::{Arc, PoisonError};

use unskew_pjrt::sys::bindings::*;

use super::{bytes, nested, object, release, serve, share};
use crate::event::Happening;
use crate::ffi::Exported;
use crate::ffi::call_guard::{caught, end};
use crate::ffi::handle_objects::{BufferState, Shared};
use crate::{Error, Event};

serve!(PJRT_Buffer_Destroy_Args to buffer, |a, _| {
    release::<BufferState, _>(a.buffer);
});
serve!(PJRT_Buffer_ElementType_Args to r#type, |a, _| {
    a.r#type = object::<BufferState, _>(a.buffer)?.shape.element_type;
});
serve!(PJRT_Buffer_Dimensions_Args to num_dims, |a, _| {
    let dims = &object::<BufferState, _>(a.buffer)?.shape.dims;
    (a.dims, a.num_dims) = (dims.as_ptr(), dims.len());
});
serve!(PJRT_Buffer_UnpaddedDimensions_Args to num_dims, |a, _| {
    let dims = &object::<BufferState, _>(a.buffer)?.shape.dims;
    (a.unpadded_dims, a.num_dims) = (dims.as_ptr(), dims.len());
});
serve!(PJRT_Buffer_DynamicDimensionIndices_Args to num_dynamic_dims, |a, _| {
    object::<BufferState, _>(a.buffer)?;
    (a.dynamic_dim_indices, a.num_dynamic_dims) = (std::ptr::null(), 0);
});
serve!(PJRT_Buffer_GetMemoryLayout_Args to layout, |a, _| {
    let order = &object::<BufferState, _>(a.buffer)?.minor_to_major;
    a.layout.struct_size = size_of::<PJRT_Buffer_MemoryLayout>();
    a.layout.r#type = PJRT_Buffer_MemoryLayout_Type::Tiled;
    a.layout.layout.tiled.struct_size = size_of::<PJRT_Buffer_MemoryLayout_Tiled>();
    a.layout.layout.tiled.minor_to_major = order.as_ptr();
    a.layout.layout.tiled.minor_to_major_size = order.len();
});
serve!(PJRT_Buffer_OnDeviceSizeInBytes_Args to on_device_size_in_bytes, |a, _| {
    a.on_device_size_in_bytes = object::<BufferState, _>(a.buffer)?.stored()?.device_bytes();
});
serve!(PJRT_Buffer_Device_Args to device, |a, _| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    a.device = buffer.client.device_handles.0[buffer.device];
});
serve!(PJRT_Buffer_Memory_Args to memory, |a, _| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    a.memory = buffer.client.devices[buffer.device].memory.0;
});
serve!(PJRT_Buffer_Delete_Args to buffer, |a, _| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    buffer.stored.lock().unwrap_or_else(PoisonError::into_inner).take();
});
serve!(PJRT_Buffer_IsDeleted_Args to is_deleted, |a, _| {
    a.is_deleted = u8::from(object::<BufferState, _>(a.buffer)?.stored().is_err());
});
serve!(PJRT_Buffer_IsOnCpu_Args to is_on_cpu, |a, _| {
    object::<BufferState, _>(a.buffer)?;
    a.is_on_cpu = 0;
});
serve!(PJRT_Buffer_ReadyEvent_Args to event, |a, _| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    a.event = share(match buffer.stored() {
        Ok(_) => Arc::clone(&buffer.ready),
        Err(gone) => Happening::done(Err(gone)),
    });
});
serve!(PJRT_Buffer_UnsafePointer_Args to buffer_pointer, |a, _| {
    a.buffer_pointer = address(object::<BufferState, _>(a.buffer)?)?;
});
serve!(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args to device_memory_ptr, |a, _| {
    let address = address(object::<BufferState, _>(a.buffer)?)?;
    a.device_memory_ptr = std::ptr::with_exposed_provenance_mut(address);
});

fn address(buffer: &BufferState) -> Result<usize, Error> {
    let stored = buffer.stored()?;
    buffer.ready.wait()?;
    stored.address().ok_or_else(|| Error::unimplemented("this platform does not tell addresses"))
}

serve!(PJRT_Buffer_CopyToDevice_Args to dst_buffer, |a, plugin| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    let place = buffer.client.place(a.dst_device);
    let place = place.ok_or_else(|| Error::unimplemented("copies to a device of another client"))?;
    a.dst_buffer = share(copied(buffer, place, plugin)?);
});
serve!(PJRT_Buffer_CopyToMemory_Args to dst_buffer, |a, plugin| {
    let buffer = object::<BufferState, _>(a.buffer)?;
    let place = buffer.client.memory_handles.0.iter().position(|own| *own == a.dst_memory);
    let memory = place.and_then(|place| buffer.client.memories.get(place));
    let memory = memory.ok_or_else(|| Error::unimplemented("copies to a memory of another client"))?;
    a.dst_buffer = share(copied(buffer, memory.device, plugin)?);
});

/// The same contents on a device, by way of the host.
fn copied(
    buffer: &BufferState,
    device: usize,
    plugin: &Exported,
) -> Result<Arc<BufferState>, Error> {
    let stored = buffer.stored()?;
    buffer.ready.wait()?;
    let stored = plugin.platform.put(device, &buffer.shape, stored.to_host()?)?;
    let (client, shape) = (Arc::clone(&buffer.client), buffer.shape.clone());
    Ok(Arc::new(BufferState::new(client, device, shape, stored, Happening::done(Ok(())))))
}

serve!(PJRT_Buffer_ToHostBuffer_Args to event, |a, _| {
    let buffer = object::<BufferState, _>(a.src)?;
    let size = buffer.shape.host_bytes().unwrap_or(0);
    if a.dst.is_null() {
        a.dst_size = size;
        return Ok(());
    }
    row_major(a.host_layout, buffer)?;
    if a.dst_size < size {
        return Err(Error::invalid(format!("the buffer has {size} bytes: {}", a.dst_size)));
    }
    let (stored, place) = (buffer.stored()?, Shared(a.dst));
    let copy = move || {
        let place: Shared<*mut c_void> = place;
        let elements = stored.to_host()?;
        if elements.len() != size {
            return Err(Error::internal(format!("{size} bytes wanted: {}", elements.len())));
        }
        // SAFETY: the host says that the place has as many bytes until the event has happened.
        unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), place.0.cast(), size) };
        Ok(())
    };
    if let Some(there) = buffer.ready.result() {
        there?;
        copy()?;
        a.event = share(Happening::done(Ok(())));
        return Ok(());
    }
    let (event, completer) = Event::pending();
    a.event = share(event.0);
    // The contents come later, and who brings them copies them.
    buffer.ready.then(Box::new(move |result| {
        completer.complete(result.and_then(|()| caught("PJRT_Buffer_ToHostBuffer", copy)));
    }));
});

/// Where a layout ends, but for its padding.
const LAYOUT: usize = end(
    std::mem::offset_of!(PJRT_Buffer_MemoryLayout, r#type),
    |layout: &PJRT_Buffer_MemoryLayout| &raw const layout.r#type,
);

/// Whether the host wants the elements in row-major order, the only one there is here.
///
/// # Safety
/// `layout` is null or a layout of the host.
unsafe fn row_major(
    layout: *const PJRT_Buffer_MemoryLayout,
    buffer: &BufferState,
) -> Result<(), Error> {
    // SAFETY: the caller says so.
    let layout = unsafe { nested(layout, LAYOUT) }?;
    let Some(layout) = layout else { return Ok(()) };
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

serve!(PJRT_Buffer_IncreaseExternalReferenceCount_Args to buffer, |a, _| {
    // A share that the decrease takes back.
    std::mem::forget(super::again::<BufferState, _>(a.buffer)?);
});
serve!(PJRT_Buffer_DecreaseExternalReferenceCount_Args to buffer, |a, _| {
    release::<BufferState, _>(a.buffer);
});
