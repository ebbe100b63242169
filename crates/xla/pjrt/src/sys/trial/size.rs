//! Calls that announce another size than the plug-in's own.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::sys::api::Fallible;
use crate::sys::bindings::*;
use crate::sys::{Api, CallError};

/// The room behind arguments that announce a wrong size, in words: more than any struct has.
pub(crate) const ROOM: usize = 64;

/// What a plug-in answers to arguments of a wrong size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It does not look at the size.
    Accepts,
    /// It answers with an error: its code and text.
    Error(PJRT_Error_Code, String),
    /// It reads or writes where nothing is: at the null handles, which it gets to without having looked at
    /// the size.
    Faults,
    /// It ends the process in another way: how, and its last words.
    Dies(String, String),
    /// It does not answer in so many seconds.
    NoEnd(u64),
}

/// Calls a function with zeroed arguments that announce `size` bytes. None if the plug-in does not have
/// it.
pub(crate) fn ask_size(
    api: &Api,
    function: Function,
    size: usize,
) -> Option<Result<(), CallError>> {
    let mut arguments = [0_usize; ROOM];
    arguments[0] = size;
    ask(api, function, &mut arguments)
}

/// Calls a function with these arguments. None if the plug-in does not have it.
pub(super) fn ask(
    api: &Api,
    function: Function,
    arguments: &mut [usize; ROOM],
) -> Option<Result<(), CallError>> {
    let address = api.function(function)?;
    // SAFETY: the slot holds a function that returns an error or null; the callers leave out the two
    // that return nothing.
    let call = unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) };
    // SAFETY: the memory is larger than any struct and zeroed. A plug-in that does not look at the size
    // may crash on the null handles in it, which is what is to be found out.
    let error = unsafe { call(arguments.as_mut_ptr().cast()) };
    Some(match NonNull::new(error) {
        None => Ok(()),
        // SAFETY: the plug-in has just returned it.
        Some(error) => Err(unsafe { api.take_error(function.name(), error) }),
    })
}

/// The number in `size: expected N, got 8`.
pub(crate) fn expected_size(text: &str) -> Option<usize> {
    let (_, rest) = text.split_once(": expected ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Whether two errors are in the same words, but for the numbers in them.
pub(crate) fn is_the_same_refusal(one: &str, other: &str) -> bool {
    let words = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    words(one) == words(other)
}
