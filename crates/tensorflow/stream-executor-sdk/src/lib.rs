//! TensorFlow pluggable devices in Rust.
//!
//! Implement [`Platform`], [`Device`] and a [`Kernel`] for each operation, and [`export_plugin!`] makes the
//! entries of a `cdylib` that every TensorFlow from 2.5 to 2.21 loads. What hosts of other ages need is done
//! here:
//!
//! * the host's age is told by the sizes of the structs that it hands out, since the version that it announces
//!   has been 0.0.1 in every release; a struct is filled in by the layout of that age, and nothing is written
//!   behind its end;
//! * a host of another major version is refused with a text that names both, as is one whose structs fit no
//!   release;
//! * the library imports only what every release exports; what came or went is looked up when it is needed;
//! * to link it, no TensorFlow has to be on the machine: a stub of `libtensorflow_framework.so.2` is made, so
//!   that the shared object names that library as needed, without which TensorFlow's symbols are not found;
//! * a panic becomes a status, and never crosses into C. Where the interface has no status, its text goes to
//!   the error stream.
//!
//! ```
//! use unskew_stream_executor_sdk::{DataType, Error, KernelDef};
//!
//! let matmul = KernelDef::new("MatMul").data_type("T", DataType::FLOAT);
//! let error = Error::unimplemented("sparse matrices");
//! assert_eq!(error.to_string(), "sparse matrices");
//! # let _ = matmul;
//! ```
//!
//! The example `soroban` is a complete plug-in: a device in the CPU's memory, with the kernels that training a
//! small Keras model takes.
//!
//! # What TensorFlow does with an error
//!
//! A status that a plug-in sets while it registers ends the process, in every release so far, although the
//! document of the interface asks hosts to go on without the plug-in. The text is printed.
//!
//! # Limits
//!
//! In TensorFlow 2.6 and 2.7, functions on a device take kernels that the C API has no means for; there, and only
//! there, the host's own C++ kernels are called by their names.
//!
//! Linux only. Kernels that compute asynchronously are not offered: releases before 2.13 have none.
//!
//! Sources: *StreamExecutor C API Versioning Strategy*, and what `unskew_stream_executor::layout` was measured
//! from.

mod data_type;
mod device;
mod error;
mod ffi;
mod host;
mod kernel;
mod optimizer;
mod platform;
mod profiler;

pub use data_type::DataType;
pub use device::{
    Callback, Description, Device, EventStatus, HostMemory, Memory, Order, Pattern, Statistics,
    Timer, Usage,
};
pub use error::{Code, Error};
pub use ffi::{
    Construction, Context, Exported, Exports, Operation, OptimizerExports, ProfilerExports, Tensor,
    Update, init_graph, init_kernel, init_plugin, init_profiler,
};
pub use host::Host;
pub use kernel::{Kernel, KernelDef, Kernels};
pub use optimizer::Optimizer;
pub use platform::{Allocator, Platform};
pub use profiler::Profiler;
/// The C types that the macros name.
pub use unskew_stream_executor::bindings;

/// Makes the entries of a plug-in: `export_plugin!(Name, PlatformType, expression)`.
///
/// `Name` becomes a type that stands for the plug-in, and the expression makes the [`Platform`], once, when a
/// host asks first. The entries are `SE_InitPlugin` and `TF_InitKernel`.
#[macro_export]
macro_rules! export_plugin {
    ($name:ident, $platform:ty, $make:expr) => {
        /// The plug-in of this library.
        pub struct $name;

        impl $crate::Exports for $name {
            type Platform = $platform;

            fn exported() -> &'static $crate::Exported<$platform> {
                static EXPORTED: ::std::sync::OnceLock<$crate::Exported<$platform>> =
                    ::std::sync::OnceLock::new();
                EXPORTED.get_or_init(|| $crate::Exported::new(|| $make))
            }
        }

        /// The entry by which hosts register the platform.
        ///
        /// # Safety
        /// The arguments are what a host hands out.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn SE_InitPlugin(
            params: *mut $crate::bindings::SE_PlatformRegistrationParams,
            status: *mut $crate::bindings::TF_Status,
        ) {
            // SAFETY: the host says so.
            unsafe { $crate::init_plugin::<$name>(params, status) }
        }

        /// The entry by which hosts let kernels be registered.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub extern "C" fn TF_InitKernel() {
            $crate::init_kernel::<$name>()
        }
    };
}

/// Makes the entry `TF_InitGraph`: `export_optimizer!(Name, expression)`, where the expression makes the
/// [`Optimizer`].
#[macro_export]
macro_rules! export_optimizer {
    ($name:ident, $make:expr) => {
        /// The graph optimizer of this library.
        pub struct $name;

        impl $crate::OptimizerExports for $name {
            fn exported() -> &'static dyn $crate::Optimizer {
                static MADE: ::std::sync::OnceLock<::std::boxed::Box<dyn $crate::Optimizer>> =
                    ::std::sync::OnceLock::new();
                &**MADE.get_or_init(|| ::std::boxed::Box::new($make))
            }
        }

        /// The entry by which hosts register the graph optimizer.
        ///
        /// # Safety
        /// The arguments are what a host hands out.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn TF_InitGraph(
            params: *mut $crate::bindings::TP_OptimizerRegistrationParams,
            status: *mut $crate::bindings::TF_Status,
        ) {
            // SAFETY: the host says so.
            unsafe { $crate::init_graph::<$name>(params, status) }
        }
    };
}

/// Makes the entry `TF_InitProfiler`: `export_profiler!(Name, expression)`, where the expression makes the
/// [`Profiler`].
#[macro_export]
macro_rules! export_profiler {
    ($name:ident, $make:expr) => {
        /// The profiler of this library.
        pub struct $name;

        impl $crate::ProfilerExports for $name {
            fn exported() -> &'static dyn $crate::Profiler {
                static MADE: ::std::sync::OnceLock<::std::boxed::Box<dyn $crate::Profiler>> =
                    ::std::sync::OnceLock::new();
                &**MADE.get_or_init(|| ::std::boxed::Box::new($make))
            }
        }

        /// The entry by which hosts register the profiler.
        ///
        /// # Safety
        /// The arguments are what a host hands out.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn TF_InitProfiler(
            params: *mut $crate::bindings::TF_ProfilerRegistrationParams,
            status: *mut $crate::bindings::TF_Status,
        ) {
            // SAFETY: the host says so.
            unsafe { $crate::init_profiler::<$name>(params, status) }
        }
    };
}
