//! Calls on executables.

use std::sync::Arc;

use super::read::{self, bytes, handles, list, room, text, texts};
use super::{Handle, Keep, Owned, getters, named};
use crate::Attribute;
use crate::host::Error;
use crate::sys::bindings::*;

getters! { PJRT_Executable, executable:
    name -> String = PJRT_Executable_Name_Args
        => |a| text(a.executable_name, a.executable_name_size);
    num_replicas -> usize = PJRT_Executable_NumReplicas_Args => |a| a.num_replicas;
    num_partitions -> usize = PJRT_Executable_NumPartitions_Args => |a| a.num_partitions;
    num_outputs -> usize = PJRT_Executable_NumOutputs_Args => |a| a.num_outputs;
    code_size -> i64 = PJRT_Executable_SizeOfGeneratedCodeInBytes_Args => |a| a.size_in_bytes;
    fingerprint -> String = PJRT_Executable_Fingerprint_Args
        => |a| text(a.executable_fingerprint, a.executable_fingerprint_size);
    cost_analysis -> Vec<Attribute> = PJRT_Executable_GetCostAnalysis_Args
        => |a| named::from_c(a.properties, a.num_properties);
    memory_stats -> PJRT_Executable_GetCompiledMemoryStats_Args
        = PJRT_Executable_GetCompiledMemoryStats_Args => |a| a;
    output_types -> Result<Vec<PJRT_Buffer_Type>, Error> = PJRT_Executable_OutputElementTypes_Args
        => |a| list("PJRT_Executable_OutputElementTypes", a.output_types, a.num_output_types);
}

getters! { PJRT_LoadedExecutable, executable:
    delete -> () = PJRT_LoadedExecutable_Delete_Args => |_a| ();
    is_deleted -> bool = PJRT_LoadedExecutable_IsDeleted_Args => |a| a.is_deleted != 0;
    loaded_fingerprint -> String = PJRT_LoadedExecutable_Fingerprint_Args
        => |a| text(a.executable_fingerprint, a.executable_fingerprint_size);
    logical_ids -> Result<Vec<PJRT_LogicalDeviceIds>, Error>
        = PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args
        => |a| list("PJRT_LoadedExecutable_AddressableDeviceLogicalIds",
            a.addressable_device_logical_ids, a.num_addressable_device_logical_ids);
}

/// The executable of a loaded one.
pub(crate) fn of_loaded(
    loaded: &Arc<Owned<PJRT_LoadedExecutable>>,
) -> Result<Owned<PJRT_Executable>, Error> {
    let mut arguments = loaded.api().record::<PJRT_LoadedExecutable_GetExecutable_Args>();
    arguments.loaded_executable = loaded.raw();
    // SAFETY: the loaded executable is alive.
    unsafe { loaded.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_LoadedExecutable_GetExecutable", arguments.executable)?;
    // SAFETY: the executable is the caller's to free, and lives no longer than the loaded one, as
    // plug-ins of 0.106 and later read that when they are asked for layouts and shardings.
    Ok(unsafe { Owned::new(raw, Keep::Loaded(Arc::clone(loaded))) })
}

/// The usable devices that a loaded executable runs on.
pub(crate) fn devices(
    loaded: &Handle<PJRT_LoadedExecutable>,
) -> Result<Vec<Handle<PJRT_Device>>, Error> {
    let mut arguments = loaded.api().record::<PJRT_LoadedExecutable_AddressableDevices_Args>();
    arguments.executable = loaded.raw();
    // SAFETY: the loaded executable is alive.
    unsafe { loaded.api().call(&mut arguments) }?;
    let (start, count) = (arguments.addressable_devices, arguments.num_addressable_devices);
    // SAFETY: the plug-in says that so many are there; devices live as long as the client.
    unsafe { handles("PJRT_LoadedExecutable_AddressableDevices", start, count, loaded.keep()) }
}

/// The dimensions of each result.
pub(crate) fn output_dimensions(
    executable: &Handle<PJRT_Executable>,
) -> Result<Vec<Vec<i64>>, Error> {
    let function = "PJRT_Executable_OutputDimensions";
    let mut arguments = executable.api().record::<PJRT_Executable_OutputDimensions_Args>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call(&mut arguments) }?;
    // SAFETY: the plug-in says that there is a size for each result.
    let sizes = unsafe { list(function, arguments.dim_sizes, arguments.num_outputs) }?;
    let total = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    let total = total.ok_or(Error::Implausible { function, count: usize::MAX })?;
    // SAFETY: the plug-in says that the dimensions of all results are there, one after another.
    let dims = unsafe { list(function, arguments.dims, total) }?;
    let mut rest = dims.as_slice();
    let mut next = |size: usize| {
        let (first, others) = rest.split_at_checked(size)?;
        rest = others;
        Some(first.to_vec())
    };
    let split: Option<Vec<Vec<i64>>> = sizes.iter().map(|&size| next(size)).collect();
    split.ok_or(Error::Null { function })
}

