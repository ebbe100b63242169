//! Callback of a host, for when a stream gets somewhere.

use std::ffi::c_void;

use unskew_stream_executor::bindings::{SE_StatusCallbackFn, TF_Status};

use super::status::Status;
use crate::Error;

/// A function of the host, to be called once, when a stream gets there.
#[derive(Debug)]
pub struct Callback {
    pub(super) function: SE_StatusCallbackFn,
    pub(super) argument: *mut c_void,
}

// SAFETY: hosts hand out such callbacks to be called from any thread.
unsafe impl Send for Callback {}

impl Callback {
    /// Calls it, with how the stream's work has gone.
    pub fn call(self, result: &Result<(), Error>) {
        let status = match result {
            Ok(()) => Status::new(),
            Err(error) => Status::from(error),
        };
        if let Some(function) = self.function {
            let status: *mut TF_Status = status.raw();
            // SAFETY: the host handed out both to be used together, and the status is alive.
            unsafe { function(self.argument, status) }
        }
    }
}
