//! Extensions: what a plug-in may have besides the table.
//!
//! An extension has a size and no version, so each of its functions is there if the size covers its
//! slot, the slot is not null, and the plug-in is not older than the meaning of the slot. What is not
//! there is [`CallError::Unimplemented`](crate::sys::CallError), as for functions of the table.
//!
//! | extension | where |
//! | --- | --- |
//! | Layouts | `default_layout` of [`Client`](super::Client) and [`Topology`](super::Topology), [`Buffer::layout`](super::Buffer::layout), [`Executable::output_layouts`](super::Executable::output_layouts) |
//! | FFI | [`Ffi`], [`ExecuteContext`] |
//! | MemoryDescriptions | [`PjrtDeviceDescription::memories`](super::PjrtDeviceDescription::memories) |
//! | Shardings | [`Executable::output_shardings`](super::Executable::output_shardings) |
//! | PhaseCompile | [`PhaseCompiler`] |
//! | Profiler | [`Profiler`], [`ProfilerSession`] |
//! | AbiVersion | [`RuntimeAbiVersion`], [`ExecutableAbiVersion`] |
//! | ExecutableMetadata | [`Executable::vendor_metadata`](super::Executable::vendor_metadata) |
//! | Stream | [`Device::stream`](super::Device::stream), [`Device::wait_for`](super::Device::wait_for) |
//!
//! All others are told apart by name and size alone: [`Plugin::extensions`](super::Plugin::extensions)
//! lists them, and [`Api::call_extension`](crate::sys::Api::call_extension) calls what is bound.

mod abi_version;
mod execute_context;
mod ffi;
mod layouts;
mod phases;
mod profiler;
mod stream;

pub use abi_version::{ExecutableAbiVersion, RuntimeAbiVersion};
pub use execute_context::{ExecuteContext, UserType};
pub use ffi::Ffi;
pub use layouts::MemoryLayout;
pub use phases::PhaseCompiler;
pub use profiler::{Profiler, ProfilerSession};
