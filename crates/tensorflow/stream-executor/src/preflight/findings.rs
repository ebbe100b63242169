//! Findings from trials of a plug-in: for one release, and for all.

use unskew_core::{Finding, Phase, Severity, Version};

use super::{PluginTrial, Preflight, PreflightFailure, Skew, TrialEnd, bytes};
use crate::layout::NEWEST;
use crate::rules;

/// What a host of `release` finds in a plug-in that did this with it.
///
/// A real host ends its process at the first of these that is an error; here all are named.
pub fn findings(trial: &PluginTrial, release: &Version) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(ended(trial, release));
    if let Some(call) = trial.refusal() {
        let (function, message) = (&call.function, &worded(&call.message, call.code));
        found.push(rules::PlugInRefuses { release, function, message }.finding());
    }
    found.extend(names(trial, release));
    found.extend(empty(trial, release));
    found.extend(sizes(trial, release));
    found.extend(beside(trial, release));
    found.into_iter().map(|finding| with_words(finding, trial)).collect()
}

fn with_words(finding: Finding, trial: &PluginTrial) -> Finding {
    let ends = [rules::SE007.code, rules::SE009.code];
    match ends.contains(&finding.rule.code) && !trial.said.is_empty() {
        true => finding.with_symptom(&trial.said),
        false => finding,
    }
}

/// The text of a status, or its code if it has none.
fn worded(message: &str, code: i32) -> String {
    if message.is_empty() { format!("code {code}, without a text") } else { message.to_owned() }
}

fn ended(trial: &PluginTrial, release: &Version) -> Option<Finding> {
    let stage = &trial.stage;
    if trial.is_moot() {
        return None;
    }
    let finding = match &trial.end {
        TrialEnd::Died(cause) => rules::PlugInEndsItsProcess { release, stage, cause }.finding(),
        TrialEnd::Late(seconds) => rules::PlugInDoesNotAnswer { release, stage, seconds }.finding(),
        TrialEnd::Played | TrialEnd::NotMade(_) => return None,
    };
    // What frees something is called when the process ends anyway.
    Some(match stage.starts_with("destroy_") {
        true => finding.in_phase(Phase::FirstUse).with_severity(Severity::Warning),
        false => finding,
    })
}

fn names(trial: &PluginTrial, release: &Version) -> Vec<Finding> {
    let mut found = Vec::new();
    let both = [("name", &trial.name), ("type", &trial.device_type)];
    for (field, name) in both.into_iter().filter_map(|(field, name)| Some((field, name.as_ref()?)))
    {
        if !is_name(name) {
            found.push(rules::NameNotAccepted { release, field: &field, name }.finding());
        }
    }
    if trial.device_type.as_deref() == Some("CPU") {
        found.push(rules::DeviceTypeIsCpu { release }.finding());
    }
    found
}

/// Whether a host takes it for the name of a platform or a device type.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

fn empty(trial: &PluginTrial, release: &Version) -> Vec<Finding> {
    // A plug-in that refused has set nothing, and need not.
    let asked = trial.refusal().is_none();
    let rows = trial.empty.iter().filter(|_| asked);
    let finding = |row: &super::NullField| {
        let (structure, field) = (&row.structure, &row.field);
        match row.refused {
            true => rules::RequiredFieldIsNull { release, structure, field }.finding(),
            false => {
                let finding = rules::NullIsCalled { release, structure, field }.finding();
                // It is called when the plug-in is loaded; the others when a program needs them.
                match field == "get_device_count" {
                    true => finding.in_phase(Phase::Load).with_severity(Severity::Error),
                    false => finding,
                }
            }
        }
    };
    rows.map(finding).collect()
}

fn sizes(trial: &PluginTrial, release: &Version) -> Vec<Finding> {
    let zero = trial.structs.iter().filter(|seen| seen.announced != 0 && seen.after == 0);
    let finding = |seen: &super::ObservedStruct| {
        let finding = rules::StructSizeIsZero { release, structure: &seen.name }.finding();
        match &*seen.name {
            // Looked at when the device is used.
            "SP_Device" => finding.in_phase(Phase::FirstUse),
            // An error in the log for each piece of memory, which works all the same.
            "SP_DeviceMemoryBase" => {
                finding.in_phase(Phase::FirstUse).with_severity(Severity::Warning)
            }
            _ => finding,
        }
    };
    zero.map(finding).collect()
}

