//! Limits of sessions.

use std::time::Duration;

/// How much of the server clients may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// How many connections there may be; a new one takes the place of one on which nothing is asked.
    pub connections: usize,
    /// How many sessions there may be at once.
    pub sessions: usize,
    /// How many requests of one session may be unanswered. More wait in the network, and are refused when
    /// none was answered for as long as [`ServerLimits::stall`] says.
    pub requests: u32,
    /// How long a request waits for the answers to others before it is refused.
    pub stall: Duration,
    /// How many arrays, programs and futures one session may have.
    pub handles: usize,
    /// How many bytes one session may have: its arrays, and buffers on their way between host and devices.
    pub session_bytes: u64,
    /// How many bytes all sessions may have together.
    pub server_bytes: u64,
    /// How much memory the processes of all sessions may have for themselves before no further session begins, in bytes. Only
    /// Linux says how much they have.
    pub memory: Option<u64>,
    /// The largest request, in bytes.
    pub request_bytes: usize,
    /// How long a request waits for the bytes of an array that it names.
    pub patience: Duration,
    /// How long requests may take to be answered when the server is told to stop.
    pub grace: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 1024,
            sessions: 64,
            requests: 1024,
            stall: Duration::from_secs(300),
            handles: 1 << 20,
            session_bytes: 16 << 30,
            server_bytes: 64 << 30,
            memory: None,
            request_bytes: 256 << 20,
            patience: Duration::from_secs(60),
            grace: Duration::from_secs(10),
        }
    }
}
