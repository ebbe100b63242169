//! Metrics of the server, as Prometheus reads them.

use std::fmt::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{Registry, Unit};

use crate::counts::{BOUNDS, Counts, KindCounts};
use crate::status::StatusCode;
use crate::view::ServerView;

/// The media type of [`text`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The counters of a server that is running.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<Counts>);

impl Metrics {
    /// A request was answered after so long.
    pub fn answered(&self, kind: &'static str, took: Duration, error: Option<StatusCode>) {
        self.lock().answered(kind, took, error);
    }

    /// A session began.
    pub fn opened(&self) {
        self.lock().opened += 1;
    }

    /// A session was refused.
    pub fn refused(&self, code: StatusCode) {
        self.lock().refused(code);
    }

    /// What they stand at.
    pub fn counts(&self) -> Counts {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a server is and has counted, as a text of OpenMetrics.
pub fn text(view: ServerView) -> String {
    let mut registry = Registry::with_prefix("unskew");
    registry.register_collector(Box::new(Exported(view)));
    let mut text = String::new();
    // Writing to a text does not fail.
    let _ = encode(&mut text, &registry);
    text
}

#[derive(Debug)]
struct Exported(ServerView);

impl Collector for Exported {
    fn encode(&self, mut to: DescriptorEncoder<'_>) -> Result<(), Error> {
        self.requests(&mut to)?;
        self.sessions(&mut to)?;
        let view = &self.0;
        let sum = |of: fn(&crate::view::SessionView) -> u64| view.sessions.iter().map(of).sum();
        let help = "Requests that are not answered yet";
        gauge(&mut to, "requests_in_flight", help, sum(|session| session.in_flight))?;
        let help = "Arrays, programs and futures that sessions have";
        gauge(&mut to, "handles", help, sum(|session| session.handles))?;
        gauge(&mut to, "devices", "Devices of the plug-in", view.plugin.devices.len() as u64)?;
        let help = "Bytes of sessions, in arrays on devices and in buffers on their way";
        let mut bytes =
            to.encode_descriptor("session", help, Some(&Unit::Bytes), MetricType::Gauge)?;
        for (place, count) in
            [("host", sum(|of| of.host_bytes)), ("device", sum(|of| of.device_bytes))]
        {
            bytes.encode_family(&[("place", place)])?.encode_gauge(&count)?;
        }
        Ok(())
    }
}

impl Exported {
    fn requests(&self, to: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let kinds = &self.0.counts.requests;
        let help = "Answered requests, by kind and code";
        let mut requests = to.encode_descriptor("requests", help, None, MetricType::Counter)?;
        for (kind, of) in kinds {
            for (code, count) in &of.codes {
                let labels = [("kind", kind.as_ref()), ("code", code.as_ref())];
                requests
                    .encode_family(&labels)?
                    .encode_counter::<NoLabelSet, _, u64>(count, None)?;
            }
        }
        let help = "How long a request took from its arrival to its answer";
        let mut seconds = to.encode_descriptor(
            "request_duration",
            help,
            Some(&Unit::Seconds),
            MetricType::Histogram,
        )?;
        for (kind, of) in kinds {
            let (all, _) = of.answered_and_failed();
            seconds.encode_family(&[("kind", kind.as_ref())])?.encode_histogram::<NoLabelSet>(
                of.seconds,
                all,
                &buckets(of),
                None,
            )?;
        }
        Ok(())
    }

    fn sessions(&self, to: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let counts = &self.0.counts;
        let help = "Sessions that clients began";
        to.encode_descriptor("sessions_opened", help, None, MetricType::Counter)?
            .encode_counter::<NoLabelSet, _, u64>(&counts.opened, None)?;
        let help = "Sessions that were refused";
        let mut refused =
            to.encode_descriptor("sessions_refused", help, None, MetricType::Counter)?;
        for (code, count) in &counts.refused {
            refused
                .encode_family(&[("code", code.as_ref())])?
                .encode_counter::<NoLabelSet, _, u64>(count, None)?;
        }
        gauge(to, "sessions", "Sessions that there are", self.0.sessions.len() as u64)
    }
}

fn gauge(to: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> Result<(), Error> {
    to.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)
}

fn buckets(of: &KindCounts) -> Vec<(f64, u64)> {
    let bounds = BOUNDS.into_iter().chain([f64::INFINITY]);
    bounds.zip(of.durations).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::ServerView;

    #[test]
    fn counters_and_gauges_are_a_text_of_open_metrics() {
        let metrics = Metrics::default();
        metrics.answered("compile_request", Duration::from_micros(20), None);
        metrics.answered("compile_request", Duration::from_secs(60), Some(StatusCode::NotFound));
        metrics.refused(StatusCode::Unavailable);
        let text = text(ServerView { counts: metrics.counts(), ..ServerView::default() });
        for line in [
            "unskew_requests_total{kind=\"compile_request\",code=\"OK\"} 1\n",
            "unskew_requests_total{kind=\"compile_request\",code=\"NOT_FOUND\"} 1\n",
            "unskew_request_duration_seconds_bucket{le=\"0.00004\",kind=\"compile_request\"} 1\n",
            "unskew_request_duration_seconds_bucket{le=\"+Inf\",kind=\"compile_request\"} 2\n",
            "unskew_request_duration_seconds_count{kind=\"compile_request\"} 2\n",
            "unskew_sessions_refused_total{code=\"UNAVAILABLE\"} 1\n",
            "unskew_session_bytes{place=\"device\"} 0\n",
            "unskew_sessions 0\n",
            "# EOF\n",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }
}
