//! The extension Layouts, slot by slot: each layout as its text, as in `{1,0}`.

use super::client_of;
use crate::host::{Buffer, Device, Error, LoadedExecutable, Topology};
use crate::sys::Api;
use crate::sys::bindings::*;
use crate::sys::calls::read::list;
use crate::sys::error;

/// The layout that the plug-in prefers for a shape on the client of a device.
pub(crate) fn default_layout(
    device: &Device,
    kind: PJRT_Buffer_Type,
    dims: &[i64],
) -> Result<String, Error> {
    let client = client_of(device).ok_or(Error::Null { function: "PJRT_Client_Create" })?;
    let api = client.api();
    let mut ask = api.record::<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>();
    ask.client = client.raw();
    ask.r#type = kind;
    ask.dims = dims.as_ptr();
    ask.num_dims = dims.len();
    // SAFETY: the client is alive, the dimensions are there during the call.
    unsafe { api.call_extension(&mut ask) }?;
    layout_text(api, ask.layout, true)
}

/// The same for a topology.
pub(crate) fn topology_layout(
    topology: &Topology,
    kind: PJRT_Buffer_Type,
    dims: &[i64],
) -> Result<String, Error> {
    let api = topology.raw().api();
    let mut ask = api.record::<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>();
    ask.topology_description = topology.raw().raw();
    ask.r#type = kind;
    ask.dims = dims.as_ptr();
    ask.num_dims = dims.len();
    // SAFETY: the topology is alive, the dimensions are there during the call.
    unsafe { api.call_extension(&mut ask) }?;
    layout_text(api, ask.layout, true)
}

/// The layout of a buffer.
pub(crate) fn buffer_layout(buffer: &Buffer) -> Result<String, Error> {
    let api = buffer.raw().api();
    let mut ask = api.record::<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>();
    ask.buffer = buffer.raw().raw();
    // SAFETY: the buffer is alive.
    unsafe { api.call_extension(&mut ask) }?;
    layout_text(api, ask.layout, true)
}

/// The layouts of a program's results, which stay the program's.
pub(crate) fn output_layouts(program: &LoadedExecutable) -> Result<Vec<String>, Error> {
    let executable = program.executable()?;
    let api = executable.raw().api();
    let mut ask = api.record::<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>();
    ask.executable = executable.raw().raw();
    // SAFETY: the executable is alive.
    unsafe { api.call_extension(&mut ask) }?;
    // SAFETY: the plug-in says that so many layouts are there, for as long as the executable.
    let layouts = unsafe { list("GetOutputLayouts", ask.layouts, ask.num_outputs) }?;
    layouts.into_iter().map(|layout| layout_text(api, layout, false)).collect()
}

/// The layouts of a program's parameters, which stay the program's.
pub(crate) fn parameter_layouts(program: &LoadedExecutable) -> Result<Vec<String>, Error> {
    let executable = program.executable()?;
    let api = executable.raw().api();
    let mut ask = api.record::<PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args>();
    ask.executable = executable.raw().raw();
    // SAFETY: the executable is alive.
    unsafe { api.call_extension(&mut ask) }?;
    // SAFETY: the plug-in says that so many layouts are there, for as long as the executable.
    let layouts = unsafe { list("GetParameterLayouts", ask.layouts, ask.num_parameters) }?;
    layouts.into_iter().map(|layout| layout_text(api, layout, false)).collect()
}

/// The text of a layout, which is freed if it is ours.
fn layout_text(
    api: &Api,
    layout: *mut PJRT_Layouts_MemoryLayout,
    ours: bool,
) -> Result<String, Error> {
    if layout.is_null() {
        return Err(Error::Null { function: "the extension Layouts" });
    }
    let mut ask = api.record::<PJRT_Layouts_MemoryLayout_Serialize_Args>();
    ask.layout = layout;
    // SAFETY: the plug-in has just handed the layout out.
    unsafe { api.call_extension(&mut ask) }?;
    // SAFETY: the text is there until its deleter is called.
    let text = unsafe { error::text(ask.serialized_bytes, ask.serialized_bytes_size) };
    if let Some(delete) = ask.serialized_layout_deleter {
        // SAFETY: the text was copied.
        unsafe { delete(ask.serialized_layout) };
    }
    if ours {
        let mut destroy = api.record::<PJRT_Layouts_MemoryLayout_Destroy_Args>();
        destroy.layout = layout;
        // SAFETY: nobody uses the layout afterwards.
        unsafe { api.call_extension(&mut destroy) }?;
    }
    Ok(text)
}
