//! What the server counts, as Prometheus reads it.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use crate::messages::Ask;
use crate::status::Code;

/// The media type of [`Metrics::text`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All that is counted.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    seconds: Family<Kind, Histogram>,
    opened: Counter,
    refused: Family<Refusal, Counter>,
    sessions: Gauge,
    in_flight: Gauge<u64, AtomicU64>,
    handles: Gauge,
    devices: Gauge,
    bytes: Family<Where, Gauge<u64, AtomicU64>>,
}

/// What there is at the moment of a question, and is not counted as it comes and goes.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    pub sessions: usize,
    /// Requests that have no answer yet.
    pub in_flight: u64,
    pub handles: usize,
    pub devices: usize,
    pub host_bytes: u64,
    pub device_bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    kind: &'static str,
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refusal {
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Where {
    place: &'static str,
}

/// From ten microseconds to more than a minute.
fn times() -> Histogram {
    Histogram::new(exponential_buckets(10e-6, 4.0, 12))
}

impl Metrics {
    pub fn new() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("unskew"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(times),
            opened: Counter::default(),
            refused: Family::default(),
            sessions: Gauge::default(),
            in_flight: Gauge::default(),
            handles: Gauge::default(),
            devices: Gauge::default(),
            bytes: Family::default(),
        };
        metrics.register();
        metrics
    }

    fn register(&mut self) {
        let to = &mut self.registry;
        to.register("requests", "Answered requests, by kind and code", self.requests.clone());
        let help = "How long a request took from its arrival to its answer";
        to.register_with_unit("request_duration", help, Unit::Seconds, self.seconds.clone());
        to.register("sessions_opened", "Sessions that clients began", self.opened.clone());
        to.register("sessions_refused", "Sessions that were refused", self.refused.clone());
        to.register("sessions", "Sessions that there are", self.sessions.clone());
        let help = "Requests that are not answered yet";
        to.register("requests_in_flight", help, self.in_flight.clone());
        let help = "Arrays, programs and futures that sessions have";
        to.register("handles", help, self.handles.clone());
        to.register("devices", "Devices of the plug-in", self.devices.clone());
        let help = "Bytes of sessions, in arrays on devices and in buffers on their way";
        to.register_with_unit("session", help, Unit::Bytes, self.bytes.clone());
    }

    /// A request was answered after so long.
    pub fn answered(&self, kind: &'static str, took: Duration, error: Option<Code>) {
        self.requests.get_or_create(&Request { kind, code: error.map_or("OK", Code::name) }).inc();
        self.seconds.get_or_create(&Kind { kind }).observe(took.as_secs_f64());
    }

    pub fn opened(&self) {
        self.opened.inc();
    }

    /// A session was refused.
    pub fn refused(&self, code: Code) {
        self.refused.get_or_create(&Refusal { code: code.name() }).inc();
    }

    /// How many requests of each kind were answered, and how many of those with an error; kinds that
    /// nobody asked for are left out.
    pub(crate) fn by_kind(&self) -> Vec<(&'static str, u64, u64)> {
        let count =
            |kind, code| self.requests.get(&Request { kind, code }).map(|count| count.get());
        let row = |&kind: &&'static str| {
            let failed: u64 = Code::ALL.iter().filter_map(|code| count(kind, code.name())).sum();
            let all = failed + count(kind, "OK").unwrap_or_default();
            (all > 0).then_some((kind, all, failed))
        };
        Ask::NAMES.iter().filter_map(row).collect()
    }

    /// All of it, with what there is now, as a text of OpenMetrics.
    pub fn text(&self, now: &Now) -> String {
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.sessions.set(signed(now.sessions));
        self.in_flight.set(now.in_flight);
        self.handles.set(signed(now.handles));
        self.devices.set(signed(now.devices));
        for (name, bytes) in [("host", now.host_bytes), ("device", now.device_bytes)] {
            self.bytes.get_or_create(&Where { place: name }).set(bytes);
        }
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_kind_and_code() {
        let metrics = Metrics::new();
        metrics.answered("init_request", Duration::from_millis(1), None);
        metrics.answered("compile_request", Duration::from_millis(1), None);
        metrics.answered("compile_request", Duration::from_millis(1), Some(Code::NotFound));
        assert_eq!(metrics.by_kind(), [("init_request", 1, 0), ("compile_request", 2, 1)]);
    }
}
