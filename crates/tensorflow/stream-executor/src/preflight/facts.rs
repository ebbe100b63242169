//! Trials in a few words each.

use unskew_abi::contract::InterfaceVersion;

use super::{PluginEntry, PluginTrial, Preflight, Skew, TrialEnd, bytes, era_of};
use crate::layout::{ReleaseGroup, Structure, releases_of};

/// Labels and facts about a plug-in that was put on trial.
pub(crate) fn facts(preflight: &Preflight) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let released = || preflight.trials.iter().filter(|trial| trial.script.is_released());
    if let Some(trial) = released().find(|trial| trial.name.is_some()) {
        let name = trial.name.as_deref().unwrap_or_default();
        let device_type = trial.device_type.as_deref().unwrap_or("none");
        facts.push(("platform".to_owned(), format!("{name}, device type {device_type}")));
    }
    if let Some(releases) = preflight.headers() {
        facts.push(("built with headers of".to_owned(), span(releases)));
    }
    for trial in released() {
        let era = era_of(trial.script.minor, PluginEntry::Device).map(span).unwrap_or_default();
        facts.push((format!("host: {era}"), outcome(trial)));
    }
    facts.extend(entries(preflight));
    for trial in preflight.trials.iter().filter(|trial| trial.script.skew != Skew::None) {
        facts.push((format!("host {}", trial.script.skew), outcome(trial)));
    }
    facts
}

/// What each of the entries that come after registration did, by releases where they differ.
pub fn entries(preflight: &Preflight) -> Vec<(String, String)> {
    let mut rows: Vec<(PluginEntry, ReleaseGroup, String)> = Vec::new();
    for trial in preflight.trials.iter().filter(|trial| trial.script.entry != PluginEntry::Device) {
        let (entry, seen) = (trial.script.entry, outcome(trial));
        let Some(era) = era_of(trial.script.minor, entry) else { continue };
        match rows.last_mut() {
            // The newest come first.
            Some((last, span, words)) if *last == entry && *words == seen => span.first = era.first,
            _ => rows.push((entry, era, seen)),
        }
    }
    let alone = |entry| rows.iter().filter(|row| row.0 == entry).count() == 1;
    let label = |entry: PluginEntry, releases| match alone(entry) {
        true => entry.function().to_owned(),
        false => format!("{}: {}", entry.function(), span(releases)),
    };
    rows.iter().map(|(entry, releases, seen)| (label(*entry, *releases), seen.clone())).collect()
}

impl Preflight {
    /// The releases whose headers the plug-in was built with, as the sizes say that it announces in the
    /// structs that it fills in; none if it leaves the host's there.
    pub fn headers(&self) -> Option<ReleaseGroup> {
        // A size that is not the host's own is the plug-in's; one that never differs is the host's.
        let released = self.trials.iter().filter(|trial| trial.script.is_released());
        let structures =
            [Structure::SP_Platform, Structure::SP_PlatformFns, Structure::SP_StreamExecutor];
        let mut sizes = Vec::new();
        for structure in structures {
            let seen = released.clone().filter_map(|trial| trial.structure(structure.name()));
            let seen: Vec<_> = seen.filter(|seen| seen.after != 0).collect();
            let set = seen.iter().any(|seen| seen.after != seen.announced);
            let first = seen.first().map(|seen| seen.after);
            if let Some(size) = first.filter(|_| set && seen.iter().all(|s| Some(s.after) == first))
            {
                sizes.push((structure, usize::try_from(size).ok()?));
            }
        }
        if sizes.is_empty() { None } else { releases_of(&sizes) }
    }
}

/// `TensorFlow 2.5 to 2.6`.
pub(super) fn span(releases: ReleaseGroup) -> String {
    let ReleaseGroup { first, last } = releases;
    let one = |version: InterfaceVersion| version.to_string();
    match first == last {
        true => format!("TensorFlow {}", one(first)),
        false => format!("TensorFlow {} to {}", one(first), one(last)),
    }
}

/// What the plug-in did, in a few words: how it ended, what it left out, what it spoiled.
pub(super) fn outcome(trial: &PluginTrial) -> String {
    let mut parts = vec![ended(trial)];
    if trial.refusal().is_none() && !trial.empty.is_empty() {
        let fields: Vec<&str> = trial.empty.iter().map(|empty| empty.field.as_str()).collect();
        parts.push(format!("leaves null: {}", crate::matcher::listed(&fields)));
    }
    for seen in &trial.structs {
        let padding = if seen.is_padding() { ", in padding" } else { "" };
        if seen.behind > 0 {
            parts.push(format!("writes {} past {}{padding}", bytes(seen.behind), seen.name));
        }
        if seen.before > 0 {
            parts.push(format!("writes {} before {}", bytes(seen.before), seen.name));
        }
    }
    let zero = |seen: &&super::ObservedStruct| seen.announced != 0 && seen.after == 0;
    parts.extend(
        trial
            .structs
            .iter()
            .filter(zero)
            .map(|seen| format!("sets the size of {} to 0", seen.name)),
    );
    parts.join("; ")
}

impl PluginTrial {
    /// What the plug-in did, in a few words.
    pub fn summary(&self) -> String {
        outcome(self)
    }
}

fn ended(trial: &PluginTrial) -> String {
    let stage = &trial.stage;
    let after = match &*trial.lacking {
        names if trial.is_moot() => format!(", after {}", crate::matcher::listed(names)),
        _ => String::new(),
    };
    match &trial.end {
        TrialEnd::Died(cause) => format!("ends the process in {stage}: {cause}{after}"),
        TrialEnd::Late(seconds) => format!("no answer from {stage} within {seconds} s{after}"),
        TrialEnd::NotMade(reason) => format!("not played: {reason}"),
        TrialEnd::Played => match trial.refusal() {
            Some(call) => {
                format!("refused by {}, and unloaded: {}", call.function, said(&call.message))
            }
            None => registered(trial),
        },
    }
}

fn said(message: &str) -> &str {
    if message.is_empty() { "no reason given" } else { message }
}

fn registered(trial: &PluginTrial) -> String {
    let device_type = trial.device_type.as_deref().unwrap_or("no device type");
    match trial.script.entry {
        PluginEntry::Device => {}
        PluginEntry::Kernels if trial.kernels == 1 => return "registers 1 kernel".to_owned(),
        PluginEntry::Kernels => return format!("registers {} kernels", trial.kernels),
        PluginEntry::Graph => return format!("registers a graph optimizer for {device_type}"),
        PluginEntry::Profiler => return format!("registers a profiler for {device_type}"),
    }
    match (trial.devices, trial.no_device()) {
        (_, Some(call)) => format!("registers; {} fails: {}", call.function, said(&call.message)),
        (Some(1), None) => "registers, 1 device".to_owned(),
        (Some(devices), None) => format!("registers, {devices} devices"),
        (None, None) => "registers".to_owned(),
    }
}
