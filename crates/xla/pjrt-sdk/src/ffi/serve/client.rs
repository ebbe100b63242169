//! The plug-in itself, and clients.

use std::sync::Arc;

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::layout;
use unskew_pjrt::sys::bindings::*;

use super::{again, bytes, nested, numbers, object, release, serve, share};
use crate::event::Happening;
use crate::ffi::Exported;
use crate::ffi::handle_objects::{BufferState, ClientState, LoadedState};
use crate::{Assignment, Compile, Error, ErrorCode, OlderHosts, Shape};

serve!(PJRT_Plugin_Initialize_Args to struct_size, |_a, _| {});
serve!(PJRT_Plugin_Attributes_Args to num_attributes, |a, plugin| {
    (a.attributes, a.num_attributes) = plugin.attributes.list();
});
serve!(PJRT_Client_Create_Args to client, |a, plugin| {
    host_is_young_enough(plugin, "PJRT_Client_Create_Args", a.struct_size)?;
    a.client = share(ClientState::new(plugin)?);
});

/// Whether a host that announces this size of a struct may be as young as the author wants it.
pub(super) fn host_is_young_enough(
    plugin: &Exported,
    name: &str,
    announced: usize,
) -> Result<(), Error> {
    let OlderHosts::RefuseBelow(least) = plugin.older_hosts else { return Ok(()) };
    let newest = newest_that_announces(name, announced);
    if newest >= least {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::FAILED_PRECONDITION,
        format!(
            "Unexpected {name} size: expected {}, got {announced}. {} needs a host of PJRT 0.{least} or later; \
             this one is of 0.{newest} or earlier",
            least_size(name, least),
            plugin.name
        ),
    ))
}

/// What hosts of this minor or later announce at least for a struct.
pub(crate) fn least_size(name: &str, minor: i32) -> usize {
    let sizes = layout::find_struct(name).map(|history| history.sizes).unwrap_or_default();
    let later = sizes.iter().filter(|size| size.until.is_none_or(|until| until >= minor));
    later.map(|size| size.declared).min().unwrap_or(0)
}

/// The newest minor whose header announces this size of a struct, or less.
fn newest_that_announces(name: &str, announced: usize) -> i32 {
    let history = layout::find_struct(name);
    let sizes = history.map(|history| history.sizes).unwrap_or_default();
    let larger = sizes.iter().filter(|size| size.declared > announced).map(|size| size.since);
    larger.min().map_or(i32::MAX, |since| since - 1)
}

