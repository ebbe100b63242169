//! Calls on devices and their descriptions.

use super::failure::payloads;
use super::read::{self, handles, text};
use super::{Handle, getters, named};
use crate::Attribute;
use crate::host::{Error, HostFailure};
use crate::sys::CallError;
use crate::sys::bindings::*;

getters! { PJRT_DeviceDescription, device_description:
    id -> i32 = PJRT_DeviceDescription_Id_Args => |a| a.id;
    process_index -> i32 = PJRT_DeviceDescription_ProcessIndex_Args => |a| a.process_index;
    attributes -> Vec<Attribute> = PJRT_DeviceDescription_Attributes_Args
        => |a| named::from_c(a.attributes, a.num_attributes);
    kind -> String = PJRT_DeviceDescription_Kind_Args => |a| text(a.device_kind, a.device_kind_size);
    debug_string -> String = PJRT_DeviceDescription_DebugString_Args
        => |a| text(a.debug_string, a.debug_string_size);
    to_string -> String = PJRT_DeviceDescription_ToString_Args
        => |a| text(a.to_string, a.to_string_size);
}

getters! { PJRT_Device, device:
    is_addressable -> bool = PJRT_Device_IsAddressable_Args => |a| a.is_addressable != 0;
    local_hardware_id -> i32 = PJRT_Device_LocalHardwareId_Args => |a| a.local_hardware_id;
    memory_stats -> PJRT_Device_MemoryStats_Args = PJRT_Device_MemoryStats_Args => |a| a;
    clear_memory_stats -> () = PJRT_Device_ClearMemoryStats_Args => |_a| ();
}

/// The description of a device.
pub(crate) fn description(
    device: &Handle<PJRT_Device>,
) -> Result<Handle<PJRT_DeviceDescription>, Error> {
    let mut arguments = device.api().record::<PJRT_Device_GetDescription_Args>();
    arguments.device = device.raw();
    // SAFETY: the device is alive.
    unsafe { device.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Device_GetDescription", arguments.device_description)?;
    // SAFETY: the description lives as long as its device.
    Ok(unsafe { Handle::new(raw, device.keep().clone()) })
}

/// The memories that a device can use.
pub(crate) fn memories(device: &Handle<PJRT_Device>) -> Result<Vec<Handle<PJRT_Memory>>, Error> {
    let mut arguments = device.api().record::<PJRT_Device_AddressableMemories_Args>();
    arguments.device = device.raw();
    // SAFETY: the device is alive.
    unsafe { device.api().call(&mut arguments) }?;
    let (start, count) = (arguments.memories, arguments.num_memories);
    // SAFETY: the plug-in says that so many are there; memories live as long as the client.
    unsafe { handles("PJRT_Device_AddressableMemories", start, count, device.keep()) }
}

/// The memory in which a device keeps buffers unless told otherwise.
pub(crate) fn default_memory(device: &Handle<PJRT_Device>) -> Result<Handle<PJRT_Memory>, Error> {
    let mut arguments = device.api().record::<PJRT_Device_DefaultMemory_Args>();
    arguments.device = device.raw();
    // SAFETY: the device is alive.
    unsafe { device.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Device_DefaultMemory", arguments.memory)?;
    // SAFETY: a memory lives as long as the client.
    Ok(unsafe { Handle::new(raw, device.keep().clone()) })
}

/// What the vendor says of a device now.
pub(crate) fn current_attributes(
    device: &Handle<PJRT_Device>,
) -> Result<Vec<Attribute>, CallError> {
    let mut arguments = device.api().record::<PJRT_Device_GetAttributes_Args>();
    arguments.device = device.raw();
    // SAFETY: the device is alive.
    unsafe { device.api().call(&mut arguments) }?;
    // SAFETY: the plug-in says that so many attributes are there until the deleter is called.
    let found = unsafe { named::from_c(arguments.attributes, arguments.num_attributes) };
    if let (Some(delete), false) =
        (arguments.attributes_deleter, arguments.device_attributes.is_null())
    {
        // SAFETY: what the plug-in has just handed out is freed once, after the last use.
        unsafe { delete(arguments.device_attributes) };
    }
    Ok(found)
}

/// Makes an execution fail that has been enqueued; whether there was one.
pub(crate) fn poison(
    device: &Handle<PJRT_Device>,
    launch_id: i32,
    failure: &HostFailure<'_>,
) -> Result<bool, Error> {
    type Arguments = PJRT_Device_PoisonExecution_Args;
    let payloads = payloads::<Arguments>(device.api(), failure)?;
    let mut arguments = device.api().record::<Arguments>();
    arguments.device = device.raw();
    arguments.launch_id = launch_id;
    arguments.error_code = failure.code;
    arguments.error_message = failure.message.as_ptr();
    arguments.error_message_size = failure.message.len();
    if !payloads.is_empty() {
        arguments.payload = payloads.as_ptr();
        arguments.num_payload = payloads.len();
    }
    // SAFETY: the device is alive, the text is there during the call.
    unsafe { device.api().call(&mut arguments) }?;
    Ok(arguments.poisoned != 0)
}
