//! Arguments that changed their size, in both directions.
//!
//! The host's bytes are copied into zeroed memory that is as large as the struct is today, with the
//! size that the plug-in's own header declares; after the call the fields that the plug-in fills in are
//! copied back, and nothing else.

use std::ffi::c_void;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::*;

use super::{ADAPTER, Adapter, absent, errors};
use crate::struct_marshal::{StructHandling, StructMarshal};

/// The memory for the arguments of one call: the largest have 201 bytes today.
pub type Words = [u64; 64];

/// The relay of the function at place `N`.
pub unsafe extern "C" fn relay<const N: usize>(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    // SAFETY: the host passes the arguments of this function.
    unsafe { carry(adapter, Function::ALL[N], arguments, |_| {}) }
}

/// Calls a function of the plug-in with arguments of the host. Where they are copied, `change` may
/// change the copy before the plug-in gets it; to see them in any case, use [`carry_copied`].
///
/// # Safety
/// The arguments are a host's for this function.
pub unsafe fn carry(
    adapter: &Adapter,
    function: Function,
    arguments: *mut c_void,
    change: impl FnOnce(&mut Words),
) -> *mut PJRT_Error {
    let passage = adapter.passage(function);
    // SAFETY: the arguments of every function begin with their size.
    match passage.way(unsafe { arguments.cast::<usize>().read() }) {
        StructHandling::Untouched => match adapter.function(function) {
            // SAFETY: the caller says that the arguments are those of the function.
            Some(call) => unsafe { call(arguments) },
            None => absent::unimplemented(function),
        },
        // SAFETY: as above; the passage says how many bytes the host has.
        StructHandling::Copied(bytes) => unsafe {
            copied(adapter, function, arguments, bytes, change)
        },
        StructHandling::TooSmall(expected) => too_small(adapter, passage, expected, arguments),
    }
}

/// As [`carry`], with a copy in any case.
///
/// # Safety
/// As [`carry`].
pub unsafe fn carry_copied(
    adapter: &Adapter,
    function: Function,
    arguments: *mut c_void,
    change: impl FnOnce(&mut Words),
) -> *mut PJRT_Error {
    let passage = adapter.passage(function);
    // SAFETY: the arguments of every function begin with their size.
    let announced = unsafe { arguments.cast::<usize>().read() };
    match passage.way(announced) {
        StructHandling::TooSmall(expected) => too_small(adapter, passage, expected, arguments),
        StructHandling::Copied(bytes) => unsafe {
            copied(adapter, function, arguments, bytes, change)
        },
        StructHandling::Untouched => {
            let bytes = announced.max(passage.least()).min(passage.today());
            // SAFETY: the passage says that the host's struct is the plug-in's.
            unsafe { copied(adapter, function, arguments, bytes, change) }
        }
    }
}

unsafe fn copied(
    adapter: &Adapter,
    function: Function,
    arguments: *mut c_void,
    bytes: usize,
    change: impl FnOnce(&mut Words),
) -> *mut PJRT_Error {
    let Some(call) = adapter.function(function) else { return absent::unimplemented(function) };
    let passage = adapter.passage(function);
    let mut words: Words = [0; 64];
    let copy = words.as_mut_ptr().cast::<u8>();
    // SAFETY: the host's struct has so many bytes, and `words` has room for the struct of today, which
    // is never exceeded.
    unsafe { copy.copy_from_nonoverlapping(arguments.cast(), bytes.min(size_of::<Words>())) };
    words[0] = passage.announced() as u64;
    if !adapter.ages.chains_fit() {
        words[1] = 0;
    }
    change(&mut words);
    let copy = words.as_mut_ptr().cast::<u8>();
    // SAFETY: the copy is what the plug-in's own header describes, in memory that is larger.
    let error = unsafe { call(copy.cast()) };
    for (at, length) in passage.outputs(bytes) {
        // SAFETY: the field lies within the host's struct and within the copy.
        unsafe {
            arguments.cast::<u8>().add(at).copy_from_nonoverlapping(copy.add(at), length);
        }
    }
    error
}

/// What a plug-in that was built from XLA at the presented minor says.
pub fn too_small(
    adapter: &Adapter,
    passage: &StructMarshal,
    expected: usize,
    arguments: *mut c_void,
) -> *mut PJRT_Error {
    // SAFETY: the struct begins with its size.
    let got = unsafe { arguments.cast::<usize>().read() };
    let (name, minor) = (passage.name, adapter.ages.present);
    errors::raise(
        PJRT_Error_Code::INVALID_ARGUMENT,
        format!(
            "Unexpected {name} size: expected {expected}, got {got}. Check installed software \
             versions. The plugin is likely built with a later version than the framework. This \
             plugin is built with PJRT API version 0.{minor}."
        ),
    )
}

#[cfg(test)]
mod tests {
    use unskew_pjrt::layout::structs;

    use super::*;

    #[test]
    fn there_is_room_for_the_arguments_of_every_function() {
        for record in structs().iter().filter(|record| record.call.is_some()) {
            let end = record.sizes.last().unwrap().end;
            assert!(end <= size_of::<Words>(), "{}: {end}", record.name);
        }
    }
}
