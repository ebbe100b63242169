//! Calls on buffers.

use super::dense::Dense;
use super::failure::payloads;
use super::read::{self, list};
use super::{Handle, Owned, getters};
use crate::host::{Error, HostFailure};
use crate::sys::CallError;
use crate::sys::bindings::*;

getters! { PJRT_Buffer, buffer:
    element_type -> PJRT_Buffer_Type = PJRT_Buffer_ElementType_Args => |a| a.r#type;
    on_device_size -> usize = PJRT_Buffer_OnDeviceSizeInBytes_Args => |a| a.on_device_size_in_bytes;
    delete -> () = PJRT_Buffer_Delete_Args => |_a| ();
    is_deleted -> bool = PJRT_Buffer_IsDeleted_Args => |a| a.is_deleted != 0;
    is_on_cpu -> bool = PJRT_Buffer_IsOnCpu_Args => |a| a.is_on_cpu != 0;
    unsafe_pointer -> usize = PJRT_Buffer_UnsafePointer_Args => |a| a.buffer_pointer;
    increase_references -> () = PJRT_Buffer_IncreaseExternalReferenceCount_Args => |_a| ();
    decrease_references -> () = PJRT_Buffer_DecreaseExternalReferenceCount_Args => |_a| ();
    opaque_pointer -> usize = PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args
        => |a| a.device_memory_ptr.expose_provenance();
}

macro_rules! lists {
    ($($name:ident -> $element:ty = $arguments:ident, $list:ident, $count:ident;)*) => { $(
        pub(crate) fn $name(buffer: &Handle<PJRT_Buffer>) -> Result<Vec<$element>, Error> {
            let mut arguments = buffer.api().record::<$arguments>();
            arguments.buffer = buffer.raw();
            // SAFETY: the buffer is alive.
            unsafe { buffer.api().call(&mut arguments) }?;
            // SAFETY: the plug-in says that so many numbers are there, as long as the buffer.
            unsafe { list(stringify!($arguments), arguments.$list, arguments.$count) }
        }
    )* };
}

lists! {
    dimensions -> i64 = PJRT_Buffer_Dimensions_Args, dims, num_dims;
    unpadded_dimensions -> i64 = PJRT_Buffer_UnpaddedDimensions_Args, unpadded_dims, num_dims;
    dynamic_dimensions -> usize = PJRT_Buffer_DynamicDimensionIndices_Args,
        dynamic_dim_indices, num_dynamic_dims;
}

