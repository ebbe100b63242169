//! The store by which the processes of one job find each other.

use std::time::Duration;

use crate::ErrorCode;

/// A store of keys and values that all processes of one job share.
///
/// A plug-in calls it from any thread, while a client is made and for as long as it lives. A panic
/// does not reach the plug-in: it becomes an error.
pub trait KeyValueStore: Send + Sync + 'static {
    /// The value of a key; waits until there is one, or until the time is over.
    ///
    /// # Errors
    /// With the code `DEADLINE_EXCEEDED` if there is none in time.
    fn get(&self, key: &[u8], timeout: Option<Duration>) -> Result<Vec<u8>, KeyValueError>;

    /// The value of a key, without waiting. Plug-ins before 0.61 do not ask.
    ///
    /// # Errors
    /// With the code `NOT_FOUND` if there is none.
    fn try_get(&self, key: &[u8]) -> Result<Vec<u8>, KeyValueError>;

    /// Sets the value of a key.
    ///
    /// # Errors
    /// If the store refuses it.
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), KeyValueError>;
}

/// Why a store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyValueError {
    /// The code that the plug-in is told.
    pub code: ErrorCode,
    /// The text that the plug-in is told.
    pub message: String,
}

impl KeyValueError {
    /// An error with this code and text.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
