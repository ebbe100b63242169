//! `PJRT_LoadedExecutable_Execute`, whose options are a struct of their own that grew eight times.
//!
//! This is the one function that programs call all the time, so it allocates nothing: the options are
//! copied on the stack, and options of the plug-in's own age are not copied at all.

use std::ffi::c_void;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::Record as _;
use unskew_pjrt::sys::bindings::*;

use super::{ADAPTER, absent, relay};
use crate::struct_marshal::StructHandling;

/// What a host calls as `PJRT_LoadedExecutable_Execute`.
pub unsafe extern "C" fn execute(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    let function = Function::PJRT_LoadedExecutable_Execute;
    let Some(call) = adapter.execute else { return absent::unimplemented(function) };
    let host = arguments.cast::<PJRT_LoadedExecutable_Execute_Args>();
    let complete = size_of::<PJRT_LoadedExecutable_Execute_Args>();
    // SAFETY: the host passes the arguments of this function; their size has not changed since 0.29.
    let (announced, options) = unsafe { ((*host).struct_size, (*host).options) };
    if announced < complete || options.is_null() {
        // SAFETY: what is not as it should be is for the plug-in to judge.
        return unsafe { call(arguments) };
    }
    let passage = &adapter.execute_options;
    let chains_fit = adapter.ages.chains_fit();
    // SAFETY: the options begin with their size.
    let bytes = match passage.way(unsafe { (*options).struct_size }) {
        // SAFETY: both sides have the same options.
        StructHandling::Untouched if chains_fit => return unsafe { call(arguments) },
        StructHandling::Untouched => passage.least(),
        StructHandling::Copied(bytes) => bytes,
        StructHandling::TooSmall(expected) => {
            return relay::too_small(adapter, passage, expected, options.cast());
        }
    };
    let mut own = PJRT_ExecuteOptions::zeroed();
    let room = size_of::<PJRT_ExecuteOptions>();
    // SAFETY: the host's options have so many bytes, and there is room for them.
    unsafe {
        let target = (&raw mut own).cast::<u8>();
        target.copy_from_nonoverlapping(options.cast(), bytes.min(room));
    }
    own.struct_size = passage.announced();
    // SAFETY: checked above to be complete.
    let mut copy = unsafe { *host };
    if !chains_fit {
        own.extension_start = std::ptr::null_mut();
        copy.extension_start = std::ptr::null_mut();
    }
    copy.options = &raw mut own;
    // SAFETY: the copy is what the plug-in's header describes. What it fills in lies in lists of the
    // host to which the copy points as well.
    unsafe { call((&raw mut copy).cast()) }
}
