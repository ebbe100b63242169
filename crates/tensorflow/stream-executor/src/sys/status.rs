//! The status by which plug-ins answer: TensorFlow's functions for it, for a process without TensorFlow.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use crate::bindings::TF_Status;

/// What a `TF_Status` is here.
struct Status {
    code: c_int,
    message: CString,
}

/// An OK status, for the length of the process: plug-ins may keep it.
pub(super) fn new() -> *mut TF_Status {
    Box::into_raw(Box::new(Status { code: 0, message: CString::default() })).cast()
}

/// The code and the text of a status that [`new`] made.
pub(super) fn read(status: *mut TF_Status) -> (i32, String) {
    // SAFETY: it was made by `new`, and plug-ins know it as an address only.
    let status = unsafe { &*status.cast::<Status>() };
    (status.code, status.message.to_string_lossy().into_owned())
}

/// The functions of TensorFlow that are here, by name.
pub(super) const FUNCTIONS: [(&str, *const c_void); 12] = [
    ("TF_NewStatus", make as *const c_void),
    ("TF_DeleteStatus", delete as *const c_void),
    ("TF_SetStatus", set as *const c_void),
    ("TF_SetStatusFromIOError", set_from_errno as *const c_void),
    ("TF_GetCode", code as *const c_void),
    ("TF_Message", message as *const c_void),
    ("TSL_NewStatus", make as *const c_void),
    ("TSL_DeleteStatus", delete as *const c_void),
    ("TSL_SetStatus", set as *const c_void),
    ("TSL_SetStatusFromIOError", set_from_errno as *const c_void),
    ("TSL_GetCode", code as *const c_void),
    ("TSL_Message", message as *const c_void),
];

/// Whatever else: it returns nothing, zero or null.
pub(super) extern "C" fn nothing() -> usize {
    0
}

extern "C" fn make() -> *mut TF_Status {
    new()
}

extern "C" fn delete(status: *mut TF_Status) {
    if !status.is_null() {
        // SAFETY: the plug-in gives back what `make` made.
        drop(unsafe { Box::from_raw(status.cast::<Status>()) });
    }
}

extern "C" fn set(status: *mut TF_Status, code: c_int, message: *const c_char) {
    // SAFETY: null, or made by `new`; the plug-in uses it from one thread at a time.
    let Some(status) = (unsafe { status.cast::<Status>().as_mut() }) else { return };
    status.code = code;
    status.message = match message.is_null() {
        true => CString::default(),
        // SAFETY: the plug-in passes a text that ends with a zero, as the interface says.
        false => unsafe { CStr::from_ptr(message) }.to_owned(),
    };
}

extern "C" fn set_from_errno(status: *mut TF_Status, _: c_int, context: *const c_char) {
    // UNKNOWN.
    set(status, 2, context);
}

extern "C" fn code(status: *const TF_Status) -> c_int {
    // SAFETY: null, or made by `new`.
    unsafe { status.cast::<Status>().as_ref() }.map_or(0, |status| status.code)
}

extern "C" fn message(status: *const TF_Status) -> *const c_char {
    // SAFETY: null, or made by `new`; the text lives as long as the status is not set again.
    let status = unsafe { status.cast::<Status>().as_ref() };
    status.map_or(c"".as_ptr(), |status| status.message.as_ptr())
}
