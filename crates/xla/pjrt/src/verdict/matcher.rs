//! A host judges a plug-in: what happens when it loads it, and what is promised about the pair.

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Severity};

use crate::probe::{ProbeError, ProbeFailure};
use crate::verdict::adapter;
use crate::verdict::history;
use crate::verdict::host::Host;
use crate::verdict::plugin::{self, Plugin};
use crate::verdict::prediction::predict;

/// The requirement of a host: a plug-in that it can call.
pub(crate) struct HostMatcher(pub(crate) Arc<Host>);

impl Matcher for HostMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let plugin = other.capability::<Plugin>()?;
        let host = &*self.0;
        let mut judgement = Judgement::default();
        // Whatever kept the plug-in from being seen, nothing can be said for it: that is no pass.
        // What nobody ran is said by its party.
        let seen = |error: &&ProbeError| !matches!(error.cause, ProbeFailure::NotRun(_));
        let unseen = plugin.failure.as_ref().filter(seen).map(plugin::failure_finding);
        judgement.findings.extend(unseen.map(|finding| finding.with_severity(Severity::Error)));
        if let Some(probe) = &plugin.probe {
            let mut findings = predict(host, probe);
            if fails(&findings) {
                let better = host.siblings.and_then(|siblings| working(host, siblings(), probe));
                for finding in findings.iter_mut().filter(|f| f.severity == Severity::Error) {
                    if let Some(better) = better {
                        finding.fix = Some(advice(host, better));
                    }
                }
            }
            adapter::name_adaptations(&mut findings, host, probe.minor);
            judgement.findings.extend(findings);
            judgement.promises.extend(history::promise(host, probe.version()));
        }
        Some(judgement)
    }
}

fn fails(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity == Severity::Error)
}

/// The release nearest to `host` that loads and runs the plug-in: a later one if there is any.
fn working<'a>(host: &Host, siblings: &'a [Host], probe: &crate::Probe) -> Option<&'a Host> {
    let works = |sibling: &&Host| sibling.minor.is_some() && !fails(&predict(sibling, probe));
    let later = siblings.iter().filter(|s| s.released > host.released).find(works);
    later.or_else(|| siblings.iter().rev().filter(|s| s.released < host.released).find(works))
}

fn advice(host: &Host, better: &Host) -> String {
    let spec = better.name.replacen(' ', "==", 1);
    let relation = if better.released > host.released { "first later" } else { "last earlier" };
    format!("Install {spec}, the {relation} release that works with this plug-in.")
}

/// [`predict`], with what an adapter mends named on the findings.
pub(crate) fn adapted_prediction(host: &Host, probe: &crate::Probe) -> Vec<Finding> {
    let mut findings = predict(host, probe);
    adapter::name_adaptations(&mut findings, host, probe.minor);
    findings
}
