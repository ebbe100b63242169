//! Usage of a plug-in that was put on trial: which releases of TensorFlow can use it.

use unskew_core::{Finding, Severity, Version};

use super::facts::{outcome, span};
use super::{PluginEntry, PluginTrial, Preflight, TrialEnd, eras, findings};
use crate::layout::{FIRST, ReleaseGroup};

/// Releases of one era, and what they do with a plug-in.
#[derive(Clone, Debug)]
pub struct PluginUsage {
    /// The releases of the era.
    pub releases: ReleaseGroup,
    /// What becomes of the plug-in there.
    pub verdict: PluginLoadResult,
    /// What the plug-in did, in a few words.
    pub seen: String,
    /// What hosts of the era find in it.
    pub findings: Vec<Finding>,
}

/// What becomes of a plug-in in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginLoadResult {
    /// It registers, and nothing is found.
    Works,
    /// It registers, with a warning.
    Doubtful,
    /// It ends the process of the host, or spoils it.
    Fails,
    /// The release loads no plug-ins.
    NotLoaded,
    /// It was not seen to the end.
    Unknown,
}

impl PluginLoadResult {
    /// The word that stands for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Doubtful => "works, with a warning",
            Self::Fails => "fails",
            Self::NotLoaded => "loads no plug-ins",
            Self::Unknown => "not known",
        }
    }
}

impl PluginUsage {
    /// The releases in words: `TensorFlow 2.5 to 2.6`.
    pub fn span(&self) -> String {
        span(self.releases)
    }
}

/// What the releases of every era do with the plug-in, the newest first. What stands in its file, which
/// functions it imports, is not part of it: that differs within an era.
pub fn usages(preflight: &Preflight) -> Vec<PluginUsage> {
    let usage = |releases: ReleaseGroup| {
        let trial = preflight.of_release(releases.first.minor)?;
        let last = Version::pair(2, releases.last.minor.into());
        let mut findings = findings(trial, &last);
        findings.extend(later(preflight, releases));
        let verdict = verdict(releases, trial, &findings);
        Some(PluginUsage { releases, verdict, seen: outcome(trial), findings })
    };
    eras().into_iter().rev().filter_map(usage).collect()
}

/// What the entries that come after registration show in these releases, each thing once.
fn later(preflight: &Preflight, releases: ReleaseGroup) -> Vec<Finding> {
    let mut found: Vec<(Version, Finding)> = Vec::new();
    for minor in (FIRST.minor.max(releases.first.minor)..=releases.last.minor).rev() {
        let release = Version::pair(2, minor.into());
        for finding in of_entries(preflight, &release) {
            let same = |(at, known): &(Version, Finding)| {
                known.message.replace(&at.to_string(), "")
                    == finding.message.replace(&release.to_string(), "")
            };
            if !found.iter().any(same) {
                found.push((release, finding));
            }
        }
    }
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// What a host of `release` finds in the entries that come after registration.
pub(crate) fn of_entries(preflight: &Preflight, release: &Version) -> Vec<Finding> {
    let Ok(minor) = u32::try_from(release.minor()) else { return Vec::new() };
    // What goes wrong before is the registration's.
    if !preflight.of_release(minor).is_some_and(PluginTrial::is_accepted) {
        return Vec::new();
    }
    let trials =
        PluginEntry::OTHERS.into_iter().filter_map(|entry| preflight.entered(entry, minor));
    trials.flat_map(|trial| findings(trial, release)).collect()
}

fn verdict(releases: ReleaseGroup, trial: &PluginTrial, findings: &[Finding]) -> PluginLoadResult {
    match findings.iter().map(|finding| finding.severity).max() {
        _ if releases.last < FIRST => PluginLoadResult::NotLoaded,
        _ if trial.is_moot() || matches!(trial.end, TrialEnd::NotMade(_)) => {
            PluginLoadResult::Unknown
        }
        Some(Severity::Error) => PluginLoadResult::Fails,
        Some(Severity::Warning) => PluginLoadResult::Doubtful,
        _ => PluginLoadResult::Works,
    }
}

/// What is wrong with the plug-in itself: the findings of hosts as old as its headers and newer ones, each
/// once. Hosts that are older than its headers promise nothing.
pub fn faults(preflight: &Preflight) -> Vec<Finding> {
    let built = preflight.headers().map_or(FIRST, |headers| headers.first);
    let mut kept: Vec<(String, Finding)> = Vec::new();
    for usage in usages(preflight).into_iter().filter(|usage| usage.releases.last >= built) {
        if usage.releases.last < FIRST {
            continue;
        }
        let last = usage.releases.last.to_string();
        for finding in usage.findings {
            // The same in an older release is no news.
            let key = format!("{} {}", finding.rule.code, finding.message.replace(&last, ""));
            if !kept.iter().any(|(known, _)| *known == key) {
                kept.push((key, finding));
            }
        }
    }
    kept.into_iter().map(|(_, finding)| finding).collect()
}
