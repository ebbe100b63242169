//! The extension AbiVersion.

use crate::host::Error;
use crate::sys::bindings::*;
use crate::sys::calls::read::{self, bytes};
use crate::sys::calls::{Handle, Keep, Owned};
use crate::sys::{Api, CallError};

/// What a client's runtime can load.
pub(crate) fn of_client(
    client: &Handle<PJRT_Client>,
) -> Result<Owned<PJRT_RuntimeAbiVersion>, Error> {
    let mut arguments = client.api().record::<PJRT_Client_RuntimeAbiVersion_Args>();
    arguments.client = client.raw();
    // SAFETY: the client is alive.
    unsafe { client.api().call_extension(&mut arguments) }?;
    let raw = read::some("client_runtime_abi_version", arguments.abi_version)?;
    // SAFETY: the version is the caller's to free.
    Ok(unsafe { Owned::new(raw, client.keep().clone()) })
}

/// What an executable needs.
pub(crate) fn of_executable(
    executable: &Handle<PJRT_Executable>,
) -> Result<Owned<PJRT_ExecutableAbiVersion>, Error> {
    let mut arguments = executable.api().record::<PJRT_Executable_GetAbiVersion_Args>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call_extension(&mut arguments) }?;
    let raw = read::some("executable_get_abi_version", arguments.abi_version)?;
    // SAFETY: the version is the caller's to free.
    Ok(unsafe { Owned::new(raw, executable.keep().clone()) })
}

/// Whether a runtime can load what was made for another; an error if not.
pub(crate) fn fits_runtime(
    one: &Handle<PJRT_RuntimeAbiVersion>,
    other: &Handle<PJRT_RuntimeAbiVersion>,
) -> Result<(), Error> {
    if !one.same_plugin(other) {
        return Err(Error::OtherClient);
    }
    let mut arguments = one.api().record::<PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args>();
    arguments.abi_version = one.raw();
    arguments.other_abi_version = other.raw();
    // SAFETY: both are alive and of one plug-in.
    unsafe { one.api().call_extension(&mut arguments) }.map_err(Into::into)
}

/// Whether a runtime can load an executable; an error if not.
pub(crate) fn fits_executable(
    runtime: &Handle<PJRT_RuntimeAbiVersion>,
    executable: &Handle<PJRT_ExecutableAbiVersion>,
) -> Result<(), Error> {
    if !runtime.same_plugin(executable) {
        return Err(Error::OtherClient);
    }
    let mut arguments =
        runtime.api().record::<PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args>();
    arguments.abi_version = runtime.raw();
    arguments.executable_abi_version = executable.raw();
    // SAFETY: both are alive and of one plug-in.
    unsafe { runtime.api().call_extension(&mut arguments) }.map_err(Into::into)
}

macro_rules! versions {
    ($($object:ty: $serialize:ident = $to:ident, $parse:ident = $from:ident,
        $platform:ident = $id:ident;)*) => { $(
        pub(crate) fn $serialize(version: &Handle<$object>) -> Result<Vec<u8>, Error> {
            let mut arguments = version.api().record::<$to>();
            arguments.abi_version = version.raw();
            // SAFETY: the version is alive.
            unsafe { version.api().call_extension(&mut arguments) }?;
            let (start, count) = (arguments.serialized_proto, arguments.serialized_proto_size);
            // SAFETY: the plug-in says that so many bytes are there until the deleter is called.
            let copy = unsafe { bytes(stringify!($to), start, count) };
            if let (Some(delete), false) =
                (arguments.serialized_proto_deleter, arguments.serialized_proto_holder.is_null())
            {
                // SAFETY: what the plug-in has just handed out is freed once, after its last use.
                unsafe { delete(arguments.serialized_proto_holder) };
            }
            copy
        }

        pub(crate) fn $parse(api: &'static Api, bytes: &[u8]) -> Result<Owned<$object>, Error> {
            let mut arguments = api.record::<$from>();
            arguments.serialized_proto = bytes.as_ptr();
            arguments.serialized_proto_size = bytes.len();
            // SAFETY: the bytes are there during the call.
            unsafe { api.call_extension(&mut arguments) }?;
            let raw = read::some(stringify!($from), arguments.abi_version)?;
            // SAFETY: the version is the caller's to free.
            Ok(unsafe { Owned::new(raw, Keep::Plugin(api)) })
        }

        pub(crate) fn $platform(version: &Handle<$object>) -> Result<u64, CallError> {
            let mut arguments = version.api().record::<$id>();
            arguments.abi_version = version.raw();
            // SAFETY: the version is alive.
            unsafe { version.api().call_extension(&mut arguments) }?;
            Ok(arguments.platform_id)
        }
    )* };
}

versions! {
    PJRT_RuntimeAbiVersion: runtime_bytes = PJRT_RuntimeAbiVersion_ToProto_Args,
        runtime_of = PJRT_RuntimeAbiVersion_FromProto_Args,
        runtime_platform = PJRT_RuntimeAbiVersion_PlatformId_Args;
    PJRT_ExecutableAbiVersion: executable_bytes = PJRT_ExecutableAbiVersion_ToProto_Args,
        executable_of = PJRT_ExecutableAbiVersion_FromProto_Args,
        executable_platform = PJRT_ExecutableAbiVersion_PlatformId_Args;
}
