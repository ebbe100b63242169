//! Calls on memories.

use super::read::{handles, text};
use super::{Handle, getters};
use crate::host::Error;
use crate::sys::bindings::*;

getters! { PJRT_Memory, memory:
    id -> i32 = PJRT_Memory_Id_Args => |a| a.id;
    kind -> String = PJRT_Memory_Kind_Args => |a| text(a.kind, a.kind_size);
    kind_id -> i32 = PJRT_Memory_Kind_Id_Args => |a| a.kind_id;
    debug_string -> String = PJRT_Memory_DebugString_Args
        => |a| text(a.debug_string, a.debug_string_size);
    to_string -> String = PJRT_Memory_ToString_Args => |a| text(a.to_string, a.to_string_size);
}

/// The devices that can use a memory.
pub(crate) fn devices(memory: &Handle<PJRT_Memory>) -> Result<Vec<Handle<PJRT_Device>>, Error> {
    let mut arguments = memory.api().record::<PJRT_Memory_AddressableByDevices_Args>();
    arguments.memory = memory.raw();
    // SAFETY: the memory is alive.
    unsafe { memory.api().call(&mut arguments) }?;
    let (start, count) = (arguments.devices, arguments.num_devices);
    // SAFETY: the plug-in says that so many are there; devices live as long as the client.
    unsafe { handles("PJRT_Memory_AddressableByDevices", start, count, memory.keep()) }
}
