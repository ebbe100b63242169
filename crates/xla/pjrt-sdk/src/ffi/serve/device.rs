//! Devices, which are their own descriptions.

use unskew_pjrt::sys::bindings::*;

use super::{object, serve};
use crate::ffi::handle_objects::DeviceState;

serve!(PJRT_DeviceDescription_Id_Args to id, |a, _| {
    a.id = object::<DeviceState, _>(a.device_description)?.device.id;
});
serve!(PJRT_DeviceDescription_ProcessIndex_Args to process_index, |a, _| {
    object::<DeviceState, _>(a.device_description)?;
    a.process_index = 0;
});
serve!(PJRT_DeviceDescription_Attributes_Args to attributes, |a, _| {
    let device = object::<DeviceState, _>(a.device_description)?;
    (a.attributes, a.num_attributes) = device.attributes.list();
});
serve!(PJRT_DeviceDescription_Kind_Args to device_kind_size, |a, _| {
    let kind = &object::<DeviceState, _>(a.device_description)?.device.kind;
    (a.device_kind, a.device_kind_size) = (kind.as_ptr(), kind.len());
});
serve!(PJRT_DeviceDescription_DebugString_Args to debug_string_size, |a, _| {
    let text = &object::<DeviceState, _>(a.device_description)?.text;
    (a.debug_string, a.debug_string_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_DeviceDescription_ToString_Args to to_string_size, |a, _| {
    let text = &object::<DeviceState, _>(a.device_description)?.text;
    (a.to_string, a.to_string_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_Device_GetDescription_Args to device_description, |a, _| {
    object::<DeviceState, _>(a.device)?;
    a.device_description = a.device.cast();
});
serve!(PJRT_Device_IsAddressable_Args to is_addressable, |a, _| {
    object::<DeviceState, _>(a.device)?;
    a.is_addressable = 1;
});
serve!(PJRT_Device_LocalHardwareId_Args to local_hardware_id, |a, _| {
    a.local_hardware_id = object::<DeviceState, _>(a.device)?.device.id;
});
serve!(PJRT_Device_AddressableMemories_Args to num_memories, |a, _| {
    let device = object::<DeviceState, _>(a.device)?;
    (a.memories, a.num_memories) = (&raw const device.memory.0, 1);
});
serve!(PJRT_Device_DefaultMemory_Args to memory, |a, _| {
    a.memory = object::<DeviceState, _>(a.device)?.memory.0;
});
serve!(PJRT_Device_GetAttributes_Args to attributes_deleter, |a, _| {
    let device = object::<DeviceState, _>(a.device)?;
    (a.attributes, a.num_attributes) = device.attributes.list();
    // They belong to the device: there is nothing to free.
    a.device_attributes = a.device.cast();
    a.attributes_deleter = Some(keep);
});

unsafe extern "C" fn keep(_: *mut PJRT_Device_Attributes) {}
