//! A server: a plug-in's client, and the sessions on it.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use unskew_pjrt::Client;

use crate::aligned::Pool;
use crate::limits::ServerLimits;
use crate::memory_quota::MemoryKind;
use crate::metrics::Metrics;
use crate::platform::ServedPlatform;
use crate::session_journal::SessionJournal;
use crate::session_status::SessionStatus;
use crate::sessions::Sessions;
use crate::shares::Share;
use crate::view::{PluginView, ServerView, SessionView, Viewable};

/// A server of one plug-in's client.
#[derive(Debug)]
pub struct Server {
    platform: Arc<ServedPlatform>,
    limits: ServerLimits,
    metrics: Arc<Metrics>,
    sessions: Arc<Sessions>,
    pool: Arc<Pool>,
    since: Instant,
}

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The plug-in does not say which devices it has.
    #[error("the plug-in does not answer")]
    Plugin(#[from] unskew_pjrt::Error),
    /// The system has no threads, no sockets or no files for it.
    #[error("cannot serve")]
    Io(#[from] std::io::Error),
    /// The network failed while it served.
    #[error("cannot serve")]
    Transport(#[from] tonic::transport::Error),
}

impl Server {
    /// A server that nobody is connected to yet.
    ///
    /// # Errors
    /// If the plug-in does not say which devices it has.
    pub fn new(client: Client, limits: ServerLimits) -> Result<Arc<Self>, ServeError> {
        Self::build(client, limits, None, None)
    }

    /// The same, which notes what it does in a file, for [`SessionJournal::read`].
    ///
    /// # Errors
    /// As [`Server::new`]; if the file cannot be made.
    pub fn with_trail(
        client: Client,
        limits: ServerLimits,
        trail: &Path,
    ) -> Result<Arc<Self>, ServeError> {
        Self::build(client, limits, Some(SessionJournal::create(trail)?), None)
    }

    /// One of the processes of a server: `folder` is what they share, and `slot` is its own.
    ///
    /// # Errors
    /// As [`Server::new`]; if the files cannot be made.
    #[cfg(target_os = "linux")]
    pub fn worker(
        client: Client,
        limits: ServerLimits,
        folder: &Path,
        slot: u64,
    ) -> Result<Arc<Self>, ServeError> {
        let trail = SessionJournal::create(&SessionJournal::of_slot(folder, slot))?;
        let share = Arc::new(Share::open(folder, slot)?);
        Self::build(client, limits, Some(trail), Some(share))
    }

    fn build(
        client: Client,
        limits: ServerLimits,
        trail: Option<Arc<SessionJournal>>,
        share: Option<Arc<Share>>,
    ) -> Result<Arc<Self>, ServeError> {
        let platform = Arc::new(ServedPlatform::new(client)?);
        let metrics = Arc::new(Metrics::default());
        let sessions = Sessions::new(limits, Arc::clone(&metrics), trail, share);
        let (pool, since) = (Arc::default(), Instant::now());
        Ok(Arc::new(Self { platform, limits, metrics, sessions, pool, since }))
    }

    /// The plug-in's client and its devices.
    pub fn platform(&self) -> &ServedPlatform {
        &self.platform
    }

    pub(crate) fn platform_of_sessions(&self) -> &Arc<ServedPlatform> {
        &self.platform
    }

    /// What sessions may use.
    pub fn limits(&self) -> &ServerLimits {
        &self.limits
    }

    /// Counters that go up while it serves.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The sessions that there are, the oldest first.
    pub fn ongoing(&self) -> Vec<Arc<SessionStatus>> {
        self.sessions.ongoing()
    }

    pub(crate) fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Memory for what clients send.
    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// How many bytes all sessions have together.
    pub fn bytes(&self, place: MemoryKind) -> u64 {
        self.sessions.totals().at(place)
    }

    /// Whether sessions may begin.
    pub fn is_ready(&self) -> bool {
        !self.sessions.is_stopping()
    }

    /// The sessions that there are, the oldest first, as others are told.
    pub(crate) fn session_views(&self) -> Vec<SessionView> {
        self.ongoing().iter().map(|session| SessionView::new(session)).collect()
    }
}

impl Viewable for Server {
    async fn view(&self) -> ServerView {
        ServerView {
            age: self.since.elapsed(),
            ready: self.is_ready(),
            limits: self.limits,
            plugin: PluginView::new(&self.platform),
            sessions: self.session_views(),
            counts: self.metrics.counts(),
        }
    }

    fn is_ready(&self) -> bool {
        Self::is_ready(self)
    }
}
