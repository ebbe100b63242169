//! Playing a host: the one place of this crate where foreign code is called.
//!
//! All of it runs in a child process that does nothing else, and each host in a copy of that: memory that
//! a plug-in spoils is thrown away with the copy.
#![allow(unsafe_code, reason = "loads and calls foreign code")]

mod copy;
mod entries;
mod functions;
mod guarded;
mod loaded;
mod simulated_host;
mod status;

pub(crate) use copy::in_a_copy;
pub(crate) use loaded::LoadedPlugin;
pub(crate) use simulated_host::play;