/// The device of a buffer.
pub(crate) fn device(buffer: &Handle<PJRT_Buffer>) -> Result<Handle<PJRT_Device>, Error> {
    let mut arguments = buffer.api().record::<PJRT_Buffer_Device_Args>();
    arguments.buffer = buffer.raw();
    // SAFETY: the buffer is alive.
    unsafe { buffer.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Buffer_Device", arguments.device)?;
    // SAFETY: a device lives as long as the client.
    Ok(unsafe { Handle::new(raw, buffer.keep().clone()) })
}

/// The memory of a buffer.
pub(crate) fn memory(buffer: &Handle<PJRT_Buffer>) -> Result<Handle<PJRT_Memory>, Error> {
    let mut arguments = buffer.api().record::<PJRT_Buffer_Memory_Args>();
    arguments.buffer = buffer.raw();
    // SAFETY: the buffer is alive.
    unsafe { buffer.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Buffer_Memory", arguments.memory)?;
    // SAFETY: a memory lives as long as the client.
    Ok(unsafe { Handle::new(raw, buffer.keep().clone()) })
}

/// An event for when the contents are there.
pub(crate) fn ready_event(buffer: &Handle<PJRT_Buffer>) -> Result<Owned<PJRT_Event>, Error> {
    let mut arguments = buffer.api().record::<PJRT_Buffer_ReadyEvent_Args>();
    arguments.buffer = buffer.raw();
    // SAFETY: the buffer is alive.
    unsafe { buffer.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Buffer_ReadyEvent", arguments.event)?;
    // SAFETY: the event is the caller's to free.
    Ok(unsafe { Owned::new(raw, buffer.keep().clone()) })
}

/// Copies a buffer to another device of the same client.
pub(crate) fn copy_to_device(
    buffer: &Handle<PJRT_Buffer>,
    device: &Handle<PJRT_Device>,
) -> Result<Owned<PJRT_Buffer>, Error> {
    Error::same_client(buffer, device)?;
    let mut arguments = buffer.api().record::<PJRT_Buffer_CopyToDevice_Args>();
    arguments.buffer = buffer.raw();
    arguments.dst_device = device.raw();
    // SAFETY: buffer and device are alive and of one client.
    unsafe { buffer.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Buffer_CopyToDevice", arguments.dst_buffer)?;
    // SAFETY: the copy is the caller's to free.
    Ok(unsafe { Owned::new(raw, buffer.keep().clone()) })
}

/// Copies a buffer to another memory of the same client.
pub(crate) fn copy_to_memory(
    buffer: &Handle<PJRT_Buffer>,
    memory: &Handle<PJRT_Memory>,
) -> Result<Owned<PJRT_Buffer>, Error> {
    Error::same_client(buffer, memory)?;
    let mut arguments = buffer.api().record::<PJRT_Buffer_CopyToMemory_Args>();
    arguments.buffer = buffer.raw();
    arguments.dst_memory = memory.raw();
    // SAFETY: buffer and memory are alive and of one client.
    unsafe { buffer.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Buffer_CopyToMemory", arguments.dst_buffer)?;
    // SAFETY: the copy is the caller's to free.
    Ok(unsafe { Owned::new(raw, buffer.keep().clone()) })
}

/// The same memory as a buffer of another type and shape.
pub(crate) fn bitcast(
    buffer: &Handle<PJRT_Buffer>,
    element_type: PJRT_Buffer_Type,
    dims: &[i64],
) -> Result<Owned<PJRT_Buffer>, Error> {
    let mut arguments = buffer.api().record::<PJRT_Buffer_Bitcast_Args>();
    arguments.buffer = buffer.raw();
    arguments.element_type = element_type;
    arguments.dims = dims.as_ptr();
    arguments.num_dims = dims.len();
    // SAFETY: the buffer is alive, the dimensions are there.
    unsafe { buffer.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Buffer_Bitcast", arguments.out_buffer)?;
    // SAFETY: the new buffer is the caller's to free.
    Ok(unsafe { Owned::new(raw, buffer.keep().clone()) })
}

/// A buffer whose contents are undefined until something writes them.
pub(crate) fn uninitialized(
    client: &Handle<PJRT_Client>,
    element_type: PJRT_Buffer_Type,
    dims: &[i64],
    memory: &Handle<PJRT_Memory>,
) -> Result<Owned<PJRT_Buffer>, Error> {
    Error::same_client(client, memory)?;
    let mut arguments = client.api().record::<PJRT_Client_CreateUninitializedBuffer_Args>();
    arguments.client = client.raw();
    arguments.shape_dims = dims.as_ptr();
    arguments.shape_num_dims = dims.len();
    arguments.shape_element_type = element_type;
    arguments.memory = memory.raw();
    // SAFETY: client and memory are alive and belong together, the dimensions are there.
    unsafe { client.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_CreateUninitializedBuffer", arguments.buffer)?;
    // SAFETY: the new buffer is the caller's to free.
    Ok(unsafe { Owned::new(raw, client.keep().clone()) })
}

/// A buffer that holds an error in place of contents.
pub(crate) fn of_error(
    client: &Handle<PJRT_Client>,
    failure: &HostFailure<'_>,
    element_type: PJRT_Buffer_Type,
    dims: &[i64],
    memory: &Handle<PJRT_Memory>,
) -> Result<Owned<PJRT_Buffer>, Error> {
    Error::same_client(client, memory)?;
    type Arguments = PJRT_Client_CreateErrorBuffer_Args;
    let payloads = payloads::<Arguments>(client.api(), failure)?;
    let mut arguments = client.api().record::<Arguments>();
    arguments.client = client.raw();
    arguments.error_code = failure.code;
    arguments.error_message = failure.message.as_ptr();
    arguments.error_message_size = failure.message.len();
    let mut layout = Dense::new(client.api(), dims);
    arguments.shape_layout = layout.as_mut_ptr();
    if !payloads.is_empty() {
        arguments.payload = payloads.as_ptr();
        arguments.num_payload = payloads.len();
    }
    arguments.shape_dims = dims.as_ptr();
    arguments.shape_num_dims = dims.len();
    arguments.shape_element_type = element_type;
    arguments.memory = memory.raw();
    // SAFETY: client and memory are alive and belong together; text and dimensions are there.
    unsafe { client.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_CreateErrorBuffer", arguments.buffer)?;
    // SAFETY: the new buffer is the caller's to free.
    Ok(unsafe { Owned::new(raw, client.keep().clone()) })
}

/// The layout of a buffer: its order of dimensions, if it is laid out by tiles.
pub(crate) fn minor_to_major(buffer: &Handle<PJRT_Buffer>) -> Result<Option<Vec<i64>>, CallError> {
    let mut arguments = buffer.api().record::<PJRT_Buffer_GetMemoryLayout_Args>();
    arguments.buffer = buffer.raw();
    // SAFETY: the buffer is alive.
    unsafe { buffer.api().call(&mut arguments) }?;
    if arguments.layout.r#type != PJRT_Buffer_MemoryLayout_Type::Tiled {
        return Ok(None);
    }
    // SAFETY: the type says that this is the one of the two that is there.
    let tiled = unsafe { arguments.layout.layout.tiled };
    // SAFETY: the plug-in says that so many numbers are there, as long as the buffer.
    let order = unsafe { list("layout", tiled.minor_to_major, tiled.minor_to_major_size) };
    Ok(order.ok())
}
