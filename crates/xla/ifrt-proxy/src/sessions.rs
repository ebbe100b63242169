//! The sessions of a server: who may come in, what they have together, and when all have left.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[cfg(target_os = "linux")]
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, watch};

use crate::host_buffers::HostBuffers;
use crate::limits::ServerLimits;
use crate::memory;
use crate::memory_quota::{MemoryQuota, Totals};
use crate::metrics::Metrics;
use crate::negotiate::SessionVersions;
use crate::session_journal::SessionJournal;
use crate::session_status::SessionStatus;
use crate::shares::Share;
use crate::status::{Status, StatusCode};

/// How often is looked whether all have left.
const LOOK: Duration = Duration::from_millis(10);

/// All sessions of a server.
#[derive(Debug)]
pub struct Sessions {
    limits: ServerLimits,
    totals: Arc<Totals>,
    metrics: Arc<Metrics>,
    trail: Option<Arc<SessionJournal>>,
    share: Option<Arc<Share>>,
    state: Mutex<SessionTable>,
    stopping: watch::Sender<bool>,
    /// A session has begun or left.
    changed: Notify,
}

#[derive(Debug, Default)]
struct SessionTable {
    there: HashMap<u64, (Arc<SessionStatus>, Arc<HostBuffers>)>,
    opened: u64,
}

/// The place of a session, which is free again when this is dropped.
#[derive(Debug)]
pub struct SessionPermit {
    sessions: Arc<Sessions>,
    /// The number that its host buffers go by: whoever knows it reads and writes them.
    pub id: u64,
    /// What others know of it.
    pub ongoing: Arc<SessionStatus>,
    pub buffers: Arc<HostBuffers>,
}

