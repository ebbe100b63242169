//! The plug-in as C has it: the only unsafe code of this crate.
//!
//! A handle that a host gets is the address of an object of this module; it comes back in the arguments of
//! later calls. That a host gives back only handles that it got, and none after it freed it, is the host's
//! side of the interface: it cannot be told here.
#![allow(unsafe_code, reason = "hosts call through C pointers")]
#![allow(non_camel_case_types, reason = "the names of C")]

mod adopted;
mod attribute;
mod context;
mod copies;
mod device;
mod framework;
mod kernel;
mod optimizer;
mod platform;
mod profiler;
mod register;
mod status;
mod stream;
mod structs;
mod tensor;
mod variable;

use std::ffi::{CString, c_void};

use unskew_stream_executor::bindings::{SE_StatusCallbackFn, TF_Status};

use crate::{Error, Platform};

pub use attribute::Construction;
pub use context::Context;
pub use kernel::init_kernel;
pub use optimizer::{OptimizerExports, init_graph};
pub use profiler::{ProfilerExports, init_profiler};
pub use register::init_plugin;
pub use tensor::Tensor;
pub use variable::{Operation, Update};

pub(crate) use kernel::Registration;
pub(crate) use status::text;
pub(crate) use variable::served as variables_served;

/// A plug-in of this library: made by [`export_plugin!`](crate::export_plugin).
pub trait Exports: 'static {
    /// The platform that the author of the plug-in wrote.
    type Platform: Platform;

    /// The plug-in, made when it is first asked for.
    fn exported() -> &'static Exported<Self::Platform>;
}

/// A plug-in with its names.
pub struct Exported<P> {
    made: Result<Made<P>, Error>,
}

/// A platform, and its names as C reads them.
struct Made<P> {
    platform: P,
    name: CString,
    device_type: CString,
}

impl<P: Platform> Exported<P> {
    /// The plug-in that `make` makes. If the author's code panics meanwhile, the host is told when it asks.
    pub fn new(make: impl FnOnce() -> P) -> Self {
        let made = status::caught("the platform", || {
            let platform = make();
            let (name, device_type) = (text(platform.name()), text(platform.device_type()));
            Ok(Made { platform, name, device_type })
        });
        Self { made }
    }

    fn made(&self) -> Result<&Made<P>, Error> {
        self.made.as_ref().map_err(Clone::clone)
    }
}

/// A function of the host, to be called once, when a stream gets there.
#[derive(Debug)]
pub struct Callback {
    function: SE_StatusCallbackFn,
    argument: *mut c_void,
}

// SAFETY: hosts hand out such callbacks to be called from any thread.
unsafe impl Send for Callback {}

impl Callback {
    /// Calls it, with how the stream's work has gone.
    pub fn call(self, result: &Result<(), Error>) {
        let status = match result {
            Ok(()) => status::Status::new(),
            Err(error) => status::Status::from(error),
        };
        if let Some(function) = self.function {
            let status: *mut TF_Status = status.raw();
            // SAFETY: the host handed out both to be used together, and the status is alive.
            unsafe { function(self.argument, status) }
        }
    }
}

/// Ordinary memory, aligned to 64 bytes.
pub(crate) fn allocate_host(bytes: u64) -> Option<*mut c_void> {
    let bytes = usize::try_from(bytes).ok()?;
    let mut memory = std::ptr::null_mut();
    // SAFETY: the alignment is a power of two, and the result is written to a place of ours.
    let failed = unsafe { libc::posix_memalign(&raw mut memory, 64, bytes.max(1)) };
    (failed == 0).then_some(memory)
}

/// Gives back what [`allocate_host`] gave.
pub(crate) fn deallocate_host(memory: *mut c_void) {
    // SAFETY: the host gives back what it got, once; null is nothing.
    unsafe { libc::free(memory) }
}
