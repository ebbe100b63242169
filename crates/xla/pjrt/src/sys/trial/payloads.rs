//! Payloads of an error besides its text.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::sys::api::Fallible;
use crate::sys::bindings::*;
use crate::sys::error::{bytes, text};
use crate::sys::{Api, CallError};

/// One payload: its key, and how many bytes it has.
pub(crate) type Payload = (String, usize);

/// The payloads of the error that the function answers to arguments of `size` bytes. None if it is not
/// there, or answers with no error.
///
/// # Errors
/// If the payloads cannot be asked for.
pub(crate) fn payloads_of_an_error(
    api: &Api,
    function: Function,
    size: usize,
) -> Option<Result<Vec<Payload>, CallError>> {
    let address = api.function(function)?;
    let mut arguments = [0_usize; 64];
    arguments[0] = size;
    // SAFETY: the slot holds a function that returns an error or null.
    let call = unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) };
    // SAFETY: the memory is larger than any struct, and zeroed.
    let error = NonNull::new(unsafe { call(arguments.as_mut_ptr().cast()) })?;
    let mut found: Vec<Payload> = Vec::new();
    let mut visit = api.record::<PJRT_Error_ForEachPayload_Args>();
    visit.error = error.as_ptr();
    visit.visitor = Some(visited);
    visit.user_arg = (&raw mut found).cast();
    // SAFETY: the error is alive; the visitor is called only during this call, with `found`.
    let done = unsafe { api.call(&mut visit) };
    // SAFETY: the error is ours, and not used afterwards.
    drop(unsafe { api.take_error(function.name(), error) });
    Some(done.map(|()| found))
}

unsafe extern "C" fn visited(
    key: *const u8,
    key_size: usize,
    value: *const u8,
    value_size: usize,
    found: *mut c_void,
) {
    // SAFETY: `found` is what was passed, and lives while that call lasts.
    let found = unsafe { &mut *found.cast::<Vec<Payload>>() };
    // SAFETY: the plug-in says that key and value are there during this call.
    let seen = unsafe { (text(key, key_size), bytes(value, value_size).len()) };
    found.push(seen);
}
