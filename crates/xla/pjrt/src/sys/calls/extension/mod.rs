//! Calls of extensions. Each is gated by the size of the plug-in's own extension, by the first minor
//! in which the slot has meant this, and by null; what is not there is a typed error.

pub(crate) mod abi_version;
pub(crate) mod ffi;
pub(crate) mod layouts;
pub(crate) mod memories;
pub(crate) mod metadata;
pub(crate) mod phases;
pub(crate) mod profiler;
pub(crate) mod shardings;
pub(crate) mod stream;
