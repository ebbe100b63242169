//! The extension Layouts: layouts are read as bytes, and freed where they are the caller's.

use crate::host::Error;
use crate::sys::bindings::*;
use crate::sys::calls::read::{self, list};
use crate::sys::calls::{Handle, Keep, Owned};
use crate::sys::{Api, ExtensionCall};

/// The layout that a client gives to arrays of this type and these dimensions unless told otherwise.
pub(crate) fn of_client(
    client: &Handle<PJRT_Client>,
    element_type: PJRT_Buffer_Type,
    dims: &[i64],
) -> Result<Vec<u8>, Error> {
    let mut arguments = client.api().record::<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>();
    arguments.client = client.raw();
    arguments.r#type = element_type;
    arguments.dims = dims.as_ptr();
    arguments.num_dims = dims.len();
    // SAFETY: the client is alive, the dimensions are there.
    unsafe { client.api().call_extension(&mut arguments) }?;
    // SAFETY: the layout is the caller's to free.
    unsafe { take("PJRT_Layouts_PJRT_Client_GetDefaultLayout", arguments.layout, client.keep()) }
}

/// The layout that the devices of a topology give to such arrays unless told otherwise.
pub(crate) fn of_topology(
    topology: &Handle<PJRT_TopologyDescription>,
    element_type: PJRT_Buffer_Type,
    dims: &[i64],
) -> Result<Vec<u8>, Error> {
    let mut arguments = topology.api().record::<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>();
    arguments.topology_description = topology.raw();
    arguments.r#type = element_type;
    arguments.dims = dims.as_ptr();
    arguments.num_dims = dims.len();
    // SAFETY: the topology is alive, the dimensions are there.
    unsafe { topology.api().call_extension(&mut arguments) }?;
    let function = "PJRT_Layouts_PJRT_Topology_GetDefaultLayout";
    // SAFETY: the layout is the caller's to free.
    unsafe { take(function, arguments.layout, topology.keep()) }
}

/// The layout of a buffer.
pub(crate) fn of_buffer(buffer: &Handle<PJRT_Buffer>) -> Result<Vec<u8>, Error> {
    let mut arguments = buffer.api().record::<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>();
    arguments.buffer = buffer.raw();
    // SAFETY: the buffer is alive.
    unsafe { buffer.api().call_extension(&mut arguments) }?;
    // SAFETY: the layout is the caller's to free.
    unsafe { take("PJRT_Layouts_PJRT_Buffer_MemoryLayout", arguments.layout, buffer.keep()) }
}

/// The layout of each result of a program.
pub(crate) fn of_outputs(executable: &Handle<PJRT_Executable>) -> Result<Vec<Vec<u8>>, Error> {
    type Arguments = PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args;
    let mut arguments = executable.api().record::<Arguments>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call_extension(&mut arguments) }?;
    // SAFETY: the layouts belong to the executable, and live as long.
    unsafe { all(executable.api(), Arguments::SLOT, arguments.layouts, arguments.num_outputs) }
}

/// The layout of each parameter of a program.
pub(crate) fn of_parameters(executable: &Handle<PJRT_Executable>) -> Result<Vec<Vec<u8>>, Error> {
    type Arguments = PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args;
    let mut arguments = executable.api().record::<Arguments>();
    arguments.executable = executable.raw();
    // SAFETY: the executable is alive.
    unsafe { executable.api().call_extension(&mut arguments) }?;
    let (start, count) = (arguments.layouts, arguments.num_parameters);
    // SAFETY: the layouts belong to the executable, and live as long.
    unsafe { all(executable.api(), Arguments::SLOT, start, count) }
}

/// # Safety
/// So many layouts are there.
unsafe fn all(
    api: &Api,
    function: &'static str,
    start: *mut *mut PJRT_Layouts_MemoryLayout,
    count: usize,
) -> Result<Vec<Vec<u8>>, Error> {
    // SAFETY: the caller says so.
    let layouts = unsafe { list(function, start.cast_const(), count) }?;
    let one = |layout: *mut PJRT_Layouts_MemoryLayout| {
        let layout = read::some(function, layout)?;
        // SAFETY: the caller says so.
        unsafe { bytes_of(api, layout.as_ptr()) }
    };
    layouts.into_iter().map(one).collect()
}

/// # Safety
/// The layout is null, or the caller's to free.
unsafe fn take(
    function: &'static str,
    layout: *mut PJRT_Layouts_MemoryLayout,
    keep: &Keep,
) -> Result<Vec<u8>, Error> {
    let layout = read::some(function, layout)?;
    // SAFETY: the caller says so.
    let layout = unsafe { Owned::new(layout, keep.clone()) };
    // SAFETY: the layout is alive.
    unsafe { bytes_of(layout.api(), layout.raw()) }
}

/// # Safety
/// The layout is alive.
unsafe fn bytes_of(api: &Api, layout: *mut PJRT_Layouts_MemoryLayout) -> Result<Vec<u8>, Error> {
    let mut arguments = api.record::<PJRT_Layouts_MemoryLayout_Serialize_Args>();
    arguments.layout = layout;
    // SAFETY: the caller says that the layout is alive.
    unsafe { api.call_extension(&mut arguments) }?;
    let (start, count) = (arguments.serialized_bytes, arguments.serialized_bytes_size);
    // SAFETY: the plug-in says that so many bytes are there until the deleter is called.
    let copy = unsafe { read::bytes("PJRT_Layouts_MemoryLayout_Serialize", start, count) };
    if let (Some(delete), false) =
        (arguments.serialized_layout_deleter, arguments.serialized_layout.is_null())
    {
        // SAFETY: what the plug-in has just handed out is freed once, after its last use.
        unsafe { delete(arguments.serialized_layout) };
    }
    copy
}
