//! Prediction of what happens when a host loads a plug-in of another age.
//!
//! The steps follow the order in which a host meets them: it compares versions, walks the
//! extensions, makes a client, asks for the attributes, writes a program, executes it. The first
//! finding of severity error is what the user sees; the later ones are what comes next.

mod arguments;
mod features;
mod functions;
mod handshake;
mod pair;
mod program;

pub(crate) use functions::{empty_slots, too_short};
use unskew_core::Finding;

use crate::probe::Probe;
use crate::rules;
use crate::verdict::host::{ReleasedHost, behaviour};
use pair::Pair;

/// Every reason why `host` cannot use `plugin`, or cannot use all of it, in the order in which the
/// host meets them.
pub fn predict(host: &ReleasedHost, plugin: &Probe) -> Vec<Finding> {
    let Some(minor) = host.minor else {
        let rule = rules::HostVersionNotKnown { host: &host.name, released: &host.released };
        return vec![rule.finding()];
    };
    let pair = Pair { host, minor, plugin, behaviour: behaviour() };
    let mut findings = Vec::new();
    if let Some(refusal) = handshake::refusal(&pair) {
        // Nothing that comes later is reached, whatever is done about it short of another version.
        findings.push(refusal);
        return findings;
    }
    findings.extend(handshake::extensions(&pair));
    findings.extend(handshake::needed_extensions(&pair));
    findings.extend(handshake::exact_minor(&pair));
    findings.extend(functions::table(&pair));
    findings.extend(arguments::sizes(&pair));
    findings.extend(functions::ungated(&pair));
    findings.extend(functions::empty(&pair));
    findings.extend(program::stablehlo(&pair));
    findings.extend(program::mesh_shardings(&pair));
    findings.extend(features::unguarded(&pair));
    findings.extend(program::remarks(&pair));
    findings
}

impl Pair<'_> {
    /// The host's version as it is written.
    fn host_version(&self) -> String {
        format!("0.{}", self.minor)
    }
}
