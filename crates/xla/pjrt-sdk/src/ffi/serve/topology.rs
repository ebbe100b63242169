//! Topologies: a client describes its own.

use unskew_pjrt::sys::bindings::*;

use super::{again, object, release, serve, share};
use crate::ffi::handle_objects::ClientState;

serve!(PJRT_Client_TopologyDescription_Args to topology, |a, _| {
    object::<ClientState, _>(a.client)?;
    // It belongs to the client.
    a.topology = a.client.cast();
});
serve!(PJRT_TopologyDescription_Destroy_Args to topology, |a, _| {
    // That of a client is the client's own; no other is made here.
    object::<ClientState, _>(a.topology)?;
});
serve!(PJRT_TopologyDescription_PlatformName_Args to platform_name_size, |a, plugin| {
    let name = &plugin.name;
    (a.platform_name, a.platform_name_size) = (name.as_ptr(), name.len());
});
serve!(PJRT_TopologyDescription_PlatformVersion_Args to platform_version_size, |a, plugin| {
    let version = &plugin.version;
    (a.platform_version, a.platform_version_size) = (version.as_ptr(), version.len());
});
serve!(PJRT_TopologyDescription_GetDeviceDescriptions_Args to num_descriptions, |a, _| {
    let handles = &object::<ClientState, _>(a.topology)?.description_handles.0;
    (a.descriptions, a.num_descriptions) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_TopologyDescription_Attributes_Args to num_attributes, |a, _| {
    (a.attributes, a.num_attributes) = object::<ClientState, _>(a.topology)?.topology.list();
});
serve!(PJRT_ExecuteContext_Create_Args to context, |a, _| {
    // It carries nothing here: no extension of this plug-in takes user data.
    a.context = share(std::sync::Arc::new(0_u8));
});
serve!(PJRT_ExecuteContext_Destroy_Args to context, |a, _| {
    let _ = again::<u8, _>(a.context)?;
    release::<u8, _>(a.context);
});
