//! Every struct, union, enumeration, callback and function of the PJRT C API as it is laid out today,
//! under its name in C; made from `data/abi/`.
//!
//! Since 0.29 structs have only grown at their end, but for three: what a host sends to an older
//! plug-in is the beginning of the struct of today. The three are `PJRT_Extension_Base`, which had no
//! size before 0.45, `PJRT_ProcessInfo`, which had none before August 2025, and the user data of the
//! extension FFI before 0.81.
#![allow(
    non_camel_case_types,
    non_upper_case_globals,
    reason = "the names are those of the header, which users of the interface know"
)]

use super::call::{Call, ExtensionCall, Record};

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