fn beside(trial: &PluginTrial, release: &Version) -> Vec<Finding> {
    let mut found = Vec::new();
    for seen in &trial.structs {
        let (structure, size, function) = (&seen.name, &seen.bytes, &seen.by);
        if seen.behind > 0 {
            let count = &bytes(seen.behind);
            found.push(match seen.is_padding() {
                true => {
                    let rule =
                        rules::WritesIntoPadding { release, structure, size, function, count };
                    rule.finding()
                }
                false => {
                    let rule =
                        rules::WritesPastAStruct { release, structure, size, function, count };
                    rule.finding()
                }
            });
        }
        if seen.before > 0 {
            let count = &bytes(seen.before);
            let rule = rules::WritesBeforeAStruct { release, structure, function, count };
            found.push(rule.finding());
        }
    }
    found
}

/// What is to be said about a plug-in whoever loads it: whether it could be put on trial, and what it did
/// with hosts that no release is.
pub fn remarks(preflight: &Preflight) -> Vec<Finding> {
    let mut found: Vec<Finding> = preflight.failure.iter().filter_map(failure).collect();
    let accepts = |skew| preflight.with(skew).is_some_and(PluginTrial::is_accepted);
    if accepts(Skew::Major(99)) || accepts(Skew::Major(1)) {
        let host = if accepts(Skew::Major(99)) { "99.0.0" } else { "1.0.0" };
        found.push(rules::MajorNotCompared { host: &host }.finding());
    }
    if accepts(Skew::Announces(0)) {
        found.push(rules::StructSizeNotChecked {}.finding());
    }
    if let Some(version) = overwritten(preflight) {
        found.push(rules::VersionOverwritten { version: &version }.finding());
    }
    // What fails with the newest release as it is, fails of something else.
    if preflight.of_release(NEWEST.minor).is_some_and(PluginTrial::is_accepted) {
        found.extend(preflight.with(Skew::Longer(64)).and_then(newer_host));
    }
    if let Some((structure, count)) = preflight.with(Skew::Shorter).and_then(past) {
        found.push(rules::SizesNotKept { structure: &structure, count: &bytes(count) }.finding());
    }
    found.extend(preflight.trials.iter().find(|trial| trial.is_moot()).map(|trial| {
        let (names, count) = (crate::matcher::listed(&trial.lacking), trial.lacking.len());
        rules::CallsWhatIsNotHere { names: &names, count: &count }.finding()
    }));
    found
}

/// What is wrong with a plug-in that was not played to the end; none if nobody ran it.
fn failure(failure: &PreflightFailure) -> Option<Finding> {
    let cause = failure.to_string();
    Some(match failure {
        PreflightFailure::Died(_) | PreflightFailure::Late(_) | PreflightFailure::Stopped(_) => {
            rules::LoadingFails { cause: &cause }.finding()
        }
        PreflightFailure::NotRun(_) => return None,
        PreflightFailure::NotLoaded(_) | PreflightFailure::NotAsked(_) => {
            rules::NotOnTrial { cause: &cause }.finding()
        }
    })
}

/// The version that the plug-in wrote over the host's.
fn overwritten(preflight: &Preflight) -> Option<String> {
    let host = preflight.with(Skew::Major(99))?;
    let after = host.version;
    let asked = host.is_accepted() && after != [99, 0, 0];
    asked.then(|| after.map(|number| number.to_string()).join("."))
}

/// What goes wrong with a host whose structs are longer.
fn newer_host(trial: &PluginTrial) -> Option<Finding> {
    let cause = match (&trial.end, trial.refusal()) {
        (TrialEnd::Died(cause), _) if !trial.is_moot() => format!("{cause} in {}", trial.stage),
        (_, Some(call)) => worded(&call.message, call.code),
        _ => return None,
    };
    Some(rules::NewerHostRefused { cause: &cause }.finding())
}

/// What it writes past structs that end one field earlier.
fn past(trial: &PluginTrial) -> Option<(String, u64)> {
    let seen = trial.structs.iter().find(|seen| seen.behind > 0)?;
    Some((seen.name.clone(), seen.behind))
}
