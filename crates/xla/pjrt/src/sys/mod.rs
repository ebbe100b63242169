//! The PJRT C API as C has it: the only unsafe code of this crate.
//!
//! * [`bindings`] has every type, made from the data;
//! * [`Api`] is the table of one plug-in, in the dialect of its age: which functions it has, which
//!   size each struct is announced with, which extensions there are;
//! * `look` asks a plug-in what it is, for tools that only look.
//!
//! Programs use the safe layer above it; this module is public for those that stand between a host
//! and a plug-in, or measure.
#![allow(unsafe_code, reason = "a plug-in is foreign code behind C pointers")]

pub mod api;
pub mod bindings;
pub mod call;
#[cfg(feature = "host")]
pub(crate) mod calls;
pub mod error;
mod extensions;
#[cfg(feature = "host")]
pub(crate) mod look;
pub mod padded;
#[cfg(feature = "host")]
pub(crate) mod trial;

pub use api::{Api, MAJOR, TableError};
pub use call::{Call, ExtensionCall, Record};
pub use error::CallError;
pub use extensions::ExtensionTable;
pub use padded::PaddedStruct;
