//! Service that every request is answered from: settings, connections, staging, limits and counters of one process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use unskew_fleet::{BlobStore, FleetError};

use crate::clock::Clock;
use crate::metrics::ServiceMetrics;
use crate::pool::FleetPool;
use crate::problem::{HttpProblem, ProblemKind};
use crate::rate_limiter::RateLimiter;
use crate::recent::RecentTokens;
use crate::serve_error::ServiceError;
use crate::settings::ServiceSettings;
use crate::staging::Staging;
use crate::token;

/// Where a request, and its answer, has its name.
pub(crate) const REQUEST: &str = "x-request-id";

/// How long a request waits for a connection to the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many tokens of which nothing is known are looked up at once.
const STRANGERS: usize = 2;

/// The longest name of a request that is taken from its head.
const LONGEST_NAME: usize = 64;

/// A service without a network.
pub struct Service {
    settings: ServiceSettings,
    pool: Arc<FleetPool>,
    strangers: Arc<FleetPool>,
    computing: Arc<FleetPool>,
    publishing: Arc<FleetPool>,
    staging: Staging,
    new_job: Notify,
    metrics: ServiceMetrics,
    pace: RateLimiter,
    tokens: RecentTokens,
    clock: Clock,
    /// Whether it listens on the loopback.
    open: bool,
    /// Whether a token was ever made. Once it is so it stays so, also where all are revoked.
    has_tokens: AtomicBool,
    stopping: AtomicBool,
    /// The name of this process for others.
    name: String,
    asked: AtomicU64,
}

impl Service {
    /// A service; `open` if it listens on the loopback, where nobody needs a token as long as none was ever made.
    ///
    /// # Errors
    /// If the artifacts have no address, or the system has no randomness.
    pub fn new(settings: ServiceSettings, open: bool) -> Result<Arc<Self>, ServiceError> {
        let system = |error: getrandom::Error| ServiceError::System(error.to_string());
        let depot = BlobStore::at(&settings.artifacts)?;
        let pool = |places, patience| FleetPool::new(&settings, &depot, places, patience);
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let limits = settings.limits;
        Ok(Arc::new(Self {
            pool: pool(2 * cores + 2, PATIENCE),
            strangers: pool(STRANGERS, PATIENCE),
            computing: pool(limits.jobs, limits.compute_time),
            publishing: pool(cores.max(2), limits.request_time),
            staging: Staging::beside(&settings.artifacts).map_err(FleetError::from)?,
            new_job: Notify::new(),
            metrics: ServiceMetrics::new(),
            pace: RateLimiter::new(limits.requests),
            tokens: RecentTokens::default(),
            clock: Clock::default(),
            open,
            has_tokens: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            name: token::random_name().map_err(system)?,
            asked: AtomicU64::new(0),
            settings,
        }))
    }

    /// Where everything is, and what everybody may use.
    pub fn settings(&self) -> &ServiceSettings {
        &self.settings
    }

    /// Fleets for what takes no time.
    pub fn pool(&self) -> &Arc<FleetPool> {
        &self.pool
    }

    /// Fleets for looking up tokens of which nothing is known: whoever tries many waits for nobody but others who do.
    pub(crate) fn strangers(&self) -> &Arc<FleetPool> {
        &self.strangers
    }

    /// Fleets for what does.
    pub fn computing(&self) -> &Arc<FleetPool> {
        &self.computing
    }

    /// Fleets for uploads that are finished, which are read and written once more.
    pub fn publishing(&self) -> &Arc<FleetPool> {
        &self.publishing
    }

    pub(crate) fn staging(&self) -> &Staging {
        &self.staging
    }

    pub(crate) fn new_job(&self) -> &Notify {
        &self.new_job
    }

    /// Tokens that were good a moment ago.
    pub(crate) fn tokens(&self) -> &RecentTokens {
        &self.tokens
    }

    /// By which days and moments go.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Counters that go up while it serves.
    pub fn metrics(&self) -> &ServiceMetrics {
        &self.metrics
    }

    /// The name of this process among others on the same database.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether nobody needs a token: none was ever made, and it listens on the loopback.
    ///
    /// # Errors
    /// If the database is out of reach.
    pub(crate) async fn is_open(&self) -> Result<bool, HttpProblem> {
        if !self.open || self.has_tokens.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let any = self.pool.with(|fleet| Ok(fleet.store().has_tokens()?)).await?;
        self.has_tokens.store(any, Ordering::Relaxed);
        Ok(!any)
    }

    /// Whether it was told to stop.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Tells it to stop: it says that it is not ready, and begins no further jobs.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// The name of a request: what the head says if that is a plain word, else one of our own.
    pub(crate) fn request_name(&self, headers: &http::HeaderMap) -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let sent = headers.get(REQUEST).and_then(|value| value.to_str().ok());
        match sent {
            Some(sent)
                if !sent.is_empty() && sent.len() <= LONGEST_NAME && sent.bytes().all(plain) =>
            {
                sent.to_owned()
            }
            _ => {
                let begin = self.name.get(..8).unwrap_or_default();
                format!("{begin}-{}", self.asked.fetch_add(1, Ordering::Relaxed))
            }
        }
    }

    /// Counts a request of `who` against the limit.
    ///
    /// # Errors
    /// [`ProblemKind::RateLimited`] if there were too many.
    pub(crate) fn paced(&self, who: &str) -> Result<(), HttpProblem> {
        self.pace.may(who).map_err(|wait| {
            let limit = self.settings.limits.requests;
            let detail = format!("more than {limit} requests a second: {who}");
            HttpProblem::new(ProblemKind::RateLimited, detail).after(wait)
        })
    }
}
