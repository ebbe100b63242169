//! Activity of one connection.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

use crate::table::ConnectionLimits;

/// A connection, as the table and the stream share it. Times are milliseconds since it began.
#[derive(Debug)]
pub(crate) struct ConnectionRecord {
    pub(crate) client: IpAddr,
    pub(crate) reserve: bool,
    begun: Instant,
    /// Requests that are worked on, and whose senders are known.
    working: AtomicUsize,
    /// Requests that are worked on, and of whose senders nothing is known.
    unauthenticated: AtomicUsize,
    /// Whether the sender of any request was known.
    authenticated: AtomicBool,
    /// Answers that are on their way.
    sending: AtomicUsize,
    /// Whether any request began.
    asked: AtomicBool,
    /// When the last request ended, or bytes of an answer were taken.
    moved: AtomicU64,
    lost: AtomicBool,
    pub(crate) waker: AtomicWaker,
}

impl ConnectionRecord {
    pub(crate) fn new(client: IpAddr, reserve: bool) -> Self {
        Self {
            client,
            reserve,
            begun: Instant::now(),
            working: AtomicUsize::new(0),
            unauthenticated: AtomicUsize::new(0),
            authenticated: AtomicBool::new(false),
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

    /// Whether any request on the connection showed who sends it. Whoever has not keeps no place by being busy, neither with
    /// a body that comes slowly nor with an answer that is taken slowly.
    pub(crate) fn is_authenticated(&self) -> bool {
        self.authenticated.load(Ordering::Acquire)
    }

    /// Since when nothing is asked on a connection whose client is known; none while something is.
    pub(crate) fn idle(&self) -> Option<Instant> {
        let busy = self.working.load(Ordering::Relaxed) > 0;
        let since = self.begun + Duration::from_millis(self.moved.load(Ordering::Relaxed));
        // An answer that is being taken is no silence.
        let taken =
            self.sending.load(Ordering::Relaxed) > 0 && since.elapsed() < Duration::from_secs(5);
        (!busy && !taken).then_some(since)
    }

    /// When the connection has been silent for too long, as things are now.
    pub(crate) fn deadline(&self, limits: &ConnectionLimits) -> Option<Instant> {
        let counts = [&self.working, &self.unauthenticated];
        if counts.iter().any(|count| count.load(Ordering::Relaxed) > 0) {
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
pub struct Activity(pub(crate) Arc<ConnectionRecord>);

impl Activity {
    /// Notes that a request began whose sender may keep the connection busy. It is worked on until what this gives is dropped.
    pub fn begin(&self) -> RequestGuard {
        self.request(Phase::Working)
    }

    /// The same for a request of whose sender nothing is known yet: the connection can be replaced until
    /// [`Authentication::succeeded`].
    pub fn begin_unauthenticated(&self) -> RequestGuard {
        self.request(Phase::Unauthenticated)
    }

    fn request(&self, phase: Phase) -> RequestGuard {
        self.0.asked.store(true, Ordering::Relaxed);
        phase.enter(&self.0);
        RequestGuard(Arc::new(Progress { entry: Arc::clone(&self.0), phase: Mutex::new(phase) }))
    }

    /// Whether the connection was taken although there was no place: only to say how the server is.
    pub fn is_reserve(&self) -> bool {
        self.0.reserve
    }
}

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Unauthenticated,
    Working,
    Sending,
    Over,
}

impl Phase {
    fn count(self, entry: &ConnectionRecord) -> Option<&AtomicUsize> {
        match self {
            Self::Unauthenticated => Some(&entry.unauthenticated),
            Self::Working => Some(&entry.working),
            Self::Sending => Some(&entry.sending),
            Self::Over => None,
        }
    }

    fn enter(self, entry: &ConnectionRecord) {
        if let Some(count) = self.count(entry) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        if self == Self::Working {
            // After the count: what is looked at meanwhile is never authenticated and idle.
            entry.authenticated.store(true, Ordering::Release);
        }
    }
}

#[derive(Debug)]
struct Progress {
    entry: Arc<ConnectionRecord>,
    phase: Mutex<Phase>,
}

impl Progress {
    /// Goes from one of some phases to another.
    fn go(&self, from: &[Phase], to: Phase) {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if from.contains(&phase) {
            to.enter(&self.entry);
            if let Some(count) = phase.count(&self.entry) {
                count.fetch_sub(1, Ordering::Relaxed);
            }
            *phase = to;
        }
    }

    /// Notes that something ended just now; the stream looks again at how long it may be silent.
    fn moved(&self) {
        self.entry.moves();
        self.entry.waker.wake();
    }
}

/// A request that is not over.
#[derive(Debug)]
pub struct RequestGuard(Arc<Progress>);

impl RequestGuard {
    /// Notes that the answer is there, and only has to be taken by the client.
    pub fn answered(&mut self) {
        self.0.go(&[Phase::Unauthenticated, Phase::Working], Phase::Sending);
        self.0.moved();
    }

    /// For whoever finds out who sends the request.
    pub fn authentication(&self) -> Authentication {
        Authentication(Arc::clone(&self.0))
    }

    /// Whether nothing is known of who sends it.
    pub fn is_unauthenticated(&self) -> bool {
        let phase = self.0.phase.lock().unwrap_or_else(PoisonError::into_inner);
        *phase == Phase::Unauthenticated
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.go(&[Phase::Unauthenticated, Phase::Working, Phase::Sending], Phase::Over);
        self.0.moved();
    }
}

/// Where to note who sends a request.
#[derive(Clone, Debug)]
pub struct Authentication(Arc<Progress>);

impl Authentication {
    /// Notes that the sender is known: the connection is busy with the request from now on.
    pub fn succeeded(&self) {
        self.0.go(&[Phase::Unauthenticated], Phase::Working);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ConnectionLimits = ConnectionLimits {
        all: 1,
        per_address: 1,
        unauthenticated: 1,
        reserve: 0,
        first: Duration::from_secs(10_000),
        idle: Duration::from_secs(20_000),
        stall: Duration::from_secs(30_000),
    };

    #[test]
    fn how_long_it_may_be_silent_depends_on_what_was_asked() {
        let activity = Activity(Arc::new(ConnectionRecord::new([127, 0, 0, 1].into(), false)));
        let left = || {
            let deadline = activity.0.deadline(&LIMITS);
            // A busy machine may take some seconds for this.
            deadline.map(|at| at.saturating_duration_since(Instant::now()).as_secs() / 9_000)
        };
        assert_eq!(left(), Some(1), "for the first request");
        assert!(!activity.0.is_authenticated());
        let mut request = activity.begin();
        assert_eq!(left(), None, "while somebody works on it");
        assert_eq!(activity.0.idle(), None);
        request.answered();
        assert_eq!(left(), Some(3), "while the answer is taken");
        assert_eq!(activity.0.idle(), None);
        drop(request);
        assert_eq!(left(), Some(2), "for the next request");
        assert!(activity.0.is_authenticated() && activity.0.idle().is_some());
    }

    #[test]
    fn who_is_not_known_keeps_no_place_by_being_busy() {
        let activity = Activity(Arc::new(ConnectionRecord::new([127, 0, 0, 1].into(), false)));
        let mut request = activity.begin_unauthenticated();
        let authentication = request.authentication();
        assert!(request.is_unauthenticated());
        assert!(activity.0.deadline(&LIMITS).is_none(), "while somebody works on it");
        request.answered();
        assert!(!activity.0.is_authenticated(), "a slow reader");
        drop(request);
        authentication.succeeded();
        assert!(!activity.0.is_authenticated(), "that request is over");

        let request = activity.begin_unauthenticated();
        request.authentication().succeeded();
        request.authentication().succeeded();
        assert!(activity.0.is_authenticated() && activity.0.idle().is_none());
        drop(request);
        assert!(activity.0.is_authenticated() && activity.0.idle().is_some());
        let counts = [&activity.0.working, &activity.0.unauthenticated, &activity.0.sending];
        assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 0));
    }
}
