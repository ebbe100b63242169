//! Traffic: what went over the line.

use std::sync::atomic::{AtomicU64, Ordering};

/// What was asked for and came, since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Reads: each one request, but for repetitions.
    pub reads: u64,
    /// The bytes that they brought.
    pub bytes: u64,
}

/// The counters of a store.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    reads: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    pub(crate) fn read(&self, bytes: usize) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn traffic(&self) -> Traffic {
        Traffic {
            reads: self.reads.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}
