//! The plug-in itself, and clients.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use unskew_pjrt::convert::compile_options::CompileOptions;
use unskew_pjrt::layout;
use unskew_pjrt::sys::bindings::*;

use super::{again, bytes, numbers, object, release, serve, share};
use crate::ffi::state::{BufferState, ClientState, EventState, ExecutableState, LoadedState};
use crate::{Error, ErrorCode, OlderHosts, Program, Shape};

serve!(PJRT_Plugin_Initialize_Args, |_a, _| {});
serve!(PJRT_Plugin_Attributes_Args, |a, plugin| {
    (a.attributes, a.num_attributes) = plugin.attributes.list();
});
serve!(PJRT_Client_Create_Args, |a, plugin| {
    if let OlderHosts::RefuseBelow(least) = plugin.platform.older_hosts() {
        let newest = newest_that_announces("PJRT_Client_Create_Args", a.struct_size);
        if newest < least {
            let name = plugin.platform.name();
            return Err(Error::new(
                ErrorCode::FAILED_PRECONDITION,
                format!(
                    "{name} needs a host of PJRT 0.{least} or later; this one is of 0.{newest} or earlier"
                ),
            ));
        }
    }
    a.client = share(ClientState::new(plugin)?);
});

/// The newest minor whose header announces this size of a struct, or less.
fn newest_that_announces(name: &str, announced: usize) -> i32 {
    let history = layout::find_struct(name);
    let sizes = history.map(|history| history.sizes).unwrap_or_default();
    let larger = sizes.iter().filter(|size| size.declared > announced).map(|size| size.since);
    larger.min().map_or(i32::MAX, |since| since - 1)
}

serve!(PJRT_Client_Destroy_Args, |a, _| {
    release::<ClientState, _>(a.client);
});
serve!(PJRT_Client_PlatformName_Args, |a, plugin| {
    let name = plugin.platform.name();
    (a.platform_name, a.platform_name_size) = (name.as_ptr(), name.len());
});
serve!(PJRT_Client_PlatformVersion_Args, |a, plugin| {
    let version = plugin.platform.version();
    (a.platform_version, a.platform_version_size) = (version.as_ptr(), version.len());
});
serve!(PJRT_Client_ProcessIndex_Args, |a, _| {
    a.process_index = 0;
});
serve!(PJRT_Client_Devices_Args, |a, _| {
    let handles = &object::<ClientState, _>(a.client)?.device_handles.0;
    (a.devices, a.num_devices) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_Client_AddressableDevices_Args, |a, _| {
    let handles = &object::<ClientState, _>(a.client)?.device_handles.0;
    (a.addressable_devices, a.num_addressable_devices) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_Client_LookupDevice_Args, |a, _| {
    a.device = find(object::<ClientState, _>(a.client)?, a.id)?;
});
serve!(PJRT_Client_LookupAddressableDevice_Args, |a, _| {
    a.addressable_device = find(object::<ClientState, _>(a.client)?, a.local_hardware_id)?;
});

fn find(client: &ClientState, id: i32) -> Result<*mut PJRT_Device, Error> {
    let found = client.devices.iter().find(|device| device.device.id == id);
    found.map(|device| device.own.0).ok_or_else(|| Error::invalid(format!("no such device: {id}")))
}

serve!(PJRT_Client_AddressableMemories_Args, |a, _| {
    let handles = &object::<ClientState, _>(a.client)?.memory_handles.0;
    (a.addressable_memories, a.num_addressable_memories) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_Client_DefaultDeviceAssignment_Args, |a, _| {
    let client = object::<ClientState, _>(a.client)?;
    let wanted = i64::from(a.num_replicas) * i64::from(a.num_partitions);
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    if wanted > client.devices.len() || wanted > a.default_assignment_size {
        return Err(Error::invalid(format!(
            "{} replicas of {} partitions: there are {} devices",
            a.num_replicas,
            a.num_partitions,
            client.devices.len()
        )));
    }
    for (i, device) in client.devices.iter().take(wanted).enumerate() {
        a.default_assignment.add(i).write(device.device.id);
    }
});

serve!(PJRT_Client_Compile_Args, |a, plugin| {
    let client = again::<ClientState, _>(a.client)?;
    let program = a.program.as_ref().ok_or_else(|| Error::invalid("no program"))?;
    let code = bytes(program.code, program.code_size);
    let format = String::from_utf8_lossy(bytes(program.format, program.format_size)).into_owned();
    let options = bytes(a.compile_options, a.compile_options_size);
    let device = place(&client, options)?;
    let program = plugin.platform.compile(code, &format, options)?;
    a.executable = share(Arc::new(load(client, program, device)));
});

/// The place of the device to run on: the first that the options name.
fn place(client: &ClientState, options: &[u8]) -> Result<usize, Error> {
    let options = CompileOptions::read(options)
        .map_err(|error| Error::invalid(format!("the compile options: {error}")))?;
    if options.num_replicas > 1 || options.num_partitions > 1 {
        return Err(Error::unimplemented("programs for several devices"));
    }
    let named = options.device_assignment.and_then(|named| named.devices.first()?.first().copied());
    let Some(id) = named else { return Ok(0) };
    let found = client.devices.iter().position(|device| i64::from(device.device.id) == id);
    found.ok_or_else(|| Error::invalid(format!("no such device: {id}")))
}

/// A program on a device.
pub(super) fn load(
    client: Arc<ClientState>,
    program: Arc<dyn Program>,
    device: usize,
) -> LoadedState {
    let kind = client.memories.get(device).map_or("device", |memory| &memory.kind);
    LoadedState {
        executable: ExecutableState::new(program, kind),
        client,
        device,
        logical_ids: [PJRT_LogicalDeviceIds { replica: 0, partition: 0 }],
        deleted: AtomicBool::new(false),
    }
}

serve!(PJRT_Client_BufferFromHostBuffer_Args, |a, plugin| {
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
    a.buffer = share(Arc::new(BufferState::new(client, device, shape, stored)));
    // The elements were copied before this returns.
    a.done_with_host_buffer = share(EventState::done(Ok(())));
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
