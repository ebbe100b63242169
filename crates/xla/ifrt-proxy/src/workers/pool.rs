//! The workers of a server: one waits for each client that comes next.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};

use super::callbacks::CallbackRegistry;
use super::channel::WorkerMessage;
use super::process::{Process, Start, Worker};
use crate::counts::Counts;
use crate::limits::ServerLimits;
use crate::memory;
use crate::session_journal::SessionJournal;
use crate::sessions::{Sessions, full, no_session, stopping};
use crate::shares::Share;
use crate::status::{Status, StatusCode};
use crate::view::{PluginView, SessionView};

/// How long a plug-in may take to be loaded.
const LOADING: Duration = Duration::from_secs(300);

/// How long a worker is waited for that is asked for a report.
const REPORT: Duration = Duration::from_millis(500);

/// How often the sessions of workers are asked for, so that little is lost of one that crashes.
const OFTEN: Duration = Duration::from_secs(1);

pub struct WorkerPool {
    start: Box<Start>,
    limits: ServerLimits,
    /// The files that all processes share.
    folder: PathBuf,
    share: Share,
    state: Mutex<PoolState>,
    changed: Notify,
    pub callbacks: CallbackRegistry,
}

#[derive(Default)]
struct PoolState {
    workers: BTreeMap<u64, Arc<Worker>>,
    /// Those that wait for a connection.
    idle: Vec<Arc<Worker>>,
    starting: bool,
    /// What a worker has in memory that has done nothing yet.
    weight: u64,
    /// Why the last one did not start.
    failed: Option<WorkerFailure>,
    plugin: Option<PluginView>,
    /// What those counted that are gone.
    counts: Counts,
    stopping: bool,
}

/// Why a worker does not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkerFailure {
    /// It has given the reason itself, where its errors go.
    #[error("the plug-in cannot be loaded; the log of the server has the reason")]
    Said,
    /// It ended without a word.
    #[error("the plug-in ended its process while it was loaded: {0}")]
    Ended(String),
    /// There is not enough memory for it.
    #[error("--memory is {} MiB, and a session of this plug-in begins with {} MiB", limit >> 20, needs.div_ceil(1 << 20))]
    Memory {
        /// How much there may be, in bytes.
        limit: u64,
        /// How much it has.
        needs: u64,
    },
    /// The system makes no processes.
    #[error("no worker process can be started: {0}")]
    System(String),
}

/// How a worker ends that has given a reason.
const SAID: i32 = 2;

impl WorkerPool {
    /// No worker yet.
    ///
    /// # Errors
    /// If the shared files cannot be made.
    pub fn new(
        start: Box<Start>,
        limits: ServerLimits,
        folder: PathBuf,
        callbacks: CallbackRegistry,
    ) -> io::Result<Arc<Self>> {
        let share = Share::open(&folder, 0)?;
        let (state, changed) = (Mutex::default(), Notify::new());
        Ok(Arc::new(Self { start, limits, folder, share, state, changed, callbacks }))
    }

    /// Starts the first worker.
    ///
    /// # Errors
    /// If it does not start.
    pub async fn first(self: &Arc<Self>) -> Result<(), WorkerFailure> {
        self.refill(&mut self.lock());
        loop {
            let changed = self.changed.notified();
            {
                let mut state = self.lock();
                if !state.idle.is_empty() {
                    let (limit, needs) = (self.limits.memory.unwrap_or(u64::MAX), state.weight);
                    return if needs > limit {
                        Err(WorkerFailure::Memory { limit, needs })
                    } else {
                        Ok(())
                    };
                }
                if let Some(why) = state.failed.take() {
                    return Err(why);
                }
            }
            changed.await;
        }
    }

    /// A worker that has no connection, as soon as there is one.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED if there are as many clients as there may be, or they have all the memory; UNAVAILABLE if no worker
    /// starts.
    pub async fn take(self: &Arc<Self>) -> Result<Arc<Worker>, Status> {
        loop {
            let changed = self.changed.notified();
            {
                let mut state = self.lock();
                if state.stopping {
                    return Err(stopping());
                }
                if !state.idle.is_empty() {
                    self.weigh(&state, 0)?;
                }
                if let Some(worker) = state.idle.pop() {
                    self.refill(&mut state);
                    return Ok(worker);
                }
                if let Some(why) = state.failed.take() {
                    return Err(Status::new(StatusCode::Unavailable, why.to_string()));
                }
                let busy = state.workers.values().filter(|worker| worker.is_busy()).count();
                if busy >= self.limits.sessions {
                    return Err(full(self.limits.sessions, busy as u64));
                }
                if !state.starting {
                    self.weigh(&state, state.weight)?;
                }
                self.refill(&mut state);
            }
            changed.await;
        }
    }

    /// The worker of a session.
    ///
    /// # Errors
    /// NOT_FOUND if there is none.
    pub fn of_session(&self, id: u64) -> Result<Arc<Worker>, Status> {
        let state = self.lock();
        let found = state.workers.get(&Sessions::slot_of(id)).filter(|worker| worker.is_busy());
        found.cloned().ok_or_else(no_session)
    }

