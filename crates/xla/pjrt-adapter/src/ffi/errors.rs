//! Errors of our own, beside the plug-in's.
//!
//! A host gives every error back to the functions of our table. Those ask a register of addresses
//! whether the error is ours, which works for plug-ins of any age; the plug-in's errors go on to the
//! plug-in. Since 0.107 hosts may also ask the error itself, whose first word leads to a table of
//! functions, so ours has that word.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::mem::size_of;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::*;

use super::{ADAPTER, Fallible};

/// An error that this adapter made.
#[repr(C)]
struct Own {
    vtable: *const PJRT_Error_FunctionTable,
    code: PJRT_Error_Code,
    message: String,
}

/// The addresses of the errors of ours that hosts hold.
static ALIVE: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

/// Their number, which is nearly always 0 and read without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Vtable(PJRT_Error_FunctionTable);
// SAFETY: it is constant; its only pointer that is not a function is null.
unsafe impl Sync for Vtable {}

static VTABLE: Vtable = Vtable(PJRT_Error_FunctionTable {
    struct_size: size_of::<PJRT_Error_FunctionTable>(),
    instance_size: size_of::<PJRT_Error>(),
    extension_start: std::ptr::null_mut(),
    destroy: Some(own_destroy),
    message: Some(own_message),
    get_code: Some(own_code),
    for_each_payload: Some(own_payloads),
});

/// Makes an error for the host, who frees it.
pub fn raise(code: PJRT_Error_Code, message: impl Into<String>) -> *mut PJRT_Error {
    let own = Box::new(Own { vtable: &raw const VTABLE.0, code, message: message.into() });
    let error = Box::into_raw(own);
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.insert(error.addr());
    COUNT.store(alive.len(), Ordering::Release);
    error.cast()
}

/// An error that should not have happened.
pub fn internal(message: &str) -> *mut PJRT_Error {
    raise(PJRT_Error_Code::INTERNAL, format!("unskew adapter: {message}"))
}

/// The error, if it is one of ours that is alive.
fn own(error: *const PJRT_Error) -> Option<*mut Own> {
    if COUNT.load(Ordering::Acquire) == 0 {
        return None;
    }
    let alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    alive.contains(&error.addr()).then_some(error.cast_mut().cast())
}

/// Frees an error of ours; false if it is none.
fn free(error: *mut PJRT_Error) -> bool {
    let Some(found) = own(error) else { return false };
    let mut alive = ALIVE.lock().unwrap_or_else(PoisonError::into_inner);
    if alive.remove(&error.addr()) {
        COUNT.store(alive.len(), Ordering::Release);
        // SAFETY: it was made by `raise`, and only whoever removed the address frees it.
        drop(unsafe { Box::from_raw(found) });
    }
    true
}

/// What a host calls as `PJRT_Error_Destroy`.
pub unsafe extern "C" fn destroy(arguments: *mut PJRT_Error_Destroy_Args) {
    // SAFETY: the host passes the arguments of this function, which have not changed since 0.29.
    let error = unsafe { (*arguments).error };
    if !free(error) {
        pass_on(Function::PJRT_Error_Destroy, arguments.cast());
    }
}

/// What a host calls as `PJRT_Error_Message`.
pub unsafe extern "C" fn message(arguments: *mut PJRT_Error_Message_Args) {
    // SAFETY: as in `destroy`.
    let arguments = unsafe { &mut *arguments };
    match own(arguments.error) {
        Some(own) => {
            // SAFETY: the error is alive until the host destroys it.
            let text = unsafe { &(*own).message };
            arguments.message = text.as_ptr();
            arguments.message_size = text.len();
        }
        None => pass_on(Function::PJRT_Error_Message, (&raw mut *arguments).cast()),
    }
}

/// What a host calls as `PJRT_Error_GetCode`.
pub unsafe extern "C" fn get_code(arguments: *mut PJRT_Error_GetCode_Args) -> *mut PJRT_Error {
    // SAFETY: as in `destroy`.
    let arguments = unsafe { &mut *arguments };
    if let Some(own) = own(arguments.error) {
        // SAFETY: the error is alive until the host destroys it.
        arguments.code = unsafe { (*own).code };
        return std::ptr::null_mut();
    }
    forward(Function::PJRT_Error_GetCode, (&raw mut *arguments).cast())
}

