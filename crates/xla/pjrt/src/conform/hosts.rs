//! Hosts whose releases can use a plug-in, and what is missing for the others.

use std::fmt;

use unskew_core::Severity;

use super::report::Conformance;
use crate::probe::Probe;
use crate::verdict::{ReleasedHost, adapted_prediction, needed_functions};

/// How a release meets the plug-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostUsage {
    /// The host loads and uses the plug-in.
    Works,
    /// Nothing that is known stands in the way; but no program ran here, for want of a device perhaps,
    /// so the functions that a host needs were not all tried.
    NotTried,
    /// It works behind an adapter (`unskew adapt`); with what stands in the way of it directly.
    Adapted(String),
    /// It does not work; with what is missing.
    Fails(String),
    /// The version of the release is not known.
    Unknown,
}

/// The words of a report.
impl fmt::Display for HostUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Works => f.write_str("works"),
            Self::NotTried => f.write_str(
                "nothing known stands in the way; no program ran here, so this was not tried",
            ),
            Self::Adapted(why) => write!(f, "works through `unskew adapt`; directly: {why}"),
            Self::Fails(why) => write!(f, "does not work: {why}"),
            Self::Unknown => f.write_str("its PJRT version is not known"),
        }
    }
}

/// Releases in a row that meet the plug-in alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRange {
    /// The name of the first release.
    pub first: String,
    /// The name of the last one.
    pub last: String,
    /// How many there are.
    pub count: usize,
    /// How they meet it.
    pub usage: HostUsage,
}

impl HostRange {
    /// The releases: `jax 0.8.0 to 0.12.0.1`.
    pub fn range(&self) -> String {
        let Self { first, last, .. } = self;
        // The name of the family stands once.
        let last = match (first.split_once(' '), last.split_once(' ')) {
            (Some((family, _)), Some((same, version))) if family == same => version,
            _ => last,
        };
        if self.count == 1 { first.clone() } else { format!("{first} to {last}") }
    }
}

/// How each of `hosts`, oldest first, meets the plug-in: neighbours that meet it alike are one span.
pub fn spans(hosts: &[ReleasedHost], probe: &Probe, conformance: &Conformance) -> Vec<HostRange> {
    let mut spans: Vec<HostRange> = Vec::new();
    for host in hosts {
        let usage = usage(host, probe, conformance);
        match spans.last_mut() {
            Some(span) if span.usage == usage => {
                span.last.clone_from(&host.name);
                span.count += 1;
            }
            _ => spans.push(HostRange {
                first: host.name.clone(),
                last: host.name.clone(),
                count: 1,
                usage,
            }),
        }
    }
    spans
}

fn usage(host: &ReleasedHost, probe: &Probe, conformance: &Conformance) -> HostUsage {
    let Some(minor) = host.minor else { return HostUsage::Unknown };
    let missing: Vec<&str> =
        needed_functions(minor, probe.minor).filter(|name| conformance.lacks(name)).collect();
    if !missing.is_empty() {
        return HostUsage::Fails(format!("needs {}", missing.join(", ")));
    }
    let findings = adapted_prediction(host, probe);
    let mut errors: Vec<_> =
        findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    // What stands in the way for good is named first.
    errors.sort_by_key(|finding| finding.adaptation.is_some());
    let Some(first) = errors.first() else {
        return if conformance.ran_a_program() { HostUsage::Works } else { HostUsage::NotTried };
    };
    let reason = format!("{} ({})", first.rule.summary, first.rule.code);
    if first.adaptation.is_some() { HostUsage::Adapted(reason) } else { HostUsage::Fails(reason) }
}
