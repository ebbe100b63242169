//! Calls on clients.

use std::sync::Arc;

use super::handle::ClientRoot;
use super::read::{self, handles, text};
use super::{Handle, Keep, Owned, getters, named};
use crate::Attribute;
use crate::host::Error;
use crate::sys::Api;
use crate::sys::bindings::*;

/// Makes a client with these options.
pub(crate) fn create(api: &'static Api, options: &[Attribute]) -> Result<Arc<ClientRoot>, Error> {
    let options = named::to_c(api, options);
    let mut arguments = api.record::<PJRT_Client_Create_Args>();
    arguments.create_options = options.as_ptr();
    arguments.num_options = options.len();
    // SAFETY: the options live until the call is over.
    unsafe { api.call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_Create", arguments.client)?;
    // SAFETY: the plug-in has just made it for us.
    let client = unsafe { Owned::new(raw, Keep::Plugin(api)) };
    Ok(ClientRoot::new(client))
}

getters! { PJRT_Client, client:
    platform_name -> String = PJRT_Client_PlatformName_Args
        => |a| text(a.platform_name, a.platform_name_size);
    platform_version -> String = PJRT_Client_PlatformVersion_Args
        => |a| text(a.platform_version, a.platform_version_size);
    process_index -> i32 = PJRT_Client_ProcessIndex_Args => |a| a.process_index;
}

macro_rules! lists {
    ($($name:ident -> $object:ty = $arguments:ident, $list:ident, $count:ident;)*) => { $(
        pub(crate) fn $name(client: &Handle<PJRT_Client>) -> Result<Vec<Handle<$object>>, Error> {
            let mut arguments = client.api().record::<$arguments>();
            arguments.client = client.raw();
            // SAFETY: the client is alive.
            unsafe { client.api().call(&mut arguments) }?;
            // SAFETY: the plug-in says that so many are there; they live as long as the client.
            unsafe {
                handles(stringify!($arguments), arguments.$list, arguments.$count, client.keep())
            }
        }
    )* };
}

lists! {
    devices -> PJRT_Device = PJRT_Client_Devices_Args, devices, num_devices;
    addressable_devices -> PJRT_Device = PJRT_Client_AddressableDevices_Args,
        addressable_devices, num_addressable_devices;
    addressable_memories -> PJRT_Memory = PJRT_Client_AddressableMemories_Args,
        addressable_memories, num_addressable_memories;
}

/// The device with a global number.
pub(crate) fn lookup_device(
    client: &Handle<PJRT_Client>,
    id: i32,
) -> Result<Handle<PJRT_Device>, Error> {
    let mut arguments = client.api().record::<PJRT_Client_LookupDevice_Args>();
    arguments.client = client.raw();
    arguments.id = id;
    // SAFETY: the client is alive.
    unsafe { client.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_LookupDevice", arguments.device)?;
    // SAFETY: a device lives as long as its client.
    Ok(unsafe { Handle::new(raw, client.keep().clone()) })
}

/// The usable device with a local hardware number.
pub(crate) fn lookup_addressable_device(
    client: &Handle<PJRT_Client>,
    local_hardware_id: i32,
) -> Result<Handle<PJRT_Device>, Error> {
    let mut arguments = client.api().record::<PJRT_Client_LookupAddressableDevice_Args>();
    arguments.client = client.raw();
    arguments.local_hardware_id = local_hardware_id;
    // SAFETY: the client is alive.
    unsafe { client.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_LookupAddressableDevice", arguments.addressable_device)?;
    // SAFETY: a device lives as long as its client.
    Ok(unsafe { Handle::new(raw, client.keep().clone()) })
}

/// Which device runs which replica and partition unless told otherwise: device numbers, replica by
/// replica.
pub(crate) fn default_device_assignment(
    client: &Handle<PJRT_Client>,
    replicas: i32,
    partitions: i32,
) -> Result<Vec<i32>, Error> {
    let function = "PJRT_Client_DefaultDeviceAssignment";
    let count = i64::from(replicas.max(0)) * i64::from(partitions.max(0));
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > read::MOST {
        return Err(Error::Implausible { function, count });
    }
    let mut assignment = vec![0; count];
    let mut arguments = client.api().record::<PJRT_Client_DefaultDeviceAssignment_Args>();
    arguments.client = client.raw();
    arguments.num_replicas = replicas;
    arguments.num_partitions = partitions;
    arguments.default_assignment_size = assignment.len();
    arguments.default_assignment = assignment.as_mut_ptr();
    // SAFETY: the client is alive, and there is room for as many numbers as are announced.
    unsafe { client.api().call(&mut arguments) }?;
    Ok(assignment)
}

/// The topology of a client, which the client owns.
pub(crate) fn topology(
    client: &Handle<PJRT_Client>,
) -> Result<Handle<PJRT_TopologyDescription>, Error> {
    let mut arguments = client.api().record::<PJRT_Client_TopologyDescription_Args>();
    arguments.client = client.raw();
    // SAFETY: the client is alive.
    unsafe { client.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_TopologyDescription", arguments.topology)?;
    // SAFETY: the topology of a client lives as long as the client.
    Ok(unsafe { Handle::new(raw, client.keep().clone()) })
}
