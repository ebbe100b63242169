//! A server: a plug-in's client, and the sessions on it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unskew_pjrt::Client;

use crate::account::MemoryKind;
use crate::aligned::Pool;
use crate::limits::Limits;
use crate::metrics::{Metrics, Now};
use crate::ongoing::Ongoing;
use crate::platform::Platform;
use crate::sessions::Sessions;
use crate::trail::Trail;

/// A server of one plug-in's client.
#[derive(Debug)]
pub struct Server {
    platform: Arc<Platform>,
    limits: Limits,
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
    pub fn new(client: Client, limits: Limits) -> Result<Arc<Self>, ServeError> {
        Self::build(client, limits, None)
    }

    /// The same, which notes what it does in a file, for [`Trail::read`].
    ///
    /// # Errors
    /// As [`Server::new`]; if the file cannot be made.
    pub fn with_trail(
        client: Client,
        limits: Limits,
        trail: &Path,
    ) -> Result<Arc<Self>, ServeError> {
        Self::build(client, limits, Some(Trail::create(trail)?))
    }

    fn build(
        client: Client,
        limits: Limits,
        trail: Option<Arc<Trail>>,
    ) -> Result<Arc<Self>, ServeError> {
        let platform = Arc::new(Platform::new(client)?);
        let metrics = Arc::new(Metrics::new());
        let sessions = Sessions::new(limits, Arc::clone(&metrics), trail);
        let (pool, since) = (Arc::default(), Instant::now());
        Ok(Arc::new(Self { platform, limits, metrics, sessions, pool, since }))
    }

    /// The plug-in's client and its devices.
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    pub(crate) fn platform_of_sessions(&self) -> &Arc<Platform> {
        &self.platform
    }

    /// What sessions may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counters that go up while it serves.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The sessions that there are, the oldest first.
    pub fn ongoing(&self) -> Vec<Arc<Ongoing>> {
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

    /// For how long it is there.
    pub fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Whether sessions may begin.
    pub fn is_ready(&self) -> bool {
        !self.sessions.is_stopping()
    }

    /// What there is at this moment, for the metrics.
    pub(crate) fn now(&self) -> Now {
        let sessions = self.ongoing();
        Now {
            sessions: sessions.len(),
            in_flight: sessions.iter().map(|session| session.in_flight()).sum(),
            handles: sessions.iter().map(|session| session.handles()).sum(),
            devices: self.platform.devices.len(),
            host_bytes: self.bytes(MemoryKind::Host),
            device_bytes: self.bytes(MemoryKind::Device),
        }
    }
}
