//! `PJRT_Executable_OptimizedProgram`: programs of 2026 number their instructions beyond what hosts of
//! 2024 can hold. See [`hlo_program`](unskew_pjrt::convert::hlo_program).

use std::borrow::Cow;
use std::ffi::c_void;

use unskew_pjrt::convert::hlo_program::{FORMAT, LARGEST, narrow_instruction_ids};
use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::*;

use super::{ADAPTER, Adapter, Fallible, absent, guarded};

/// The first minor whose hosts were seen to hold ids of 64 bits: JAX 0.6.2 (0.70) does,
/// 0.5.3 (0.67) does not.
pub const WIDE_IDS: i32 = 70;

/// The function. A host asks twice, for the size and then for the bytes; both answers are those of the
/// narrowed program.
pub unsafe extern "C" fn optimized_program(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    let function = Function::PJRT_Executable_OptimizedProgram;
    let Some(call) = adapter.function(function) else { return absent::unimplemented(function) };
    let host = arguments.cast::<PJRT_Executable_OptimizedProgram_Args>();
    // SAFETY: the host passes the arguments of this function, which have not changed since 0.29.
    let (executable, program) = unsafe { ((*host).executable, (*host).program) };
    if program.is_null() {
        // SAFETY: what is not as it should be is for the plug-in to judge.
        return unsafe { call(arguments) };
    }
    guarded(|| {
        // SAFETY: the executable is the host's, and alive.
        let (own, code) = match unsafe { asked(adapter, call, executable) } {
            Ok(answer) => answer,
            Err(error) => return error,
        };
        // SAFETY: the plug-in says that its format is so long.
        let format = unsafe { text(own.format, own.format_size) };
        let narrowed = match format == FORMAT.as_bytes() {
            true => narrow_instruction_ids(&code).unwrap_or(Cow::Borrowed(&code)),
            false => Cow::Borrowed(&*code),
        };
        // SAFETY: the host's program is there; where it has room, the room is as large as it says.
        unsafe {
            let room = (!(*program).code.is_null()).then_some((*program).code_size);
            if let Some(room) = room {
                if room < narrowed.len() {
                    return call(arguments);
                }
                (*program).code.copy_from_nonoverlapping(narrowed.as_ptr(), narrowed.len());
            }
            (*program).code_size = narrowed.len();
            (*program).format = own.format;
            (*program).format_size = own.format_size;
        }
        std::ptr::null_mut()
    })
}

/// The plug-in's own program, and its bytes.
unsafe fn asked(
    adapter: &Adapter,
    call: Fallible,
    executable: *mut PJRT_Executable,
) -> Result<(PJRT_Program, Vec<u8>), *mut PJRT_Error> {
    let mut program = adapter.api.record::<PJRT_Program>();
    let mut ask = adapter.api.record::<PJRT_Executable_OptimizedProgram_Args>();
    ask.executable = executable;
    ask.program = &raw mut program;
    // SAFETY: the caller says that the executable is alive; both structs are of the plug-in's age.
    let error = unsafe { call((&raw mut ask).cast()) };
    if !error.is_null() {
        return Err(error);
    }
    // SAFETY: `program` is alive; the plug-in has just filled it in.
    let size = unsafe { (*ask.program).code_size }.min(LARGEST);
    let mut code = vec![0_u8; size];
    // SAFETY: as above; the code has room for what the plug-in said.
    unsafe {
        (*ask.program).code = code.as_mut_ptr();
        let error = call((&raw mut ask).cast());
        if !error.is_null() {
            return Err(error);
        }
        Ok((*ask.program, code))
    }
}

unsafe fn text<'a>(start: *const u8, size: usize) -> &'a [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: the caller says that so many bytes are there.
    unsafe { std::slice::from_raw_parts(start, size) }
}
