//! What sessions may use.

use std::time::Duration;

/// How much of the server clients may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many sessions there may be at once.
    pub sessions: usize,
    /// How many requests of one session may be unanswered; more wait in the network.
    pub requests: usize,
    /// How many arrays, programs and futures one session may have.
    pub handles: usize,
    /// How many bytes one session may have on their way between host and devices.
    pub host_bytes: u64,
    /// The largest request, in bytes.
    pub request_bytes: usize,
    /// How long a request waits for the bytes of an array that it names.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sessions: 64,
            requests: 1024,
            handles: 1 << 20,
            host_bytes: 16 << 30,
            request_bytes: 1 << 30,
            patience: Duration::from_secs(60),
        }
    }
}
