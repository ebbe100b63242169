//! Programs, compiled and loaded.

use std::mem::offset_of;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

use unskew_pjrt::sys::bindings::*;

use super::client::load;
use super::{again, bytes, numbers, object, release, serve, share};
use crate::ffi::state::{BufferState, ClientState, EventState, ExecutableState, LoadedState};
use crate::{Error, Shape, Stored};

serve!(PJRT_Executable_Destroy_Args, |a, _| {
    release::<ExecutableState, _>(a.executable);
});
serve!(PJRT_Executable_Name_Args, |a, _| {
    let name = &object::<ExecutableState, _>(a.executable)?.name;
    (a.executable_name, a.executable_name_size) = (name.as_ptr(), name.len());
});
serve!(PJRT_Executable_NumReplicas_Args, |a, _| {
    a.num_replicas = 1;
});
serve!(PJRT_Executable_NumPartitions_Args, |a, _| {
    a.num_partitions = 1;
});
serve!(PJRT_Executable_NumOutputs_Args, |a, _| {
    a.num_outputs = object::<ExecutableState, _>(a.executable)?.outputs.len();
});
serve!(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, |a, _| {
    a.size_in_bytes = 0;
});
serve!(PJRT_Executable_OutputMemoryKinds_Args, |a, _| {
    let executable = object::<ExecutableState, _>(a.executable)?;
    a.num_outputs = executable.outputs.len();
    a.memory_kinds = executable.kind_texts.0.as_ptr();
    a.memory_kind_sizes = executable.kind_sizes.as_ptr();
});
serve!(PJRT_Executable_OutputElementTypes_Args, |a, _| {
    let executable = object::<ExecutableState, _>(a.executable)?;
    // The host only reads them, though the interface does not say so.
    a.output_types = executable.types.as_ptr().cast_mut();
    a.num_output_types = executable.types.len();
});
serve!(PJRT_Executable_OutputDimensions_Args, |a, _| {
    let executable = object::<ExecutableState, _>(a.executable)?;
    a.num_outputs = executable.outputs.len();
    (a.dims, a.dim_sizes) = (executable.dims.as_ptr(), executable.ranks.as_ptr());
});
serve!(PJRT_Executable_Fingerprint_Args, |a, _| {
    let text = &object::<ExecutableState, _>(a.executable)?.fingerprint;
    (a.executable_fingerprint, a.executable_fingerprint_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_Executable_Serialize_Args, |a, _| {
    let serialized = object::<ExecutableState, _>(a.executable)?.program.serialize()?;
    (a.serialized_bytes, a.serialized_bytes_size) = (serialized.as_ptr(), serialized.len());
    // The bytes stay where they are while their owner moves.
    a.serialized_executable = share(Arc::new(serialized));
    a.serialized_executable_deleter = Some(free_serialized);
});

unsafe extern "C" fn free_serialized(serialized: *mut PJRT_SerializedExecutable) {
    // SAFETY: the host frees what `Serialize` handed out, once.
    unsafe { release::<Vec<u8>, _>(serialized) };
}

serve!(PJRT_Executable_DeserializeAndLoad_Args, |a, plugin| {
    let client = again::<ClientState, _>(a.client)?;
    let serialized = bytes(a.serialized_executable, a.serialized_executable_size);
    let program = plugin.platform.deserialize(serialized)?;
    a.loaded_executable = share(Arc::new(load(client, program, 0)));
});
serve!(PJRT_LoadedExecutable_Destroy_Args, |a, _| {
    release::<LoadedState, _>(a.executable);
});
serve!(PJRT_LoadedExecutable_GetExecutable_Args, |a, _| {
    let loaded = object::<LoadedState, _>(a.loaded_executable)?;
    a.executable = share(Arc::clone(&loaded.executable));
});
serve!(PJRT_LoadedExecutable_AddressableDevices_Args, |a, _| {
    let loaded = object::<LoadedState, _>(a.executable)?;
    let handles = &loaded.client.device_handles.0[loaded.device..=loaded.device];
    (a.addressable_devices, a.num_addressable_devices) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, |a, _| {
    let loaded = object::<LoadedState, _>(a.executable)?;
    // The host only reads them, though the interface does not say so.
    a.addressable_device_logical_ids = loaded.logical_ids.as_ptr().cast_mut();
    a.num_addressable_device_logical_ids = loaded.logical_ids.len();
});
serve!(PJRT_LoadedExecutable_Fingerprint_Args, |a, _| {
    let text = &object::<LoadedState, _>(a.executable)?.executable.fingerprint;
    (a.executable_fingerprint, a.executable_fingerprint_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_LoadedExecutable_Delete_Args, |a, _| {
    object::<LoadedState, _>(a.executable)?.deleted.store(true, Relaxed);
});
serve!(PJRT_LoadedExecutable_IsDeleted_Args, |a, _| {
    a.is_deleted = u8::from(object::<LoadedState, _>(a.executable)?.deleted.load(Relaxed));
});
serve!(PJRT_LoadedExecutable_Execute_Args, |a, plugin| {
    let loaded = object::<LoadedState, _>(a.executable)?;
    if loaded.deleted.load(Relaxed) {
        return Err(Error::invalid("the executable was deleted"));
    }
    if a.num_devices != 1 || a.argument_lists.is_null() || a.output_lists.is_null() {
        return Err(Error::invalid(format!("one list of arguments wanted: {}", a.num_devices)));
    }
    let device = match loaded.client.place(a.execute_device) {
        Some(device) => device,
        None if a.execute_device.is_null() => loaded.device,
        None => return Err(Error::invalid("a device of another client")),
    };
    let program = &loaded.executable.program;
    let buffers = arguments(*a.argument_lists, a.num_args)?;
    let given: Vec<(&Shape, &Stored)> =
        buffers.iter().map(|(buffer, stored)| (&buffer.shape, stored)).collect();
    let results = program.run(device, &given)?;
    let kept = non_donatable(a.options);
    for place in program.donated().into_iter().filter(|place| !kept.contains(&(*place as i64))) {
        if let Some((buffer, _)) = buffers.get(place) {
            buffer.stored.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
    let wanted = &loaded.executable.outputs;
    if results.len() != wanted.len() {
        let (name, found) = (plugin.platform.name(), results.len());
        return Err(Error::internal(format!("{name}: {} results wanted: {found}", wanted.len())));
    }
    let list = *a.output_lists;
    for (i, (shape, stored)) in wanted.iter().zip(results).enumerate() {
        let client = Arc::clone(&loaded.client);
        let buffer = BufferState::new(client, device, shape.clone(), stored);
        list.add(i).write(share(Arc::new(buffer)));
    }
    if !a.device_complete_events.is_null() {
        a.device_complete_events.write(share(EventState::done(Ok(()))));
    }
});

/// The arguments that the host wants to keep, by their places; there since 0.39.
///
/// # Safety
/// `options` is null or options of a host.
unsafe fn non_donatable(options: *const PJRT_ExecuteOptions) -> Vec<i64> {
    // Headers of 0.39 to 0.45 announced as little as those that did not have the field: they cannot be
    // told apart, and a host that keeps nothing is the likelier one.
    let end = offset_of!(PJRT_ExecuteOptions, num_non_donatable_input_indices) + size_of::<usize>();
    // SAFETY: the caller says so; the first word of options is their size, which the field must fit.
    unsafe {
        if options.is_null() || options.cast::<usize>().read() < end {
            return Vec::new();
        }
        let list = (*options).non_donatable_input_indices;
        numbers(list, (*options).num_non_donatable_input_indices)
    }
}

/// The buffers of a list, each with what it holds now.
///
/// # Safety
/// `list` has `count` handles of buffers that are alive.
unsafe fn arguments<'a>(
    list: *const *mut PJRT_Buffer,
    count: usize,
) -> Result<Vec<(&'a BufferState, Stored)>, Error> {
    let mut all = Vec::new();
    for i in 0..count {
        // SAFETY: the caller says so.
        let buffer = unsafe { object::<BufferState, _>(*list.add(i))? };
        all.push((buffer, buffer.stored()?));
    }
    Ok(all)
}
