//! Playing a host: the one place of this crate where foreign code is called.
//!
//! All of it runs in copies of a child process that loads nothing but stand-ins, each host in a copy of its own: memory
//! that a plug-in spoils is thrown away with the copy.
#![allow(unsafe_code, reason = "loads and calls foreign code")]

mod entries;
mod functions;
mod guarded;
mod loaded;
mod simulated_host;
mod status;

pub(crate) use loaded::{LoadedPlugin, StandIns};
pub(crate) use simulated_host::play;
