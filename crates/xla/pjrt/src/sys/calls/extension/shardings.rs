//! The extension Shardings.

use crate::host::Error;
use crate::sys::ExtensionCall;
use crate::sys::bindings::*;
use crate::sys::calls::Handle;
use crate::sys::calls::read::{bytes, list};

/// The sharding of each parameter of a program; none if the program is not sharded.
pub(crate) fn of_parameters(
    executable: &Handle<PJRT_Executable>,
) -> Result<Option<Vec<Vec<u8>>>, Error> {
    type Arguments = PJRT_Shardings_PJRT_Executable_ParameterShardings_Args;
    let mut arguments = executable.api().record::<Arguments>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call_extension(&mut arguments) }?;
    let Arguments { shardings, sharding_sizes, num_parameters, .. } = arguments;
    // SAFETY: the plug-in says that so many texts are there, as long as the executable.
    unsafe { texts(Arguments::SLOT, shardings, sharding_sizes, num_parameters) }
}

/// The sharding of each result of a program; none if the program is not sharded.
pub(crate) fn of_outputs(
    executable: &Handle<PJRT_Executable>,
) -> Result<Option<Vec<Vec<u8>>>, Error> {
    type Arguments = PJRT_Shardings_PJRT_Executable_OutputShardings_Args;
    let mut arguments = executable.api().record::<Arguments>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call_extension(&mut arguments) }?;
    let Arguments { shardings, sharding_sizes, num_outputs, .. } = arguments;
    // SAFETY: the plug-in says that so many texts are there, as long as the executable.
    unsafe { texts(Arguments::SLOT, shardings, sharding_sizes, num_outputs) }
}

/// # Safety
/// `starts` is null, or so many starts and sizes are there, and the bytes that they name.
unsafe fn texts(
    function: &'static str,
    starts: *const *const u8,
    sizes: *const usize,
    count: usize,
) -> Result<Option<Vec<Vec<u8>>>, Error> {
    if starts.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller says so.
    let starts = unsafe { list(function, starts, count) }?;
    // SAFETY: as above.
    let sizes = unsafe { list(function, sizes, count) }?;
    // SAFETY: as above.
    let one = |(&start, &size)| unsafe { bytes(function, start, size) };
    starts.iter().zip(&sizes).map(one).collect::<Result<Vec<_>, Error>>().map(Some)
}
