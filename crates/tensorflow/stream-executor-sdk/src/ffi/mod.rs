//! The plug-in as C has it: the only unsafe code of this crate.
//!
//! A handle that a host gets is the address of an object of this module; it comes back in the arguments of
//! later calls. That a host gives back only handles that it got, and none after it freed it, is the host's
//! side of the interface: it cannot be told here.
#![allow(unsafe_code, reason = "hosts call through C pointers")]
#![allow(non_camel_case_types, reason = "the names of C")]

mod adopted;
mod attribute;
mod callback;
mod context;
mod copies;
mod device;
mod framework;
mod host_memory;
mod kernel;
mod last_host;
mod optimizer;
mod platform;
mod profiler;
mod register;
mod status;
mod stream;
mod structs;
mod tensor;
mod variable;

use std::ffi::CString;

use crate::{Error, Platform};

pub use attribute::Construction;
pub use callback::Callback;
pub use context::Context;
pub use optimizer::{OptimizerExports, init_graph};
pub use profiler::{ProfilerExports, init_profiler};
pub use register::{init_kernel, init_plugin};
pub use tensor::Tensor;
pub use variable::{Operation, Update};

pub(crate) use host_memory::{allocate_host, deallocate_host};
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
    made: Result<ExportedPlatform<P>, Error>,
}

/// A platform, and its names as C reads them.
struct ExportedPlatform<P> {
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
            Ok(ExportedPlatform { platform, name, device_type })
        });
        Self { made }
    }

    fn made(&self) -> Result<&ExportedPlatform<P>, Error> {
        self.made.as_ref().map_err(Clone::clone)
    }
}
