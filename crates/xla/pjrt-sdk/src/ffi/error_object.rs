//! Errors as hosts hold them: since 0.107 the first word of an error is a table of functions, which
//! older hosts do not look at.

use std::ffi::c_void;
use std::mem::{offset_of, size_of};
use std::ptr::null_mut;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::*;

use super::handle_objects::Shared;

use crate::Error;

/// An error of this plug-in.
#[repr(C)]
pub(crate) struct ErrorObject {
    head: PJRT_Error,
    error: Error,
}

impl ErrorObject {
    /// The error as a host gets it, which frees it.
    pub(crate) fn leak(error: Error) -> *mut PJRT_Error {
        let head = PJRT_Error { vtable: &raw const FUNCTIONS.0 };
        Box::into_raw(Box::new(Self { head, error })).cast()
    }

    /// # Safety
    /// `error` is an error of this plug-in that is not freed, or null.
    unsafe fn error_of<'a>(error: *const PJRT_Error) -> Option<&'a Error> {
        // SAFETY: the caller says so; the head is the first field.
        unsafe { error.cast::<Self>().as_ref() }.map(|object| &object.error)
    }
}

/// The functions that a host of today finds in the first word.
static FUNCTIONS: Shared<PJRT_Error_FunctionTable> = Shared(PJRT_Error_FunctionTable {
    struct_size: size_of::<PJRT_Error_FunctionTable>(),
    instance_size: size_of::<PJRT_Error>(),
    extension_start: null_mut(),
    destroy: Some(destroy),
    message: Some(message),
    get_code: Some(get_code),
    for_each_payload: Some(for_each_payload),
});

unsafe extern "C" fn destroy(error: *mut PJRT_Error) {
    if !error.is_null() {
        // SAFETY: the host frees what it got from `leak`, once.
        drop(unsafe { Box::from_raw(error.cast::<ErrorObject>()) });
    }
}

unsafe extern "C" fn message(error: *const PJRT_Error, text: *mut *const u8, size: *mut usize) {
    // SAFETY: the host hands in an error of this plug-in.
    let said = unsafe { ErrorObject::error_of(error) }.map_or("", |error| &error.message);
    if !text.is_null() && !size.is_null() {
        // SAFETY: the host gives places for both.
        unsafe { (text.write_unaligned(said.as_ptr()), size.write_unaligned(said.len())) };
    }
}

unsafe extern "C" fn get_code(error: *const PJRT_Error) -> PJRT_Error_Code {
    // SAFETY: the host hands in an error of this plug-in.
    unsafe { ErrorObject::error_of(error) }.map_or(PJRT_Error_Code::UNKNOWN, |error| error.code)
}

unsafe extern "C" fn for_each_payload(
    error: *const PJRT_Error,
    visitor: PJRT_Error_PayloadVisitor,
    user: *mut c_void,
) {
    // SAFETY: the host hands in an error of this plug-in.
    let Some((error, visitor)) = unsafe { ErrorObject::error_of(error) }.zip(visitor) else {
        return;
    };
    for (key, value) in &error.payloads {
        // SAFETY: the host's own function, with the host's own argument.
        unsafe { visitor(key.as_ptr(), key.len(), value.as_ptr(), value.len(), user) };
    }
}

/// The functions of the table that are about errors; they return no error of their own, or need none.
pub(crate) fn functions() -> [(Function, usize); 4] {
    [
        (Function::PJRT_Error_Destroy, slot_destroy as *const () as usize),
        (Function::PJRT_Error_Message, slot_message as *const () as usize),
        (Function::PJRT_Error_GetCode, slot_get_code as *const () as usize),
        (Function::PJRT_Error_ForEachPayload, slot_for_each_payload as *const () as usize),
    ]
}

/// Whether a host announces at least `end` bytes. These functions cannot all refuse with an error, so
/// one that announces less is not served.
///
/// # Safety
/// `arguments` is null, or begins with its size.
unsafe fn reaches<T>(arguments: *const T, end: usize) -> bool {
    // SAFETY: the caller says so.
    !arguments.is_null() && unsafe { arguments.cast::<usize>().read_unaligned() } >= end
}

/// The end of a field.
macro_rules! end {
    ($arguments:ident, $field:ident, $kind:ty) => {
        offset_of!($arguments, $field) + size_of::<$kind>()
    };
}

unsafe extern "C" fn slot_destroy(arguments: *mut PJRT_Error_Destroy_Args) {
    // SAFETY: the error is read only if it is among the bytes that the host announces, and so below.
    unsafe {
        if reaches(arguments, end!(PJRT_Error_Destroy_Args, error, *mut PJRT_Error)) {
            destroy((&raw const (*arguments).error).read_unaligned());
        }
    }
}

unsafe extern "C" fn slot_message(arguments: *mut PJRT_Error_Message_Args) {
    // SAFETY: as above.
    unsafe {
        if reaches(arguments, end!(PJRT_Error_Message_Args, message_size, usize)) {
            let (text, size) = (&raw mut (*arguments).message, &raw mut (*arguments).message_size);
            message((&raw const (*arguments).error).read_unaligned(), text, size);
        }
    }
}

unsafe extern "C" fn slot_get_code(arguments: *mut PJRT_Error_GetCode_Args) -> *mut PJRT_Error {
    let end = end!(PJRT_Error_GetCode_Args, code, PJRT_Error_Code);
    // SAFETY: as above.
    unsafe {
        if !reaches(arguments, end) {
            return too_small("PJRT_Error_GetCode_Args", end, arguments.cast());
        }
        let code = get_code((&raw const (*arguments).error).read_unaligned());
        (&raw mut (*arguments).code).write_unaligned(code);
    }
    null_mut()
}

unsafe extern "C" fn slot_for_each_payload(
    arguments: *mut PJRT_Error_ForEachPayload_Args,
) -> *mut PJRT_Error {
    let end = end!(PJRT_Error_ForEachPayload_Args, user_arg, *mut c_void);
    // SAFETY: as above.
    unsafe {
        if !reaches(arguments, end) {
            return too_small("PJRT_Error_ForEachPayload_Args", end, arguments.cast());
        }
        let (error, visitor) = (&raw const (*arguments).error, &raw const (*arguments).visitor);
        let user = (&raw const (*arguments).user_arg).read_unaligned();
        for_each_payload(error.read_unaligned(), visitor.read_unaligned(), user);
    }
    null_mut()
}

/// # Safety
/// `arguments` is null, or begins with its size.
#[cold]
unsafe fn too_small(name: &str, end: usize, arguments: *const usize) -> *mut PJRT_Error {
    // SAFETY: the caller says so.
    let got = if arguments.is_null() { 0 } else { unsafe { arguments.read_unaligned() } };
    ErrorObject::leak(Error::invalid(format!("Unexpected {name} size: expected {end}, got {got}.")))
}
