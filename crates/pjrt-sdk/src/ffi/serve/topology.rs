//! Topologies: a client describes its own.

use unskew_pjrt::sys::bindings::*;

use super::{again, object, release, serve, share};
use crate::ffi::state::ClientState;

serve!(PJRT_Client_TopologyDescription_Args, |a, _| {
    object::<ClientState, _>(a.client)?;
    // It belongs to the client.
    a.topology = a.client.cast();
});
serve!(PJRT_TopologyDescription_Destroy_Args, |a, _| {
    // That of a client is the client's own; no other is made here.
    object::<ClientState, _>(a.topology)?;
});
serve!(PJRT_TopologyDescription_PlatformName_Args, |a, plugin| {
    let name = plugin.platform.name();
    (a.platform_name, a.platform_name_size) = (name.as_ptr(), name.len());
});
serve!(PJRT_TopologyDescription_PlatformVersion_Args, |a, plugin| {
    let version = plugin.platform.version();
    (a.platform_version, a.platform_version_size) = (version.as_ptr(), version.len());
});
serve!(PJRT_TopologyDescription_GetDeviceDescriptions_Args, |a, _| {
    let handles = &object::<ClientState, _>(a.topology)?.description_handles.0;
    (a.descriptions, a.num_descriptions) = (handles.as_ptr(), handles.len());
});
serve!(PJRT_TopologyDescription_Attributes_Args, |a, plugin| {
    (a.attributes, a.num_attributes) = plugin.attributes.list();
});
serve!(PJRT_ExecuteContext_Create_Args, |a, _| {
    // It carries nothing here: no extension of this plug-in takes user data.
    a.context = share(std::sync::Arc::new(0_u8));
});
serve!(PJRT_ExecuteContext_Destroy_Args, |a, _| {
    let _ = again::<u8, _>(a.context)?;
    release::<u8, _>(a.context);
});
