//! What happens on one connection.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

use crate::table::Limits;

/// A connection, as the table and the stream share it. Times are milliseconds since it began.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) client: IpAddr,
    pub(crate) reserve: bool,
    begun: Instant,
    /// Requests that are worked on.
    working: AtomicUsize,
    /// Answers that are on their way.
    sending: AtomicUsize,
    /// Whether any request began.
    asked: AtomicBool,
    /// When the last request ended, or bytes of an answer were taken.
    moved: AtomicU64,
    lost: AtomicBool,
    pub(crate) waker: AtomicWaker,
}

impl Entry {
    pub(crate) fn new(client: IpAddr, reserve: bool) -> Self {
        Self {
            client,
            reserve,
            begun: Instant::now(),
            working: AtomicUsize::new(0),
            sending: AtomicUsize::new(0),
            asked: AtomicBool::new(false),
            moved: AtomicU64::new(0),
            lost: AtomicBool::new(false),
            waker: AtomicWaker::new(),
        }
    }

    fn age(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn moves(&self) {
        self.moved.store(self.age(), Ordering::Relaxed);
    }

    /// Some bytes of an answer were taken.
    pub(crate) fn wrote(&self) {
        if self.sending.load(Ordering::Relaxed) > 0 {
            self.moves();
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Takes the place away; the stream ends at its next look.
    pub(crate) fn lose(&self) {
        self.lost.store(true, Ordering::Release);
        self.waker.wake();
    }

    /// For how long nothing was asked here, if the place may be given to another: whether anything was ever asked, and
    /// since when nothing is.
    pub(crate) fn idle(&self) -> Option<(bool, Instant)> {
        let busy = self.working.load(Ordering::Relaxed) > 0;
        let since = self.begun + Duration::from_millis(self.moved.load(Ordering::Relaxed));
        // An answer that is being taken is no silence.
        let taken =
            self.sending.load(Ordering::Relaxed) > 0 && since.elapsed() < Duration::from_secs(5);
        (!busy && !taken).then(|| (self.asked.load(Ordering::Relaxed), since))
    }

    /// When the connection has been silent for too long, as things are now.
    pub(crate) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        if self.working.load(Ordering::Relaxed) > 0 {
            return None;
        }
        let patience = if self.sending.load(Ordering::Relaxed) > 0 {
            limits.stall
        } else if self.asked.load(Ordering::Relaxed) {
            limits.idle
        } else {
            limits.first
        };
        let moved = Duration::from_millis(self.moved.load(Ordering::Relaxed));
        self.begun.checked_add(moved)?.checked_add(patience)
    }
}

/// What happens on a connection: for whoever answers requests on it.
#[derive(Clone, Debug)]
pub struct Activity(pub(crate) Arc<Entry>);

impl Activity {
    /// Notes that a request began, and is worked on until what this gives is dropped.
    pub fn begin(&self) -> Request {
        self.0.asked.store(true, Ordering::Relaxed);
        self.0.working.fetch_add(1, Ordering::Relaxed);
        Request { entry: Arc::clone(&self.0), sending: false }
    }

    /// Whether the connection was taken although there was no place: only to say how the server is.
    pub fn is_reserve(&self) -> bool {
        self.0.reserve
    }
}

/// A request that is not over.
#[derive(Debug)]
pub struct Request {
    entry: Arc<Entry>,
    sending: bool,
}

impl Request {
    /// Notes that the answer is there, and only has to be taken by the client.
    pub fn answered(&mut self) {
        if !self.sending {
            self.sending = true;
            self.entry.moves();
            self.entry.sending.fetch_add(1, Ordering::Relaxed);
            self.entry.working.fetch_sub(1, Ordering::Relaxed);
            self.entry.waker.wake();
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.entry.moves();
        let counted = if self.sending { &self.entry.sending } else { &self.entry.working };
        counted.fetch_sub(1, Ordering::Relaxed);
        // The stream looks again at how long it may be silent.
        self.entry.waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        all: 1,
        per_address: 1,
        reserve: 0,
        first: Duration::from_secs(10_000),
        idle: Duration::from_secs(20_000),
        stall: Duration::from_secs(30_000),
    };

    #[test]
    fn how_long_it_may_be_silent_depends_on_what_was_asked() {
        let activity = Activity(Arc::new(Entry::new([127, 0, 0, 1].into(), false)));
        let left = || {
            let deadline = activity.0.deadline(&LIMITS);
            // A busy machine may take some seconds for this.
            deadline.map(|at| at.saturating_duration_since(Instant::now()).as_secs() / 9_000)
        };
        assert_eq!(left(), Some(1), "for the first request");
        assert_eq!(activity.0.idle().map(|idle| idle.0), Some(false));
        let mut request = activity.begin();
        assert_eq!(left(), None, "while somebody works on it");
        assert_eq!(activity.0.idle(), None);
        request.answered();
        assert_eq!(left(), Some(3), "while the answer is taken");
        assert_eq!(activity.0.idle(), None);
        drop(request);
        assert_eq!(left(), Some(2), "for the next request");
        assert_eq!(activity.0.idle().map(|idle| idle.0), Some(true));
    }
}