impl Sessions {
    /// None yet. What they do is noted in `trail`; what other processes have counts if there is a `share`.
    pub fn new(
        limits: ServerLimits,
        metrics: Arc<Metrics>,
        trail: Option<Arc<SessionJournal>>,
        share: Option<Arc<Share>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            limits,
            totals: Totals::new(limits.server_bytes, share.clone()),
            metrics,
            trail,
            share,
            state: Mutex::default(),
            stopping: watch::Sender::new(false),
            changed: Notify::new(),
        })
    }

    /// A place for a session.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if there is none; UNAVAILABLE if the server is stopping.
    pub fn open(
        self: &Arc<Self>,
        agreed: SessionVersions,
        peer: Option<SocketAddr>,
    ) -> Result<SessionPermit, Status> {
        let opened = self.try_open(agreed, peer);
        match &opened {
            Ok(_) => {
                self.metrics.opened();
                self.changed.notify_waiters();
            }
            Err(status) => {
                self.metrics.refused(status.code);
                tracing::warn!(
                    ?peer,
                    code = status.code.name(),
                    "session refused: {}",
                    status.message
                );
            }
        }
        opened
    }

    fn try_open(
        self: &Arc<Self>,
        agreed: SessionVersions,
        peer: Option<SocketAddr>,
    ) -> Result<SessionPermit, Status> {
        let mut state = self.lock();
        if self.is_stopping() {
            return Err(stopping());
        }
        let (there, most) = (state.there.len(), self.limits.sessions);
        if there >= most {
            return Err(full(most, there as u64));
        }
        // A process of one client was weighed when the client came.
        if let (None, Some(limit), Some(used)) = (&self.share, self.limits.memory, memory::own())
            && used > limit
        {
            return Err(memory::exhausted(limit, used, 0));
        }
        // Buffers travel beside the session, named by its number: one that another client cannot guess,
        // by the random keys that the standard library makes for hash tables.
        let id = loop {
            let random = RandomState::new().build_hasher().finish();
            let id = random & !SLOTS | self.share.as_ref().map_or(0, |share| share.slot());
            if id & !SLOTS != 0 && !state.there.contains_key(&id) {
                break id;
            }
        };
        state.opened += 1;
        let number = match &self.share {
            None => state.opened,
            Some(share) => {
                share.sessions(there as u64 + 1, most as u64).map_err(|there| full(most, there))?;
                share.number().map_err(|error| {
                    Status::new(StatusCode::Internal, format!("no number for a session: {error}"))
                })?
            }
        };
        let account = MemoryQuota::new(self.limits.session_bytes, Arc::clone(&self.totals));
        let buffers = Arc::new(HostBuffers::new(Arc::clone(&account)));
        let mark = self.trail.as_ref().map(SessionJournal::mark);
        let metrics = Arc::clone(&self.metrics);
        let ongoing = SessionStatus::new(number, peer, agreed, account, metrics, mark);
        state.there.insert(id, (Arc::clone(&ongoing), Arc::clone(&buffers)));
        Ok(SessionPermit { sessions: Arc::clone(self), id, ongoing, buffers })
    }

    /// The host buffers of a session.
    ///
    /// # Errors
    /// NOT_FOUND if there is no such session.
    pub(crate) fn buffers_of(&self, id: u64) -> Result<Arc<HostBuffers>, Status> {
        let found = self.lock().there.get(&id).map(|(_, buffers)| Arc::clone(buffers));
        found.ok_or_else(no_session)
    }

    /// Those that there are, the oldest first.
    pub fn ongoing(&self) -> Vec<Arc<SessionStatus>> {
        let mut all: Vec<_> =
            self.lock().there.values().map(|(ongoing, _)| Arc::clone(ongoing)).collect();
        all.sort_unstable_by_key(|ongoing| ongoing.number);
        all
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lock().there.len()
    }

    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Lets nobody in any more, and tells those that are there to leave when they have their answers.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether nobody is let in any more.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Becomes true when [`Sessions::stop`] is called.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Is over when a session has begun or left since this was called.
    #[cfg(target_os = "linux")]
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Is over when there was a session, and none is there any more.
    #[cfg(target_os = "linux")]
    pub(crate) async fn over(&self) {
        loop {
            let changed = self.changed.notified();
            {
                let state = self.lock();
                if state.opened > 0 && state.there.is_empty() {
                    return;
                }
            }
            changed.await;
        }
    }

    /// Is over when all sessions have left.
    pub async fn left(&self) {
        while self.count() > 0 {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The slot of the process that has a session.
    #[cfg(target_os = "linux")]
    pub(crate) fn slot_of(id: u64) -> u64 {
        id & SLOTS
    }

    /// How many there were since the beginning.
    #[cfg(target_os = "linux")]
    pub(crate) fn opened(&self) -> u64 {
        self.lock().opened
    }

    fn lock(&self) -> MutexGuard<'_, SessionTable> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of a session's number that is the slot of its process.
const SLOTS: u64 = 0xffff;

/// What a client is told that names a session that is not there.
pub fn no_session() -> Status {
    Status::new(StatusCode::NotFound, "there is no session with this number")
}

/// What a client is told for whom there is no place.
pub fn full(most: usize, there: u64) -> Status {
    let text = format!("the server may have {most} sessions at once, and has so many: {there}");
    Status::new(StatusCode::ResourceExhausted, text)
}

/// What clients are told when the server stops.
pub fn stopping() -> Status {
    Status::new(StatusCode::Unavailable, "the server is stopping; connect again when it is back")
}

impl Drop for SessionPermit {
    fn drop(&mut self) {
        self.buffers.close();
        let mut state = self.sessions.lock();
        state.there.remove(&self.id);
        if let Some(share) = &self.sessions.share {
            // Fewer are never refused.
            let _ = share.sessions(state.there.len() as u64, u64::MAX);
        }
        drop(state);
        self.sessions.changed.notify_waiters();
        let of = &self.ongoing;
        tracing::info!(
            session = of.number,
            client = of.client(),
            requests = of.requests(),
            failed = of.failed(),
            seconds = of.since.elapsed().as_secs_f64(),
            "session ended"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGREED: SessionVersions = SessionVersions { protocol: 25, serdes: 3 };

    fn sessions(most: usize) -> Arc<Sessions> {
        let limits = ServerLimits { sessions: most, ..ServerLimits::default() };
        Sessions::new(limits, Arc::default(), None, None)
    }

    #[test]
    fn there_are_so_many_sessions_at_once_and_not_more() {
        let sessions = sessions(2);
        let one = sessions.open(AGREED, None).unwrap();
        let two = sessions.open(AGREED, None).unwrap();
        assert_ne!(one.id, two.id);
        let refused = sessions.open(AGREED, None).unwrap_err();
        assert_eq!(refused.code, StatusCode::ResourceExhausted);
        assert!(refused.message.contains("2 sessions at once, and has so many: 2"), "{refused}");
        drop(one);
        assert_eq!(sessions.open(AGREED, None).unwrap().ongoing.number, 3);
    }

    #[test]
    fn the_buffers_of_a_session_go_with_it() {
        let sessions = sessions(2);
        let seat = sessions.open(AGREED, None).unwrap();
        seat.buffers.put(1, bytes::Bytes::from_static(b"abc")).unwrap();
        assert_eq!(sessions.totals().at(crate::memory_quota::MemoryKind::Host), 3);
        assert!(sessions.buffers_of(seat.id).is_ok());
        let id = seat.id;
        drop(seat);
        assert_eq!(sessions.totals().at(crate::memory_quota::MemoryKind::Host), 0);
        assert_eq!(sessions.buffers_of(id).unwrap_err().code, StatusCode::NotFound);
    }

    #[test]
    fn nobody_comes_in_while_the_server_stops() {
        let sessions = sessions(2);
        sessions.stop();
        assert_eq!(sessions.open(AGREED, None).unwrap_err().code, StatusCode::Unavailable);
    }
}
