//! Errors of a plug-in, with which it answers what it cannot do.

use unskew_pjrt::ErrorCode;
use unskew_source::ReadError;

/// An error with its code, as hosts see it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The code, as PJRT numbers them.
    pub code: ErrorCode,
    /// The text for people: what happened, and what to do.
    pub message: String,
    /// What the error carries besides, for programs: a key and bytes.
    pub payloads: Vec<(String, Vec<u8>)>,
}

impl Error {
    /// An error of this code.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), payloads: Vec::new() }
    }

    /// What was asked for makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_ARGUMENT, message)
    }

    /// The plug-in does not do this.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::UNIMPLEMENTED, message)
    }

    /// The plug-in's own fault.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INTERNAL, message)
    }

    /// Adds a payload, bytes under a name that hosts may know.
    #[must_use]
    pub fn with_payload(mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.payloads.push((key.into(), value.into()));
        self
    }
}

/// A program, or other bytes of a host, that a reader of this project does not take: an argument that is not valid, with
/// the reader's whole message.
impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::invalid(error.to_string())
    }
}
