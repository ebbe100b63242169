//! A host judges a plug-in: what happens when it loads it, and what is promised about the pair.

use std::sync::Arc;

use unskew_core::{
    Context, Finding, Judgement, Matcher, Party, Provision, Requirement, Role, Severity, Unjudged,
    VersionRange, aspect,
};

use crate::probe::{ProbeError, ProbeFailure};
use crate::rules;
use crate::verdict::adapter;
use crate::verdict::axes::{API_AXIS, STABLEHLO_AXIS};
use crate::verdict::history;
use crate::verdict::host::{ReleasedHost, behaviour};
use crate::verdict::plugin::{self, PluginFacts};
use crate::verdict::prediction::predict;

/// The requirement of a host: a plug-in that it can call.
struct HostMatcher(Arc<ReleasedHost>);

impl ReleasedHost {
    /// The host as a party: provides its PJRT version, requires a plug-in that it can call.
    pub fn party(&self) -> Party {
        let party = Party::new(&self.name, Role::Host, &self.kind)
            .from_origin(format!("released {}", self.released))
            .dated(self.released);
        self.attach(party)
    }

    /// Adds to the party of a release that it is a host.
    pub fn attach(&self, mut party: Party) -> Party {
        if let Some(version) = self.version() {
            party = party
                .provide(Provision::new(API_AXIS, VersionRange::exactly(version)))
                .fact("PJRT C API", version);
        }
        if let Some(version) = self.stablehlo {
            let min = behaviour().stablehlo.minimum.parse().ok();
            let reads = VersionRange { min, max: Some(version) };
            party = party
                .provide(Provision::new(STABLEHLO_AXIS, reads))
                .fact("StableHLO", format!("reads {reads}"));
        }
        let read = behaviour().extensions_read_by(self);
        if let Some(read) = read {
            let none = || "none".to_owned();
            let named = |names: &[String]| if names.is_empty() { none() } else { names.join(", ") };
            let needed = named(&self.needs_extensions);
            party = party.fact("PJRT extensions", format!("reads {}, needs {needed}", named(read)));
        }
        let matcher = HostMatcher(Arc::new(self.clone()));
        party.require(Requirement::matches(API_AXIS, matcher).irrelevant_if_absent())
    }
}

impl Matcher for HostMatcher {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let plugin = other.capability::<PluginFacts>()?;
        let host = &*self.0;
        let mut judgement = Judgement::default();
        // Whatever kept the plug-in from being seen, nothing can be said for it: that is no pass.
        // What nobody ran is said by its party.
        let seen = |error: &&ProbeError| !matches!(error.cause, ProbeFailure::NotRun(_));
        let unseen = plugin.failure.as_ref().filter(seen).map(plugin::failure_finding);
        judgement.findings.extend(unseen.map(|finding| finding.with_severity(Severity::Error)));
        if let Some(entry) = host.framework.entry() {
            match plugin.has_entry(entry) {
                Some(true) => {}
                Some(false) => {
                    let rule = rules::NotEntered { host: &host.name, entry: &entry };
                    judgement.findings.push(rule.finding());
                    return Some(judgement);
                }
                None => {
                    let why = format!(
                        "whether it has {entry}, by which {} enters it: its file is not here",
                        host.name
                    );
                    judgement.unjudged.push(Unjudged::new(aspect::PLUGIN, why));
                }
            }
        }
        if let Some(function) = host.lacks {
            let why = format!(
                "{} does not export {function}, by which a device has its client made: whether this one makes it by C++ is not \
                 known; without, every operation fails",
                host.name
            );
            judgement.unjudged.push(Unjudged::new(aspect::PLUGIN, why));
        }
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
fn working<'a>(
    host: &ReleasedHost,
    siblings: &'a [ReleasedHost],
    probe: &crate::Probe,
) -> Option<&'a ReleasedHost> {
    let works = |sibling: &&ReleasedHost| {
        sibling.minor.is_some() && sibling.lacks.is_none() && !fails(&predict(sibling, probe))
    };
    let later = siblings.iter().filter(|s| s.released > host.released).find(works);
    later.or_else(|| siblings.iter().rev().filter(|s| s.released < host.released).find(works))
}

fn advice(host: &ReleasedHost, better: &ReleasedHost) -> String {
    let spec = better.name.replacen(' ', "==", 1);
    let relation = if better.released > host.released { "first later" } else { "last earlier" };
    format!("Install {spec}, the {relation} release that works with this plug-in.")
}

/// [`predict`], with what an adapter fixes named on the findings.
pub(crate) fn adapted_prediction(host: &ReleasedHost, probe: &crate::Probe) -> Vec<Finding> {
    let mut findings = predict(host, probe);
    adapter::name_adaptations(&mut findings, host, probe.minor);
    findings
}
