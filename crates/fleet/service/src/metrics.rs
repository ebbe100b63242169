//! Metrics of the service, as Prometheus reads them.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// The media type of [`ServiceMetrics::text`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All that is counted.
#[derive(Debug)]
pub struct ServiceMetrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    seconds: Family<Endpoint, Histogram>,
    decisions: Family<Source, Counter>,
    jobs: Family<OutcomeLabels, Counter>,
    pending: Family<StateLabels, Gauge<u64, AtomicU64>>,
    uploaded: Counter,
    downloaded: Counter,
    /// Connections that there are.
    pub connections: Gauge,
    /// Connections that were closed at once, because all others were busy.
    pub turned_away: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    endpoint: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Endpoint {
    endpoint: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Source {
    from: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabels {
    state: &'static str,
}

/// From a hundred microseconds to more than a minute.
fn times() -> Histogram {
    Histogram::new(exponential_buckets(100e-6, 4.0, 11))
}

impl ServiceMetrics {
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("unskew_fleet"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(times),
            decisions: Family::default(),
            jobs: Family::default(),
            pending: Family::default(),
            uploaded: Counter::default(),
            downloaded: Counter::default(),
            connections: Gauge::default(),
            turned_away: Counter::default(),
        };
        let to = &mut metrics.registry;
        to.register("requests", "Answered requests", metrics.requests.clone());
        let help = "How long an answer took from the head of its request";
        to.register_with_unit("request_duration", help, Unit::Seconds, metrics.seconds.clone());
        let help = "Decisions, by whether everything was known or something was computed";
        to.register("decisions", help, metrics.decisions.clone());
        to.register("jobs_ended", "Jobs that ended in this process", metrics.jobs.clone());
        let help = "Jobs that are not over, in all processes";
        to.register("jobs", help, metrics.pending.clone());
        let help = "Bytes that uploads brought to this process";
        to.register_with_unit("uploaded", help, Unit::Bytes, metrics.uploaded.clone());
        let help = "Bytes of artifacts that this process was asked for";
        to.register_with_unit("downloaded", help, Unit::Bytes, metrics.downloaded.clone());
        to.register("connections", "Connections that there are", metrics.connections.clone());
        let help = "Connections that were not taken, because all others were busy";
        to.register("connections_turned_away", help, metrics.turned_away.clone());
        metrics
    }

    /// A request was answered after so long.
    pub fn answered(&self, endpoint: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&Request { endpoint, status }).inc();
        self.seconds.get_or_create(&Endpoint { endpoint }).observe(took.as_secs_f64());
    }

    /// A decision was made.
    pub fn decided(&self, computed: bool) {
        let from = if computed { "computed" } else { "known" };
        self.decisions.get_or_create(&Source { from }).inc();
    }

    pub fn ended(&self, outcome: &'static str) {
        self.jobs.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts bytes that clients have sent.
    pub fn uploaded(&self, bytes: u64) {
        self.uploaded.inc_by(bytes);
    }

    /// Counts bytes that clients have fetched.
    pub fn downloaded(&self, bytes: u64) {
        self.downloaded.inc_by(bytes);
    }

    /// All of it, as a text of OpenMetrics, with how many jobs wait and run.
    pub fn text(&self, (waiting, running): (u64, u64)) -> String {
        self.pending.get_or_create(&StateLabels { state: "waiting" }).set(waiting);
        self.pending.get_or_create(&StateLabels { state: "running" }).set(running);
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for ServiceMetrics {
    fn default() -> Self {
        Self::new()
    }
}
