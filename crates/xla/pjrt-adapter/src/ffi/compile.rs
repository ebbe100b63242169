//! `PJRT_Client_Compile` and `PJRT_Compile`: programs and options in the form of a newer plug-in.
//!
//! What needs no updating is passed on where it lies, and what cannot be read as well: the plug-in has
//! the last word on it.

use std::borrow::Cow;
use std::ffi::c_void;
use std::mem::offset_of;

use unskew_pjrt::convert::compile_options::{update_debug_options, without_mesh_shardings};
use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::*;
use unskew_stablehlo::convert::upgrade_native;

use super::{ADAPTER, absent, guarded, relay};

/// What a host calls as `PJRT_Client_Compile`.
pub unsafe extern "C" fn client_compile(arguments: *mut c_void) -> *mut PJRT_Error {
    let places = Places {
        program: offset_of!(PJRT_Client_Compile_Args, program) / 8,
        options: offset_of!(PJRT_Client_Compile_Args, compile_options) / 8,
    };
    // SAFETY: the host passes the arguments of this function.
    guarded(|| unsafe { compile(Function::PJRT_Client_Compile, arguments, &places) })
}

/// What a host calls as `PJRT_Compile`.
pub unsafe extern "C" fn compile_for_topology(arguments: *mut c_void) -> *mut PJRT_Error {
    let places = Places {
        program: offset_of!(PJRT_Compile_Args, program) / 8,
        options: offset_of!(PJRT_Compile_Args, compile_options) / 8,
    };
    // SAFETY: as above.
    guarded(|| unsafe { compile(Function::PJRT_Compile, arguments, &places) })
}

/// Where the words of the arguments stand that lead to program and options.
struct Places {
    program: usize,
    options: usize,
}

unsafe fn compile(function: Function, arguments: *mut c_void, places: &Places) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    // SAFETY: both functions have had these words since 0.29.
    let (host_program, options) = unsafe {
        let word = |place: usize| arguments.cast::<usize>().add(place).read();
        let program = word(places.program) as *const PJRT_Program;
        (program, bytes(word(places.options) as *const u8, word(places.options + 1)))
    };
    let updated = update_debug_options(options).unwrap_or(Cow::Borrowed(options));
    let minor = adapter.api.minor();
    let updated = match without_mesh_shardings(&updated, minor) {
        Ok(Cow::Owned(changed)) => Cow::Owned(changed),
        _ => updated,
    };
    // SAFETY: the host's program is as long as it says.
    let upgraded = unsafe { upgraded(host_program) };
    let program = upgraded.as_ref().map(|code| {
        // SAFETY: `upgraded` has read it.
        let mut program = unsafe { *host_program };
        program.code = code.as_ptr().cast_mut();
        program.code_size = code.len();
        program
    });
    // SAFETY: as above; what the copy leads to lives until the call returns.
    unsafe {
        relay::carry_copied(adapter, function, arguments, |words| {
            if let Some(program) = &program {
                words[places.program] = (&raw const *program).expose_provenance() as u64;
            }
            if let Cow::Owned(updated) = &updated {
                words[places.options] = updated.as_ptr().expose_provenance() as u64;
                words[places.options + 1] = updated.len() as u64;
            }
        })
    }
}

/// The code of an MLIR program in the form of today, if it is of the old form.
unsafe fn upgraded(program: *const PJRT_Program) -> Option<Vec<u8>> {
    // SAFETY: the caller says that a program is there, or null; its size has not changed since 0.29.
    let program = unsafe { program.as_ref() }?;
    if program.struct_size < size_of::<PJRT_Program>() {
        return None;
    }
    // SAFETY: the host says that code and format are so long.
    let (code, format) = unsafe {
        (bytes(program.code, program.code_size), bytes(program.format, program.format_size))
    };
    if format != b"mlir" {
        return None;
    }
    match upgrade_native(code) {
        Ok(Cow::Owned(code)) => Some(code),
        _ => None,
    }
}

/// Bytes of the host, which live as long as the call.
unsafe fn bytes<'a>(start: *const u8, size: usize) -> &'a [u8] {
    if start.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller says that so many bytes are there.
    unsafe { std::slice::from_raw_parts(start, size) }
}
