//! The safe host API: load plug-ins, compile programs, run them.
//!
//! [`Plugin::load`] loads a plug-in of any version of the PJRT C API since 0.29; everything else
//! comes from it. Whatever a plug-in made keeps the client alive that it belongs to, so nothing can be
//! used after it is gone, and nothing needs to be freed by hand. Objects may be used from any thread.
//!
//! What the plug-in is too old for is a typed error
//! ([`CallError::Unimplemented`](crate::sys::CallError), with the first version that has it), or has a
//! replacement where there is one that is as good; `docs/reference/pjrt-host.md` lists both.

mod buffer;
mod callbacks;
mod client;
mod device;
mod error;
mod event;
mod executable;
pub mod extension;
mod failure;
mod foreign;
mod key_value;
mod loaded;
mod memory;
mod plugin;
mod promise;
mod shape;
mod stats;
mod topology;
mod transfer;

pub use buffer::{Buffer, Held};
pub use callbacks::{Callbacks, DeviceCallbacks, ToDevice};
pub use client::{Client, HostArray, Place, Program};
pub use device::{Device, DeviceDescription, MemoryDescription};
pub use error::Error;
pub use event::{Event, Pending};
pub use executable::Executable;
pub use extension::{ExecuteContext, Ffi, Layout, PhaseCompiler, UserType};
pub use failure::Failure;
pub use foreign::{DmaMapped, ProcessInfo};
pub use key_value::{KeyValueError, KeyValueStore};
pub use loaded::{ExecuteOptions, LoadedExecutable, Outputs};
pub use memory::Memory;
pub use plugin::{LoadError, Plugin};
pub use promise::{Alias, Dependency, HostEvent, RawCopy, Tracking};
pub(crate) use shape::host_bytes;
pub use stats::{CompiledMemoryStats, MemoryStats};
pub use topology::Topology;
pub use transfer::Transfer;

/// The answer, or the replacement if the plug-in does not have the function.
pub(crate) fn or_if_absent<T, E: Into<Error>>(
    answer: Result<T, E>,
    otherwise: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    match answer.map_err(Into::into) {
        Err(Error::Call(crate::sys::CallError::Unimplemented { .. })) => otherwise(),
        answer => answer,
    }
}
