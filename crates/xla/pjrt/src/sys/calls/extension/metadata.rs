//! The extension ExecutableMetadata.

use crate::host::Error;
use crate::sys::bindings::*;
use crate::sys::calls::Handle;
use crate::sys::calls::read::{self, bytes};

/// What the vendor says of an executable, as bytes.
pub(crate) fn of_executable(executable: &Handle<PJRT_Executable>) -> Result<Vec<u8>, Error> {
    let function = "get_executable_metadata";
    let api = executable.api();
    let mut arguments = api.record::<PJRT_ExecutableMetadata_GetExecutableMetadata_Args>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { api.call_extension(&mut arguments) }?;
    let metadata = read::some(function, arguments.metadata)?;
    // SAFETY: the plug-in has just made it.
    let PJRT_ExecutableMetadata { serialized_metadata, serialized_metadata_size } =
        unsafe { *metadata.as_ptr() };
    // SAFETY: the plug-in says that so many bytes are there until they are freed.
    let copy = unsafe { bytes(function, serialized_metadata, serialized_metadata_size) };
    let mut destroy = api.record::<PJRT_ExecutableMetadata_DestroySerializedMetadata_Args>();
    destroy.metadata = metadata.as_ptr();
    // SAFETY: freed once, after its last use. A plug-in without the function keeps it.
    let _ = unsafe { api.call_extension(&mut destroy) };
    copy
}