/// `PJRT_Error_ForEachPayload`. Our errors have none, and the errors of a plug-in that does not have
/// the function have none that anyone could see.
pub unsafe extern "C" fn for_each_payload(
    arguments: *mut PJRT_Error_ForEachPayload_Args,
) -> *mut PJRT_Error {
    // SAFETY: as in `destroy`.
    if own(unsafe { (*arguments).error }).is_some() {
        return std::ptr::null_mut();
    }
    forward(Function::PJRT_Error_ForEachPayload, arguments.cast())
}

/// Calls the plug-in's function, if there is one.
fn forward(function: Function, arguments: *mut c_void) -> *mut PJRT_Error {
    match ADAPTER.get().and_then(|adapter| adapter.function(function)) {
        // SAFETY: the host's own arguments go to the function that they are meant for.
        Some(call) => unsafe { call(arguments) },
        None => std::ptr::null_mut(),
    }
}

/// The same for the two functions that return nothing.
fn pass_on(function: Function, arguments: *mut c_void) {
    if let Some(call) = ADAPTER.get().and_then(|adapter| adapter.function(function)) {
        // SAFETY: the two functions return nothing, and are called as such.
        let call =
            unsafe { std::mem::transmute::<Fallible, unsafe extern "C" fn(*mut c_void)>(call) };
        // SAFETY: the host's own arguments go to the function that they are meant for.
        unsafe { call(arguments) };
    }
}

/// Frees an error of the plug-in that nobody will read.
pub fn drop_error(error: *mut PJRT_Error) {
    if !error.is_null()
        && let Some(adapter) = ADAPTER.get()
    {
        let mut arguments = adapter.api.record::<PJRT_Error_Destroy_Args>();
        arguments.error = error;
        pass_on(Function::PJRT_Error_Destroy, (&raw mut arguments).cast());
    }
}

unsafe extern "C" fn own_destroy(error: *mut PJRT_Error) {
    free(error);
}

unsafe extern "C" fn own_message(
    error: *const PJRT_Error,
    message: *mut *const u8,
    size: *mut usize,
) {
    if let Some(own) = own(error) {
        // SAFETY: the error is alive until the host destroys it; the host passes where to write.
        unsafe {
            let text = &(*own).message;
            message.write(text.as_ptr());
            size.write(text.len());
        }
    }
}

unsafe extern "C" fn own_code(error: *const PJRT_Error) -> PJRT_Error_Code {
    // SAFETY: the error is alive until the host destroys it.
    own(error).map_or(PJRT_Error_Code::UNKNOWN, |own| unsafe { (*own).code })
}

unsafe extern "C" fn own_payloads(
    _: *const PJRT_Error,
    _: PJRT_Error_PayloadVisitor,
    _: *mut c_void,
) {
}

/// Runs what may panic, which must not reach C: a panic becomes an error of the call.
pub(super) fn guarded(call: impl FnOnce() -> *mut PJRT_Error) -> *mut PJRT_Error {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    caught.unwrap_or_else(|_| internal("a panic in the adapter; this is a bug of Unskew"))
}

#[cfg(test)]
mod tests {
    use unskew_pjrt::sys::Record as _;

    use super::*;

    #[test]
    fn an_error_of_ours_is_read_through_both_ways_and_freed_once() {
        let error = raise(PJRT_Error_Code::NOT_FOUND, "nothing there");
        let mut ask = PJRT_Error_Message_Args::zeroed();
        ask.error = error;
        // SAFETY: the arguments are those of the function, the error is alive.
        let read = unsafe {
            message(&raw mut ask);
            std::slice::from_raw_parts(ask.message, ask.message_size)
        };
        assert_eq!(read, b"nothing there");
        // SAFETY: the error has the head that hosts since 0.107 look at.
        let code = unsafe { (*(*error).vtable).get_code.unwrap()(error) };
        assert_eq!(code, PJRT_Error_Code::NOT_FOUND);
        assert!(free(error));
        assert!(!free(error), "it is not ours any more");
    }
}
