//! The sizes of the structs that the host sends, against those that the plug-in accepts.

use unskew_core::{Finding, Phase, Places};

use super::pair::Pair;
use crate::layout::{self, StructHistory, StructUse};
use crate::rules;

/// The structs of calls that every program makes, in the order of the calls.
const ALWAYS: [&str; 4] = [
    "PJRT_Client_Create_Args",
    "PJRT_Plugin_Attributes_Args",
    "PJRT_Device_AddressableMemories_Args",
    "PJRT_ExecuteOptions",
];

/// A struct that the host sends and the plug-in refuses.
struct Refused {
    history: &'static StructHistory,
    usage: StructUse,
    sent: usize,
    required: usize,
}

/// Findings about all structs that are too small for the plug-in: one for those that every program
/// sends, by the first of them, and one for the others.
pub(super) fn sizes(pair: &Pair<'_>) -> Vec<Finding> {
    let refused: Vec<Refused> = layout::structs().iter().filter_map(|h| refused(pair, h)).collect();
    if refused.is_empty() {
        return Vec::new();
    }
    if pair.plugin.version_size == 0 {
        let (plugin, host) = (pair.plugin.version(), pair.host_version());
        let rule = rules::SizesAreNotChecked { plugin: &plugin, host: &host, least: &least(pair) };
        return vec![rule.finding().at(refused.iter().map(Refused::place).collect())];
    }
    let always: Vec<&Refused> = ALWAYS
        .iter()
        .filter_map(|name| refused.iter().find(|refused| refused.history.name == *name))
        .collect();
    let (memory, other): (Vec<&Refused>, Vec<&Refused>) = refused
        .iter()
        .filter(|refused| !ALWAYS.contains(&refused.history.name))
        .partition(|refused| refused.usage == StructUse::MemoryAnalysis);
    let mut findings = Vec::new();
    findings.extend(always.first().map(|first| always_sent(pair, first, &always)));
    for some in [memory, other] {
        findings.extend(sometimes_sent(pair, &some));
    }
    findings
}

fn refused(pair: &Pair<'_>, history: &'static StructHistory) -> Option<Refused> {
    let usage = history.used?;
    let sent = history.size(pair.minor, Some(pair.host.released))?.declared;
    let required = required(pair, history)?;
    (sent < required).then_some(Refused { history, usage, sent, required })
}

/// The least size of a struct that the plug-in accepts: what was measured comes before what its minor suggests.
fn required(pair: &Pair<'_>, history: &StructHistory) -> Option<usize> {
    let measured = pair.plugin.accepted_sizes.get(history.name);
    measured
        .and_then(|size| (*size).try_into().ok())
        .or_else(|| history.required(pair.plugin.minor))
}

fn always_sent(pair: &Pair<'_>, first: &Refused, all: &[&Refused]) -> Finding {
    let (plugin, host) = (pair.plugin.version(), pair.host_version());
    let finding = rules::ArgumentsTooSmall {
        struct_name: &first.history.name,
        host: &host,
        sent: &first.sent,
        plugin: &plugin,
        required: &first.required,
        least: &least(pair),
    }
    .finding();
    let phase = if first.usage == StructUse::Execute { Phase::FirstUse } else { Phase::Load };
    let places: Places = all.iter().map(|refused| refused.place()).collect();
    finding.in_phase(phase).at(places).with_symptom(first.symptom(&plugin.to_string()))
}

fn sometimes_sent(pair: &Pair<'_>, refused: &[&Refused]) -> Option<Finding> {
    let first = refused.first()?;
    let mut paths: Vec<&str> = refused.iter().map(|refused| refused.usage.as_str()).collect();
    paths.dedup();
    let (plugin, host) = (pair.plugin.version(), pair.host_version());
    let rule = rules::ArgumentsTooSmallOnSomePath {
        path: &paths.join(", "),
        host: &host,
        plugin: &plugin,
        least: &least(pair),
    };
    let symptom = first.symptom(&plugin.to_string());
    Some(rule.finding().at(refused.iter().map(|r| r.place()).collect()).with_symptom(symptom))
}

/// The least minor of a host whose structs the plug-in accepts, as it is written: `0.78`.
fn least(pair: &Pair<'_>) -> String {
    let accepted = |minor: i32| {
        layout::structs().iter().filter(|h| ALWAYS.contains(&h.name)).all(|history| {
            let sent = history.size(minor, None).map_or(0, |size| size.declared);
            required(pair, history).is_none_or(|required| required <= sent)
        })
    };
    // A plug-in may claim any number; above the last minor that changed a struct nothing differs.
    let last = layout::structs().iter().flat_map(|h| h.sizes).map(|size| size.since).max();
    let last = pair.plugin.minor.min(last.unwrap_or(layout::FLOOR));
    let least = (layout::FLOOR..=last).find(|minor| accepted(*minor));
    format!("0.{}", least.unwrap_or(pair.plugin.minor))
}

impl Refused {
    fn place(&self) -> String {
        format!("{} ({} < {})", self.history.name, self.sent, self.required)
    }

    /// What the plug-in says, and what the host makes of it.
    fn symptom(&self, plugin: &str) -> String {
        let Self { history, sent, required, .. } = self;
        let unexpected = format!(
            "Unexpected {} size: expected {required}, got {sent}. The plugin is likely built with a \
             later version than the framework. This plugin is built with PJRT API version {plugin}.",
            history.name
        );
        match history.name {
            "PJRT_Plugin_Attributes_Args" => {
                format!("Unexpected error status {unexpected} (the process is aborted)")
            }
            "PJRT_Client_Create_Args" => {
                format!("Unable to initialize backend: INVALID_ARGUMENT: {unexpected}")
            }
            _ => format!("INVALID_ARGUMENT: {unexpected}"),
        }
    }
}