serve!(PJRT_Client_Destroy_Args to client, |a, _| {
    release::<ClientState, _>(a.client);
});
serve!(PJRT_Client_PlatformName_Args to platform_name_size, |a, plugin| {
    let name = &plugin.name;
    (a.platform_name, a.platform_name_size) = (name.as_ptr(), name.len());
});
serve!(PJRT_Client_PlatformVersion_Args to platform_version_size, |a, plugin| {
    let version = &plugin.version;
    (a.platform_version, a.platform_version_size) = (version.as_ptr(), version.len());
});
serve!(PJRT_Client_ProcessIndex_Args to process_index, |a, _| {
    a.process_index = 0;
});
serve!(PJRT_Client_Devices_Args to num_devices, |a, _| {
    let handles = &object::<ClientState, _>(a.client)?.device_handles.0;
    (a.devices, a.num_devices) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_Client_AddressableDevices_Args to num_addressable_devices, |a, _| {
    let handles = &object::<ClientState, _>(a.client)?.device_handles.0;
    (a.addressable_devices, a.num_addressable_devices) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_Client_LookupDevice_Args to device, |a, _| {
    a.device = find(object::<ClientState, _>(a.client)?, a.id)?;
});
serve!(PJRT_Client_LookupAddressableDevice_Args to addressable_device, |a, _| {
    a.addressable_device = find(object::<ClientState, _>(a.client)?, a.local_hardware_id)?;
});

fn find(client: &ClientState, id: i32) -> Result<*mut PJRT_Device, Error> {
    let found = client.devices.iter().position(|device| device.device.id == id);
    let handle = found.and_then(|place| client.device_handles.0.get(place).copied());
    handle.ok_or_else(|| Error::invalid(format!("no such device: {id}")))
}

serve!(PJRT_Client_AddressableMemories_Args to num_addressable_memories, |a, _| {
    let handles = &object::<ClientState, _>(a.client)?.memory_handles.0;
    (a.addressable_memories, a.num_addressable_memories) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_Client_DefaultDeviceAssignment_Args to default_assignment, |a, _| {
    let client = object::<ClientState, _>(a.client)?;
    let wanted = i64::from(a.num_replicas) * i64::from(a.num_partitions);
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    if wanted > client.devices.len() || wanted > a.default_assignment_size {
        let (replicas, partitions) = (a.num_replicas.max(0), a.num_partitions.max(0));
        return Err(too_few(replicas as usize, partitions as usize, client));
    }
    for (i, device) in client.devices.iter().take(wanted).enumerate() {
        a.default_assignment.add(i).write(device.device.id);
    }
});

serve!(PJRT_Client_Compile_Args to executable, |a, plugin| {
    let client = again::<ClientState, _>(a.client)?;
    let program = nested::<PJRT_Program>(a.program, size_of::<PJRT_Program>())?;
    let program = program.ok_or_else(|| Error::invalid("no program"))?;
    let code = bytes(program.code, program.code_size);
    let format = String::from_utf8_lossy(bytes(program.format, program.format_size)).into_owned();
    let options = bytes(a.compile_options, a.compile_options_size);
    let assignment = assignment(&client, options)?;
    let wanted = Compile { code, format: &format, options, assignment: &assignment };
    let program = plugin.platform.compile(&wanted)?;
    a.executable = share(Arc::new(LoadedState::new(client, program, assignment)?));
});

/// The devices to run on: those that the options name, else the first ones.
pub(super) fn assignment(client: &ClientState, options: &[u8]) -> Result<Assignment, Error> {
    let options = CompileOptions::read(options)
        .map_err(|error| Error::invalid(format!("the compile options: {error}")))?;
    let count = |count: i64, what: &str| match usize::try_from(count) {
        Ok(count) => Ok(count.max(1)),
        Err(_) => Err(Error::invalid(format!("{what} wanted: {count}"))),
    };
    let replicas = count(options.num_replicas, "replicas")?;
    let partitions = count(options.num_partitions, "partitions")?;
    let wanted = replicas.saturating_mul(partitions);
    let Some(named) = options.device_assignment else {
        if wanted > client.devices.len() {
            return Err(too_few(replicas, partitions, client));
        }
        return Ok(Assignment { replicas, partitions, devices: (0..wanted).collect() });
    };
    if named.devices.len() != partitions || named.devices.iter().any(|ids| ids.len() != replicas) {
        return Err(Error::invalid(format!(
            "{replicas} replicas of {partitions} partitions, and devices for others: {:?}",
            named.devices
        )));
    }
    let mut devices = Vec::new();
    for replica in 0..replicas {
        for id in named.devices.iter().filter_map(|ids| ids.get(replica)) {
            let found = client.devices.iter().position(|own| i64::from(own.device.id) == *id);
            devices.push(found.ok_or_else(|| Error::invalid(format!("no such device: {id}")))?);
        }
    }
    Ok(Assignment { replicas, partitions, devices })
}

fn too_few(replicas: usize, partitions: usize, client: &ClientState) -> Error {
    Error::invalid(format!(
        "{replicas} replicas of {partitions} partitions: there are {} devices",
        client.devices.len()
    ))
}

serve!(PJRT_Client_BufferFromHostBuffer_Args to buffer, |a, plugin| {
    let client = again::<ClientState, _>(a.client)?;
    let device =
        match (client.place(a.device), client.memory_handles.0.iter().position(|m| *m == a.memory))
        {
            (_, Some(memory)) => client.memories.get(memory).map_or(0, |memory| memory.device),
            (Some(device), None) => device,
            (None, None) => {
                return Err(Error::invalid("neither a device nor a memory of this client"));
            }
        };
    let shape = Shape { element_type: a.r#type, dims: numbers(a.dims, a.num_dims) };
    let strides = numbers(a.byte_strides, a.num_byte_strides);
    let elements = dense(&shape, a.data.cast(), &strides)?;
    let stored = plugin.platform.put(device, &shape, elements)?;
    a.buffer = share(Arc::new(BufferState::new(client, device, shape, stored, Happening::done(Ok(())))));
    // The elements were copied before this returns.
    a.done_with_host_buffer = share(Happening::done(Ok(())));
});

/// The elements of a host's array, dense and in row-major order.
///
/// # Safety
/// The array has the elements that shape and strides say.
unsafe fn dense(shape: &Shape, data: *const u8, strides: &[i64]) -> Result<Vec<u8>, Error> {
    let not = |what: &str| Error::invalid(format!("no shape that data can have: {what}"));
    let size = shape.host_bytes().ok_or_else(|| not("its size"))?;
    let width = shape.element_type.host_bytes().ok_or_else(|| not("its element type"))?;
    if strides.is_empty() || size == 0 {
        // SAFETY: the caller says that so many bytes are there.
        return Ok(unsafe { bytes(data, size) }.to_vec());
    }
    if strides.len() != shape.dims.len() {
        return Err(not("not one stride for each dimension"));
    }
    let mut out = Vec::with_capacity(size);
    let mut index = vec![0_i64; strides.len()];
    for _ in 0..size / width {
        let offset: i64 = index.iter().zip(strides).map(|(i, stride)| i * stride).sum();
        let offset = isize::try_from(offset).map_err(|_| not("its strides"))?;
        // SAFETY: the caller says that every element that the strides lead to is there.
        out.extend_from_slice(unsafe { bytes(data.offset(offset), width) });
        // The last index runs fastest.
        for at in (0..index.len()).rev() {
            index[at] += 1;
            if index[at] < shape.dims[at] {
                break;
            }
            index[at] = 0;
        }
    }
    Ok(out)
}