    /// Whether the processes stay within their memory with so much more.
    fn weigh(&self, state: &PoolState, more: u64) -> Result<(), Status> {
        let Some(limit) = self.limits.memory else { return Ok(()) };
        // One that is starting will have as much as the others.
        let of = |worker: &Arc<Worker>| worker.memory().max(state.weight);
        let used = state.workers.values().map(of).fold(0, u64::saturating_add);
        if used.saturating_add(more) > limit {
            return Err(memory::exhausted(limit, used, state.weight));
        }
        Ok(())
    }

    /// Starts a worker if none waits, and there is memory for it.
    fn refill(self: &Arc<Self>, state: &mut PoolState) {
        if state.starting || state.stopping || !state.idle.is_empty() {
            return;
        }
        if self.weigh(state, state.weight).is_err() {
            return;
        }
        let slot = (1..).find(|slot| !state.workers.contains_key(slot)).unwrap_or_default();
        match Worker::start(&*self.start, &self.folder, slot) {
            Ok((worker, process)) => {
                state.starting = true;
                let worker = Arc::new(worker);
                state.workers.insert(slot, Arc::clone(&worker));
                tokio::spawn(Arc::clone(self).follow(worker, process));
            }
            Err(error) => {
                tracing::error!(%error, "no worker process can be started");
                state.failed = Some(WorkerFailure::System(error.to_string()));
                self.changed.notify_waiters();
            }
        }
    }

    /// Hears what a worker says, until it ends.
    async fn follow(self: Arc<Self>, worker: Arc<Worker>, mut process: Process) {
        let mut ready = false;
        loop {
            let said = if ready {
                process.next().await
            } else {
                timeout(LOADING, process.next()).await.unwrap_or_else(|_| {
                    tracing::error!("the plug-in takes too long to load");
                    process.kill();
                    None
                })
            };
            match said {
                None => break,
                Some(WorkerMessage::Report(report)) => worker.reported(report),
                Some(WorkerMessage::Wants(number)) => self.callbacks.find(number, &worker),
                Some(WorkerMessage::Ready(plugin)) => {
                    ready = true;
                    let mut state = self.lock();
                    (state.plugin, state.starting) = (Some(plugin), false);
                    state.weight = state.weight.max(worker.memory());
                    state.failed = None;
                    state.idle.push(Arc::clone(&worker));
                }
                Some(WorkerMessage::Over { connection, unused }) => {
                    worker.over(connection);
                    if unused && !worker.is_busy() {
                        self.lock().idle.push(Arc::clone(&worker));
                    }
                }
            }
            self.changed.notify_waiters();
        }
        let status = process.ended().await;
        self.gone(&worker, ready, status);
    }

    fn gone(&self, worker: &Arc<Worker>, ready: bool, status: io::Result<ExitStatus>) {
        let mut state = self.lock();
        state.workers.remove(&worker.slot);
        state.idle.retain(|other| other.slot != worker.slot);
        state.counts.add(&worker.report().counts);
        let (success, code) = match &status {
            Ok(status) => (status.success(), status.code()),
            Err(_) => (false, None),
        };
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        if !ready {
            state.starting = false;
            state.failed = Some(match code {
                Some(SAID) => WorkerFailure::Said,
                _ => WorkerFailure::Ended(status.clone()),
            });
        }
        let trail = SessionJournal::of_slot(&self.folder, worker.slot);
        if ready && !success && !state.stopping {
            let doing = SessionJournal::read(&trail).unwrap_or_default().join("; ");
            let text = "the plug-in ended a worker process; other clients go on";
            tracing::error!(status, doing, "{text}");
        }
        // Both are made anew by the next of this slot.
        let _ = std::fs::remove_file(trail);
        let _ = self.share.clear(worker.slot);
        worker.gone();
        self.changed.notify_waiters();
    }

    /// The plug-in, once a worker has loaded it.
    pub fn plugin(&self) -> PluginView {
        self.lock().plugin.clone().unwrap_or_default()
    }

    /// The sessions of all workers, the oldest first, and what all have counted.
    pub async fn look(&self) -> (Vec<SessionView>, Counts) {
        let asked: Vec<_> = {
            let state = self.lock();
            state.workers.values().filter(|worker| worker.is_busy()).map(|it| it.ask()).collect()
        };
        let deadline = Instant::now() + REPORT;
        for mut answer in asked {
            // One that does not answer is shown as it was.
            let _ = timeout_at(deadline, answer.changed()).await;
        }
        // Again: what counted one that ended meanwhile is counted once.
        let state = self.lock();
        let mut counts = state.counts.clone();
        let mut sessions = Vec::new();
        for worker in state.workers.values() {
            let report = worker.report();
            counts.add(&report.counts);
            sessions.extend(report.sessions);
        }
        sessions.sort_by_key(|session| session.number);
        (sessions, counts)
    }

    /// Looks often, for as long as this is polled.
    pub async fn keep_looking(&self) {
        loop {
            tokio::time::sleep(OFTEN).await;
            self.look().await;
        }
    }

    /// Whether no more connections are handed over.
    pub fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    /// Tells all workers to stop.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopping = true;
        state.idle.clear();
        state.workers.values().for_each(|worker| worker.stop());
        self.changed.notify_waiters();
    }

    /// Is over when all workers have ended.
    pub async fn left(&self) {
        loop {
            let changed = self.changed.notified();
            if self.lock().workers.is_empty() {
                return;
            }
            changed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
