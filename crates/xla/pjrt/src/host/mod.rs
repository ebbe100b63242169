//! The safe host API: load plug-ins, compile programs, run them.
//!
//! [`Plugin::load`] loads a plug-in of any version of the PJRT C API since 0.29; everything else
//! comes from it. Whatever a plug-in made keeps the client alive that it belongs to, so nothing can be
//! used after it is gone, and nothing needs to be freed by hand. Objects may be used from any thread.
//!
//! Data may come later than the buffer that holds them. [`Client::begin_transfer`] makes buffers that are
//! filled in parts while programs already wait for them; [`Client::alias_buffer`],
//! [`Buffer::donate_with_dependency`], [`Buffer::announce_raw_copy`] and [`Plugin::create_event`] are
//! promises, which break with an error rather than a hang when they are dropped;
//! [`Client::error_buffer`] is a failure that goes through programs as data would.
//!
//! Memory that the plug-in uses belongs to it until it says that it is done: an owner is handed over
//! ([`Client::buffer_from_owner`], [`Client::view_of_host_memory`], [`Client::dma_map`],
//! [`Transfer::send`]) and dropped then. Where only the caller can know that what is handed over is
//! right, the function is `unsafe`: [`Client::view_of_device_memory`], [`Ffi::register_handler`],
//! [`Plugin::from_table`].
//!
//! ```no_run
//! use unskew_pjrt::{ElementType, Plugin};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Plugin::load("pjrt_c_api_cpu_plugin.so")?.create_client(&[])?;
//! let memory = client.addressable_devices()?[0].default_memory()?;
//! let transfer = client.begin_transfer(&[(ElementType::U8, &[6])], &memory)?;
//! let buffer = transfer.take(0)?;
//! transfer.send(0, b"con".to_vec(), 0, false)?.wait()?;
//! transfer.send(0, b"tra".to_vec(), 3, true)?.wait()?;
//! assert_eq!(buffer.to_host()?, b"contra");
//! # Ok(())
//! # }
//! ```
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
mod loaded;
mod memory;
mod parameters;
mod plugin;
mod program;
mod promise;
mod shape;
mod stats;
mod topology;
mod transfer;

pub use buffer::{Buffer, Contents, ExternalReference};
pub use callbacks::{Callbacks, DeviceCallbacks, ToDevice};
pub use client::{BufferPlace, Client, HostArray, HostData};
pub use device::{Device, MemoryDescription, PjrtDeviceDescription};
pub use error::Error;
pub use event::{Event, Pending};
pub use executable::Executable;
pub use extension::{
    ExecuteContext, Ffi, MemoryLayout, PhaseCompiler, Profiler, ProfilerSession, UserType,
};
pub use failure::HostFailure;
pub use foreign::{DmaMapped, ProcessInfo};
pub use loaded::{ExecuteOptions, LoadedExecutable, Outputs};
pub use memory::Memory;
pub use plugin::{LoadError, Plugin};
pub use program::{PjrtProgram, SerializedOptions};
pub use promise::{BufferAlias, Dependency, HostEvent, RawCopy, Tracking};
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
