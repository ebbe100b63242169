//! Calls that make executables.

use std::sync::Arc;

use super::read;
use super::{Handle, Keep, Owned};
use crate::host::Error;
use crate::sys::Api;
use crate::sys::bindings::*;

/// A program as the interface wants it; it borrows from its parts.
fn program(api: &Api, code: &[u8], format: &str) -> PJRT_Program {
    let mut program = api.record::<PJRT_Program>();
    // Only `PJRT_Executable_OptimizedProgram` writes to the code of a program.
    program.code = code.as_ptr().cast_mut();
    program.code_size = code.len();
    program.format = format.as_ptr();
    program.format_size = format.len();
    program
}

/// Compiles a program and loads it.
pub(crate) fn compile(
    client: &Handle<PJRT_Client>,
    (code, format): (&[u8], &str),
    options: &[u8],
) -> Result<Owned<PJRT_LoadedExecutable>, Error> {
    let program = program(client.api(), code, format);
    let mut arguments = client.api().record::<PJRT_Client_Compile_Args>();
    arguments.client = client.raw();
    arguments.program = &raw const program;
    arguments.compile_options = options.as_ptr();
    arguments.compile_options_size = options.len();
    // SAFETY: the client is alive; program and options live until the call is over.
    unsafe { client.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_Compile", arguments.executable)?;
    // SAFETY: the executable is the caller's to free.
    Ok(unsafe { Owned::new(raw, client.keep().clone()) })
}

/// Compiles a program for a topology that `keep` keeps alive, on a client or without one.
pub(crate) fn compile_for(
    topology: &Handle<PJRT_TopologyDescription>,
    (code, format): (&[u8], &str),
    options: &[u8],
    client: Option<&Handle<PJRT_Client>>,
    keep: Keep,
) -> Result<Owned<PJRT_Executable>, Error> {
    let program = program(topology.api(), code, format);
    let mut arguments = topology.api().record::<PJRT_Compile_Args>();
    arguments.topology = topology.raw();
    arguments.program = &raw const program;
    arguments.compile_options = options.as_ptr();
    arguments.compile_options_size = options.len();
    if let Some(client) = client {
        if !client.same_plugin(topology) {
            return Err(Error::OtherClient);
        }
        arguments.client = client.raw();
    }
    // SAFETY: topology and client are alive and of one plug-in; program and options live until the
    // call is over.
    unsafe { topology.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Compile", arguments.executable)?;
    let keep = match client {
        Some(client) => client.keep().clone(),
        None => keep,
    };
    // SAFETY: the executable is the caller's to free.
    Ok(unsafe { Owned::new(raw, keep) })
}

/// Loads an executable that was compiled for a topology.
pub(crate) fn load(
    client: &Handle<PJRT_Client>,
    executable: &Handle<PJRT_Executable>,
    options: &[u8],
) -> Result<Owned<PJRT_LoadedExecutable>, Error> {
    if !client.same_plugin(executable) {
        return Err(Error::OtherClient);
    }
    let mut arguments = client.api().record::<PJRT_Client_Load_Args>();
    arguments.client = client.raw();
    arguments.executable = executable.raw();
    arguments.compile_options = options.as_ptr();
    arguments.compile_options_size = options.len();
    // SAFETY: client and executable are alive and of one plug-in; options live during the call.
    unsafe { client.api().call(&mut arguments) }?;
    let raw = read::some("PJRT_Client_Load", arguments.loaded_executable)?;
    // SAFETY: the loaded executable is the caller's to free.
    Ok(unsafe { Owned::new(raw, client.keep().clone()) })
}

/// Loads a serialized executable.
pub(crate) fn deserialize(
    client: &Handle<PJRT_Client>,
    bytes: &[u8],
    options: Option<&[u8]>,
) -> Result<Owned<PJRT_LoadedExecutable>, Error> {
    let api = client.api();
    let mut arguments = api.record::<PJRT_Executable_DeserializeAndLoad_Args>();
    arguments.client = client.raw();
    arguments.serialized_executable = bytes.as_ptr();
    arguments.serialized_executable_size = bytes.len();
    if let Some(options) = options {
        let field = "overridden_serialized_compile_options";
        Error::known::<PJRT_Executable_DeserializeAndLoad_Args>(api, field)?;
        arguments.overridden_serialized_compile_options = options.as_ptr();
        arguments.overridden_serialized_compile_options_size = options.len();
    }
    // SAFETY: the client is alive; the bytes live during the call.
    unsafe { api.call(&mut arguments) }?;
    let raw = read::some("PJRT_Executable_DeserializeAndLoad", arguments.loaded_executable)?;
    // SAFETY: the loaded executable is the caller's to free.
    Ok(unsafe { Owned::new(raw, client.keep().clone()) })
}

/// Describes a topology by name.
pub(crate) fn topology(
    api: &'static Api,
    name: &str,
    options: &[crate::Attribute],
) -> Result<Arc<Owned<PJRT_TopologyDescription>>, Error> {
    let options = super::named::to_c(api, options);
    let mut arguments = api.record::<PJRT_TopologyDescription_Create_Args>();
    arguments.topology_name = name.as_ptr();
    arguments.topology_name_size = name.len();
    arguments.create_options = options.as_ptr();
    arguments.num_options = options.len();
    // SAFETY: name and options live during the call.
    unsafe { api.call(&mut arguments) }?;
    let raw = read::some("PJRT_TopologyDescription_Create", arguments.topology)?;
    // SAFETY: the topology is the caller's to free.
    Ok(Arc::new(unsafe { Owned::new(raw, Keep::Plugin(api)) }))
}

/// A topology from bytes.
pub(crate) fn topology_from(
    api: &'static Api,
    bytes: &[u8],
) -> Result<Arc<Owned<PJRT_TopologyDescription>>, Error> {
    let mut arguments = api.record::<PJRT_TopologyDescription_Deserialize_Args>();
    arguments.serialized_topology = bytes.as_ptr();
    arguments.serialized_topology_size = bytes.len();
    // SAFETY: the bytes live during the call.
    unsafe { api.call(&mut arguments) }?;
    let raw = read::some("PJRT_TopologyDescription_Deserialize", arguments.topology)?;
    // SAFETY: the topology is the caller's to free.
    Ok(Arc::new(unsafe { Owned::new(raw, Keep::Plugin(api)) }))
}
