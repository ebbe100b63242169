//! Programs, compiled and loaded.

use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use unskew_pjrt::sys::bindings::*;

use super::client::assignment;
use super::{again, bytes, nested, object, release, serve, share};
use crate::Error;
use crate::ffi::call_guard::end;
use crate::ffi::handle_objects::{ClientState, ExecutableState, LoadedState, NamedValues};

serve!(PJRT_Executable_Destroy_Args to executable, |a, _| {
    release::<ExecutableState, _>(a.executable);
});
serve!(PJRT_Executable_Name_Args to executable_name_size, |a, _| {
    let name = &object::<ExecutableState, _>(a.executable)?.name;
    (a.executable_name, a.executable_name_size) = (name.as_ptr(), name.len());
});
serve!(PJRT_Executable_NumReplicas_Args to num_replicas, |a, _| {
    a.num_replicas = object::<ExecutableState, _>(a.executable)?.replicas;
});
serve!(PJRT_Executable_NumPartitions_Args to num_partitions, |a, _| {
    a.num_partitions = object::<ExecutableState, _>(a.executable)?.partitions;
});
serve!(PJRT_Executable_NumOutputs_Args to num_outputs, |a, _| {
    a.num_outputs = object::<ExecutableState, _>(a.executable)?.outputs.len();
});
serve!(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args to size_in_bytes, |a, _| {
    let program = &object::<ExecutableState, _>(a.executable)?.program;
    a.size_in_bytes = program.memory_use().map_or(0, |used| used.code);
});
serve!(PJRT_Executable_OutputMemoryKinds_Args to memory_kind_sizes, |a, _| {
    let executable = object::<ExecutableState, _>(a.executable)?;
    a.num_outputs = executable.outputs.len();
    a.memory_kinds = executable.kind_texts.0.as_ptr();
    a.memory_kind_sizes = executable.kind_sizes.as_ptr();
});
serve!(PJRT_Executable_OutputElementTypes_Args to num_output_types, |a, _| {
    let executable = object::<ExecutableState, _>(a.executable)?;
    // The host only reads them, though the interface does not say so.
    a.output_types = executable.types.as_ptr().cast_mut();
    a.num_output_types = executable.types.len();
});
serve!(PJRT_Executable_OutputDimensions_Args to dim_sizes, |a, _| {
    let executable = object::<ExecutableState, _>(a.executable)?;
    a.num_outputs = executable.outputs.len();
    (a.dims, a.dim_sizes) = (executable.dims.as_ptr(), executable.ranks.as_ptr());
});
serve!(PJRT_Executable_Fingerprint_Args to executable_fingerprint_size, |a, _| {
    let text = &object::<ExecutableState, _>(a.executable)?.fingerprint;
    (a.executable_fingerprint, a.executable_fingerprint_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_Executable_Serialize_Args to serialized_executable_deleter, |a, _| {
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

serve!(PJRT_Executable_GetCostAnalysis_Args to properties, |a, _| {
    let executable = object::<ExecutableState, _>(a.executable)?;
    let costs = match executable.costs.get() {
        Some(costs) => costs,
        None => {
            let costs = NamedValues::new(executable.program.cost_analysis()?);
            executable.costs.get_or_init(|| costs)
        }
    };
    (a.properties, a.num_properties) = costs.list();
});
serve!(PJRT_Executable_GetCompiledMemoryStats_Args to temp_size_in_bytes, |a, _| {
    let used = object::<ExecutableState, _>(a.executable)?.program.memory_use()?;
    a.generated_code_size_in_bytes = used.code;
    a.argument_size_in_bytes = used.arguments;
    a.output_size_in_bytes = used.outputs;
    a.alias_size_in_bytes = used.aliased;
    a.temp_size_in_bytes = used.temporary;
});
serve!(PJRT_Executable_OptimizedProgram_Args to program, |a, _| {
    let (format, code) = object::<ExecutableState, _>(a.executable)?.program.optimized()?;
    // The format must outlive this call: there are few of them.
    let known = ["mlir", "hlo", "hlo_with_config"].into_iter().find(|known| *known == format);
    let format = known.ok_or_else(|| Error::internal(format!("no format of programs: {format}")))?;
    let needs = end(offset_of!(PJRT_Program, format_size), |p: &PJRT_Program| &raw const p.format_size);
    let room = nested(a.program, needs)?.ok_or_else(|| Error::invalid("no place for a program"))?;
    let place = a.program;
    (&raw mut (*place).format).write_unaligned(format.as_ptr());
    (&raw mut (*place).format_size).write_unaligned(format.len());
    (&raw mut (*place).code_size).write_unaligned(code.len());
    if !room.code.is_null() {
        if room.code_size < code.len() {
            return Err(Error::invalid(format!("{} bytes of code: {}", code.len(), room.code_size)));
        }
        std::ptr::copy_nonoverlapping(code.as_ptr(), room.code.cast(), code.len());
    }
});

serve!(PJRT_Executable_DeserializeAndLoad_Args to loaded_executable, |a, plugin| {
    let client = again::<ClientState, _>(a.client)?;
    let serialized = bytes(a.serialized_executable, a.serialized_executable_size);
    let program = plugin.platform.deserialize(serialized)?;
    let overridden = bytes(
        a.overridden_serialized_compile_options,
        a.overridden_serialized_compile_options_size,
    );
    // Hosts that say nothing of devices mean the first.
    let assignment = if overridden.is_empty() {
        client.first()?
    } else {
        assignment(&client, overridden)?
    };
    a.loaded_executable = share(Arc::new(LoadedState::new(client, program, assignment)?));
});
serve!(PJRT_LoadedExecutable_Destroy_Args to executable, |a, _| {
    release::<LoadedState, _>(a.executable);
});
serve!(PJRT_LoadedExecutable_GetExecutable_Args to executable, |a, _| {
    let loaded = object::<LoadedState, _>(a.loaded_executable)?;
    a.executable = share(Arc::clone(&loaded.executable));
});
serve!(PJRT_LoadedExecutable_AddressableDevices_Args to num_addressable_devices, |a, _| {
    let loaded = object::<LoadedState, _>(a.executable)?;
    let handles = &loaded.devices.0;
    (a.addressable_devices, a.num_addressable_devices) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args to num_addressable_device_logical_ids, |a, _| {
    let loaded = object::<LoadedState, _>(a.executable)?;
    // The host only reads them, though the interface does not say so.
    a.addressable_device_logical_ids = loaded.logical_ids.as_ptr().cast_mut();
    a.num_addressable_device_logical_ids = loaded.logical_ids.len();
});
serve!(PJRT_LoadedExecutable_Fingerprint_Args to executable_fingerprint_size, |a, _| {
    let text = &object::<LoadedState, _>(a.executable)?.executable.fingerprint;
    (a.executable_fingerprint, a.executable_fingerprint_size) = (text.as_ptr(), text.len());
});
serve!(PJRT_LoadedExecutable_Delete_Args to executable, |a, _| {
    object::<LoadedState, _>(a.executable)?.deleted.store(true, Relaxed);
});
serve!(PJRT_LoadedExecutable_IsDeleted_Args to is_deleted, |a, _| {
    a.is_deleted = u8::from(object::<LoadedState, _>(a.executable)?.deleted.load(Relaxed));
});
serve!(PJRT_LoadedExecutable_GetDeviceAssignment_Args to serialized_device_assignment_deleter, |a, _| {
    let loaded = object::<LoadedState, _>(a.executable)?;
    let id = |place: usize| loaded.client.devices.get(place).map_or(-1, |device| device.device.id);
    let serialized = loaded.assignment.serialize(id);
    (a.serialized_bytes, a.serialized_bytes_size) = (serialized.as_ptr(), serialized.len());
    a.serialized_device_assignment = share(Arc::new(serialized));
    a.serialized_device_assignment_deleter = Some(free_assignment);
});

unsafe extern "C" fn free_assignment(serialized: *mut PJRT_DeviceAssignmentSerialized) {
    // SAFETY: the host frees what was handed out above, once.
    unsafe { release::<Vec<u8>, _>(serialized) };
}
