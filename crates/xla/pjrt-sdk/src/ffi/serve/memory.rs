//! Memories: each device has one of its own.

use unskew_pjrt::sys::bindings::*;

use super::{object, serve};
use crate::ffi::memory_object::MemoryObject;

serve!(PJRT_Memory_Id_Args to id, |a, _| {
    a.id = object::<MemoryObject, _>(a.memory)?.id;
});
serve!(PJRT_Memory_Kind_Args to kind_size, |a, _| {
    let kind = &object::<MemoryObject, _>(a.memory)?.kind;
    (a.kind, a.kind_size) = (kind.as_ptr(), kind.len());
});
serve!(PJRT_Memory_Kind_Id_Args to kind_id, |a, _| {
    // Memories of one kind have one number; the bytes of the name make it.
    let kind = &object::<MemoryObject, _>(a.memory)?.kind;
    let number = kind
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    a.kind_id = (number >> 1).cast_signed();
});
serve!(PJRT_Memory_DebugString_Args to debug_string_size, |a, _| {
    let text = &object::<MemoryObject, _>(a.memory)?.text;
    (a.debug_string, a.debug_string_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_Memory_ToString_Args to to_string_size, |a, _| {
    let text = &object::<MemoryObject, _>(a.memory)?.text;
    (a.to_string, a.to_string_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_Memory_AddressableByDevices_Args to num_devices, |a, _| {
    let memory = object::<MemoryObject, _>(a.memory)?;
    (a.devices, a.num_devices) = (memory.devices(), 1);
});
