//! Statuses of the host, and what happens around every call: panics.

use std::ffi::{CStr, CString};

use unskew_stream_executor::bindings::TF_Status;

use super::framework;
use crate::{Code, Error};

/// A status of our own, to be filled in by the host.
pub(super) struct Status(*mut TF_Status);

impl Status {
    pub(super) fn new() -> Self {
        // SAFETY: it takes nothing.
        Self(unsafe { framework::TF_NewStatus() })
    }

    pub(super) fn from(error: &Error) -> Self {
        let status = Self::new();
        set(status.0, error);
        status
    }

    pub(super) fn raw(&self) -> *mut TF_Status {
        self.0
    }

    /// What the host put into it.
    pub(super) fn result(&self) -> Result<(), Error> {
        // SAFETY: the status is ours and alive.
        let code = unsafe { framework::TF_GetCode(self.0) };
        if code == Code::OK.0 {
            return Ok(());
        }
        // SAFETY: as above; the text lives until the status is changed.
        let message = unsafe { CStr::from_ptr(framework::TF_Message(self.0)) };
        Err(Error::new(Code(code), message.to_string_lossy()))
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody else has it.
        unsafe { framework::TF_DeleteStatus(self.0) }
    }
}

/// Puts an error into a status of the host; without a status it goes to the error stream.
pub(super) fn set(status: *mut TF_Status, error: &Error) {
    if status.is_null() {
        return report(error);
    }
    let message = text(&error.message);
    // SAFETY: the host says that its status is alive, and the text ends with a zero.
    unsafe { framework::TF_SetStatus(status, error.code.0, message.as_ptr()) }
}

/// Tells the user what no status can tell the host.
pub(super) fn report(error: &Error) {
    eprintln!("TensorFlow plug-in: {error}");
}

/// A text for C; zeros within become spaces.
pub(crate) fn text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

pub(super) fn answer(
    place: &str,
    status: *mut TF_Status,
    body: impl FnOnce() -> Result<(), Error>,
) {
    if let Err(error) = caught(place, body) {
        set(status, &error);
    }
}

/// Answers a call that has none: what went wrong goes to the error stream.
pub(super) fn answer_or<R>(
    place: &str,
    otherwise: R,
    body: impl FnOnce() -> Result<R, Error>,
) -> R {
    caught(place, body).unwrap_or_else(|error| {
        report(&error);
        otherwise
    })
}

/// What `body` gives; a panic in it becomes an error that says where it was.
pub(super) fn caught<R>(place: &str, body: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    unskew_abi::caught(body)
        .unwrap_or_else(|panicked| Err(Error::internal(format!("{place}: {panicked}"))))
}
