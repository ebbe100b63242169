//! The adapter as C sees it: the only unsafe code of this crate.
//!
//! A host calls functions of our table with arguments of its own age; what a call needs to know beyond
//! them lies in `ADAPTER`, which is set once, before the host gets the table. There is one per shared
//! object, and every adapted plug-in is a shared object of its own.
//!
//! | module | subject |
//! | --- | --- |
//! | `adapter` | what every call needs to know |
//! | `get_pjrt_api` | `GetPjrtApi`: settings, plug-in, table |
//! | `table` | what stands in each slot, and where the table lies |
//! | `relay` | arguments that changed their size, in both directions |
//! | `execute` | the options of an execution, nested in its arguments |
//! | `compile` | programs and compile options |
//! | `executables` | stamping of serialized executables |
//! | `optimized` | optimized programs for hosts that hold ids of 32 bits |
//! | `attributes` | what the plug-in says of itself |
//! | `process_info` | an array whose elements changed |
//! | `chain` | the extensions that the host sees |
//! | `profiler` | a profiler for hosts that take one for granted |
//! | `errors` | errors of our own, beside the plug-in's |
//! | `absent` | functions that the plug-in does not have |
#![allow(unsafe_code, reason = "both sides are foreign code behind C pointers")]

mod absent;
mod adapter;
mod attributes;
mod chain;
mod compile;
mod errors;
mod executables;
mod execute;
mod get_pjrt_api;
mod optimized;
mod process_info;
mod profiler;
mod relay;
mod table;

use adapter::{ADAPTER, Adapter, FAILURE, FUNCTIONS, Fallible};
use errors::guarded;

pub use get_pjrt_api::GetPjrtApi;