/// The kind of memory of each result.
pub(crate) fn output_memory_kinds(
    executable: &Handle<PJRT_Executable>,
) -> Result<Vec<String>, Error> {
    let mut arguments = executable.api().record::<PJRT_Executable_OutputMemoryKinds_Args>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call(&mut arguments) }?;
    let (starts, sizes) = (arguments.memory_kinds, arguments.memory_kind_sizes);
    let function = "PJRT_Executable_OutputMemoryKinds";
    // SAFETY: the plug-in says that there are a text and a size for each result.
    unsafe { texts(function, starts, sizes, arguments.num_outputs) }
}

/// The kind of memory of each parameter.
pub(crate) fn parameter_memory_kinds(
    executable: &Handle<PJRT_Executable>,
) -> Result<Vec<String>, Error> {
    let mut arguments = executable.api().record::<PJRT_Executable_ParameterMemoryKinds_Args>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call(&mut arguments) }?;
    let (starts, sizes) = (arguments.memory_kinds, arguments.memory_kind_sizes);
    let function = "PJRT_Executable_ParameterMemoryKinds";
    // SAFETY: the plug-in says that there are a text and a size for each parameter.
    unsafe { texts(function, starts, sizes, arguments.num_parameters) }
}

/// The program as the compiler left it: its code and its format.
pub(crate) fn optimized_program(
    executable: &Handle<PJRT_Executable>,
) -> Result<(Vec<u8>, String), Error> {
    let function = "PJRT_Executable_OptimizedProgram";
    let api = executable.api();
    let mut program = api.record::<PJRT_Program>();
    let mut arguments = api.record::<PJRT_Executable_OptimizedProgram_Args>();
    arguments.executable = executable.raw();
    arguments.program = &raw mut program;
    // SAFETY: the executable is alive; without room only the size is asked.
    unsafe { api.call(&mut arguments) }?;
    let mut code = room(function, program.code_size)?;
    code.resize(program.code_size, 0);
    program.code = code.as_mut_ptr();
    // SAFETY: there is as much room as the plug-in asked for.
    unsafe { api.call(&mut arguments) }?;
    code.truncate(program.code_size);
    // SAFETY: the plug-in says that the name of the format is there.
    Ok((code, unsafe { text(program.format, program.format_size) }))
}

macro_rules! serialized {
    ($($(#[$doc:meta])* $name:ident($object:ty, $as:ident) = $arguments:ident,
        $holder:ident, $deleter:ident;)*) => { $(
        $(#[$doc])*
        pub(crate) fn $name(of: &Handle<$object>) -> Result<Vec<u8>, Error> {
            let mut arguments = of.api().record::<$arguments>();
            arguments.$as = of.raw();
            // SAFETY: the object is alive.
            unsafe { of.api().call(&mut arguments) }?;
            let (start, count) = (arguments.serialized_bytes, arguments.serialized_bytes_size);
            // SAFETY: the plug-in says that so many bytes are there until the deleter is called.
            let copy = unsafe { bytes(stringify!($arguments), start, count) };
            if let (Some(delete), false) = (arguments.$deleter, arguments.$holder.is_null()) {
                // SAFETY: what the plug-in has just handed out is freed once, after its last use.
                unsafe { delete(arguments.$holder) };
            }
            copy
        }
    )* };
}

serialized! {
    /// An executable as bytes that the same build of the plug-in can load.
    serialize(PJRT_Executable, executable) = PJRT_Executable_Serialize_Args,
        serialized_executable, serialized_executable_deleter;
    /// The options that an executable was compiled with.
    compile_options(PJRT_Executable, executable) = PJRT_Executable_GetCompileOptions_Args,
        serialized_compile_options, serialized_compile_options_deleter;
    /// Which device runs which replica and partition.
    device_assignment(PJRT_LoadedExecutable, executable)
        = PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        serialized_device_assignment, serialized_device_assignment_deleter;
    /// A topology as bytes.
    serialize_topology(PJRT_TopologyDescription, topology)
        = PJRT_TopologyDescription_Serialize_Args,
        serialized_topology, serialized_topology_deleter;
}

getters! { PJRT_TopologyDescription, topology:
    topology_platform_name -> String = PJRT_TopologyDescription_PlatformName_Args
        => |a| text(a.platform_name, a.platform_name_size);
    topology_platform_version -> String = PJRT_TopologyDescription_PlatformVersion_Args
        => |a| text(a.platform_version, a.platform_version_size);
    topology_attributes -> Vec<Attribute> = PJRT_TopologyDescription_Attributes_Args
        => |a| named::from_c(a.attributes, a.num_attributes);
    topology_fingerprint -> u64 = PJRT_TopologyDescription_Fingerprint_Args => |a| a.fingerprint;
}

/// The devices of a topology, as raw addresses: their owner decides what keeps them.
pub(crate) fn topology_devices(
    topology: &Handle<PJRT_TopologyDescription>,
    keep: &super::Keep,
) -> Result<Vec<Handle<PJRT_DeviceDescription>>, Error> {
    let mut arguments =
        topology.api().record::<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
    arguments.topology = topology.raw();
    // SAFETY: the topology is alive.
    unsafe { topology.api().call(&mut arguments) }?;
    let (start, count) = (arguments.descriptions, arguments.num_descriptions);
    // SAFETY: the plug-in says that so many are there; they live as long as the topology, which
    // `keep` holds.
    unsafe { handles("PJRT_TopologyDescription_GetDeviceDescriptions", start, count, keep) }
}
