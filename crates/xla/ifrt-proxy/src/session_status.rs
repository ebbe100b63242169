//! Status of a session, from outside: who it is, what it is doing, and what it has.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::memory_quota::MemoryQuota;
use crate::metrics::Metrics;
use crate::negotiate::SessionVersions;
use crate::session_journal::SessionRecord;
use crate::status::StatusCode;

/// A session, as others see it.
#[derive(Debug)]
pub struct SessionStatus {
    /// Its number, from 1 on: people's name for it. The number that its buffers go by is its secret.
    pub number: u64,
    /// Where its client is.
    pub peer: Option<SocketAddr>,
    pub agreed: SessionVersions,
    /// Since when it is there.
    pub since: Instant,
    /// The bytes that it has.
    pub account: Arc<MemoryQuota>,
    metrics: Arc<Metrics>,
    mark: Option<SessionRecord>,
    requests: AtomicU64,
    failed: AtomicU64,
    in_flight: AtomicU64,
    handles: AtomicUsize,
    doing: Mutex<Option<(&'static str, Instant)>>,
    gone: AtomicBool,
}

impl SessionStatus {
    /// A session that has done nothing yet.
    pub fn new(
        number: u64,
        peer: Option<SocketAddr>,
        agreed: SessionVersions,
        account: Arc<MemoryQuota>,
        metrics: Arc<Metrics>,
        mark: Option<SessionRecord>,
    ) -> Arc<Self> {
        let ongoing = Self {
            number,
            peer,
            agreed,
            since: Instant::now(),
            account,
            metrics,
            mark,
            requests: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            in_flight: AtomicU64::new(0),
            handles: AtomicUsize::new(0),
            doing: Mutex::new(None),
            gone: AtomicBool::new(false),
        };
        ongoing.note("", "is connected and asked for nothing yet");
        Arc::new(ongoing)
    }

    /// Its client, as people read it.
    pub fn client(&self) -> String {
        self.peer.map_or_else(|| "an unknown place".to_owned(), |peer| peer.to_string())
    }

    /// How many requests were answered.
    pub fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// How many of them with an error.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// How many requests are not answered yet.
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// How many arrays, programs and futures it has.
    pub fn handles(&self) -> usize {
        self.handles.load(Ordering::Relaxed)
    }

    /// The request that is being done, and for how long.
    pub fn doing(&self) -> Option<(&'static str, Duration)> {
        let doing = *self.doing.lock().unwrap_or_else(PoisonError::into_inner);
        doing.map(|(name, since)| (name, since.elapsed()))
    }

    /// Whether nobody is there any more to be answered.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    pub(crate) fn set_gone(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }

    pub(crate) fn asked(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn answered(&self, name: &'static str, begun: Instant, error: Option<StatusCode>) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        self.requests.fetch_add(1, Ordering::Relaxed);
        if error.is_some() {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        self.metrics.answered(name, begun.elapsed(), error);
    }

    pub(crate) fn begin(&self, name: &'static str) {
        let doing = Some((name, Instant::now()));
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing;
        self.note("is doing ", name);
    }

    pub(crate) fn end(&self, name: &'static str, handles: usize) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.handles.store(handles, Ordering::Relaxed);
        self.note("did last ", name);
    }

    fn note(&self, what: &str, name: &str) {
        if let Some(mark) = &self.mark {
            mark.write(&format!("session {} of {} {what}{name}", self.number, self.client()));
        }
    }
}
