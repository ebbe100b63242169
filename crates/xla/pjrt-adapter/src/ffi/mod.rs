//! The adapter as C sees it: the only unsafe code of this crate.
//!
//! A host calls functions of our table with arguments of its own age; what a call needs to know beyond
//! them lies in [`ADAPTER`], which is set once, before the host gets the table. There is one per shared
//! object, and every adapted plug-in is a shared object of its own.
//!
//! | module | subject |
//! | --- | --- |
//! | `entry` | `GetPjrtApi`: settings, plug-in, table |
//! | `table` | what stands in each slot, and where the table lies |
//! | `relay` | arguments that changed their size, in both directions |
//! | `execute` | the options of an execution, nested in its arguments |
//! | `compile` | programs and compile options |
//! | `executables` | stamping of serialized executables |
//! | `optimized` | optimized programs for hosts that hold ids of 32 bits |
//! | `attributes` | what the plug-in says of itself |
//! | `process_info` | an array whose elements changed |
//! | `chain` | the extensions that the host sees |
//! | `errors` | errors of our own, beside the plug-in's |
//! | `absent` | functions that the plug-in does not have |
#![allow(unsafe_code, reason = "both sides are foreign code behind C pointers")]

mod absent;
mod attributes;
mod chain;
mod compile;
mod entry;
mod errors;
mod executables;
mod execute;
mod optimized;
mod process_info;
mod relay;
mod table;

use std::ffi::c_void;
use std::sync::OnceLock;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::Api;
use unskew_pjrt::sys::bindings::PJRT_Error;

use crate::Config;
use crate::ages::Ages;
use crate::passage::Passage;

pub use entry::GetPjrtApi;

/// A function of the table: takes its arguments, returns an error or null. Those that return nothing
/// are never called through this type.
type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

/// How many functions there are.
const FUNCTIONS: usize = Function::ALL.len();

/// What every call needs to know.
struct Adapter {
    config: Config,
    api: Api,
    ages: Ages,
    /// The ways of the arguments of every function, by its place.
    passages: Box<[Passage]>,
    /// The way of the options of an execution.
    execute_options: Passage,
    /// The plug-in's own function for an execution.
    execute: Option<Fallible>,
    /// What the plug-in says of itself, as the host sees it.
    attributes: OnceLock<attributes::Attributes>,
    /// Who the plug-in is, for stamps.
    identity: OnceLock<Result<Box<unskew_pjrt::convert::stamp::Fingerprint>, String>>,
    /// What the first client says of its platform: name and version.
    platform: OnceLock<(String, String)>,
}

/// Set before the host gets its table.
static ADAPTER: OnceLock<Adapter> = OnceLock::new();

/// Why there is no adapter; the host gets a table that says so.
static FAILURE: OnceLock<String> = OnceLock::new();

impl Adapter {
    /// The plug-in's own function.
    fn function(&self, function: Function) -> Option<Fallible> {
        let address = self.api.function(function)?;
        // SAFETY: `Api` says that a function lies there; since 0.29 every one takes a pointer to its
        // arguments, and all but two return an error or null. The two are called as what they are.
        Some(unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) })
    }

    /// The way of the arguments of a function.
    fn passage(&self, function: Function) -> &Passage {
        &self.passages[function as usize]
    }
}

/// Runs what may panic, which must not reach C: a panic becomes an error of the call.
fn guarded(call: impl FnOnce() -> *mut PJRT_Error) -> *mut PJRT_Error {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    caught.unwrap_or_else(|_| errors::internal("a panic in the adapter; this is a bug of Unskew"))
}
