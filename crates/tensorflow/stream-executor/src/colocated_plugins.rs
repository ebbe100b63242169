//! Plug-ins that TensorFlow loads into the same process.

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Requirement};

use crate::exports::TensorFlowExports;
use crate::plugin::PLATFORM_AXIS;
use crate::preflight::Preflight;
use crate::rules;

/// The platform that a plug-in registers, if it was put on trial and did so.
pub fn platform(plugin: &Party) -> Option<&str> {
    plugin.capability::<Preflight>()?.platform()
}

/// The plug-in, if it lies in a folder with another that registers the same platform, which is called `other`:
/// whoever loads both fails.
#[must_use]
pub fn beside(plugin: Party, other: &str) -> Party {
    let Some(name) = platform(&plugin).map(str::to_owned) else { return plugin };
    let finding = rules::PlatformTwiceInFolder { other: &other, name: &name }.finding();
    let company = Requirement::matches(PLATFORM_AXIS, ColocatedPlugins(Arc::new(finding.clone())));
    plugin.note(finding).require(company.irrelevant_if_absent())
}

/// What every release that loads plug-ins finds.
struct ColocatedPlugins(Arc<Finding>);

impl Matcher for ColocatedPlugins {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        let loads = other.capability::<TensorFlowExports>()?.loads_plugins();
        let findings = if loads { vec![Finding::clone(&self.0)] } else { Vec::new() };
        Some(Judgement { findings, ..Judgement::default() })
    }
}
