//! Errors of calls into a plug-in.

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;

use unskew_core::Version;

use super::api::Api;
use super::bindings::*;

/// The longest text of an error that is believed, in bytes.
const LONGEST_TEXT: usize = 1 << 20;

/// The most payloads of an error that are kept.
const MOST_PAYLOADS: usize = 64;

/// Why a call did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The plug-in does not have the function: it is older, or left the slot empty.
    #[error("the plug-in, PJRT {plugin}, has no {function}, which there is since 0.{since}")]
    Unimplemented {
        /// The function, by its name in C.
        function: &'static str,
        /// The first minor that had it.
        since: i32,
        /// The version of the plug-in.
        plugin: Version,
    },
    /// The plug-in answered with an error.
    #[error("{function}: {}: {message}", code_name(*code))]
    Plugin {
        /// The function that was called, by its name in C.
        function: &'static str,
        /// The status code that the plug-in returned.
        code: PJRT_Error_Code,
        /// The plug-in's own text.
        message: String,
        /// What the error carries besides its text: keys and bytes.
        payloads: Vec<(String, Vec<u8>)>,
    },
}

/// The name of a code; its number if it is not known.
pub(crate) fn code_name(code: PJRT_Error_Code) -> impl fmt::Display {
    code.name().map_or_else(|| format!("code {}", code.0), str::to_owned)
}

impl CallError {
    /// The code, as far as there is one: a function that is not there is UNIMPLEMENTED.
    pub fn code(&self) -> PJRT_Error_Code {
        match self {
            Self::Unimplemented { .. } => PJRT_Error_Code::UNIMPLEMENTED,
            Self::Plugin { code, .. } => *code,
        }
    }
}

impl Api {
    /// Reads an error of this plug-in, and frees it.
    ///
    /// # Safety
    /// `error` is an error that this plug-in returned, and is not used afterwards.
    #[cold]
    pub unsafe fn take_error(
        &self,
        function: &'static str,
        error: NonNull<PJRT_Error>,
    ) -> CallError {
        let error = error.as_ptr();
        let message = self.message_of(error);
        let mut code = self.record::<PJRT_Error_GetCode_Args>();
        code.error = error;
        // SAFETY: the error is alive. What this call itself may answer is not asked further.
        let failed = unsafe { self.raw(&mut code) };
        let unknown = failed.is_some_and(|failed| !failed.is_null());
        let code = if unknown { PJRT_Error_Code::UNKNOWN } else { code.code };
        let payloads = self.payloads_of(error);
        let mut destroy = self.record::<PJRT_Error_Destroy_Args>();
        destroy.error = error;
        // SAFETY: nobody uses the error afterwards.
        unsafe { self.raw_void(&mut destroy) };
        CallError::Plugin { function, code, message, payloads }
    }

    fn message_of(&self, error: *mut PJRT_Error) -> String {
        let mut ask = self.record::<PJRT_Error_Message_Args>();
        ask.error = error;
        // SAFETY: the error is alive.
        unsafe { self.raw_void(&mut ask) };
        // SAFETY: the plug-in says that the text is there as long as the error.
        unsafe { text(ask.message.cast(), ask.message_size) }
    }

    fn payloads_of(&self, error: *mut PJRT_Error) -> Vec<(String, Vec<u8>)> {
        let mut found: Vec<(String, Vec<u8>)> = Vec::new();
        if !self.has(Function::PJRT_Error_ForEachPayload) {
            return found;
        }
        let mut visit = self.record::<PJRT_Error_ForEachPayload_Args>();
        visit.error = error;
        visit.visitor = Some(visit_payload);
        visit.user_arg = (&raw mut found).cast();
        // SAFETY: the visitor is called only during this call, with `found`, which outlives it.
        let failed = unsafe { self.raw(&mut visit) }.and_then(NonNull::new);
        if let Some(failed) = failed {
            let mut destroy = self.record::<PJRT_Error_Destroy_Args>();
            destroy.error = failed.as_ptr();
            // SAFETY: an error about an error is dropped unread.
            unsafe { self.raw_void(&mut destroy) };
        }
        found
    }
}

unsafe extern "C" fn visit_payload(
    key: *const u8,
    key_size: usize,
    value: *const u8,
    value_size: usize,
    found: *mut c_void,
) {
    // SAFETY: `found` is what `payloads_of` passed, and lives while that call lasts.
    let found = unsafe { &mut *found.cast::<Vec<(String, Vec<u8>)>>() };
    if found.len() < MOST_PAYLOADS {
        // SAFETY: the plug-in says that key and value are there during this call.
        let pair = unsafe { (text(key, key_size), bytes(value, value_size).to_vec()) };
        found.push(pair);
    }
}

/// A foreign text; what is no UTF-8 is replaced, and what is too long to be true is cut.
///
/// # Safety
/// `size` bytes from `start` on are readable, or `start` is null.
pub(crate) unsafe fn text(start: *const u8, size: usize) -> String {
    // SAFETY: the caller says so.
    String::from_utf8_lossy(unsafe { bytes(start, size.min(LONGEST_TEXT)) }).into_owned()
}

/// Foreign bytes.
///
/// # Safety
/// As [`text`]; and they stay there and unchanged for as long as the result is used.
pub(crate) unsafe fn bytes<'a>(start: *const u8, size: usize) -> &'a [u8] {
    if start.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { std::slice::from_raw_parts(start, size) }
}
