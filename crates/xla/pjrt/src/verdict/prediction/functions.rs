//! The function table: what the host calls, and what the plug-in has.

use unskew_core::{Finding, Phase, Places, Severity};

use super::pair::Pair;
use crate::layout::{self, Slot, StructUse};
use crate::rules;
use crate::verdict::host::{HostFramework, Ungated};

/// A table that is shorter than its version says.
pub(super) fn table(pair: &Pair<'_>) -> Option<Finding> {
    too_short(pair.plugin)
}

/// The same for a plug-in alone, whoever loads it.
pub(crate) fn too_short(plugin: &crate::Probe) -> Option<Finding> {
    let wanted = layout::table_size(plugin.minor)?.end as u64;
    let found = plugin.true_table_size();
    let rule = rules::TableShorterThanVersion {
        found: &found,
        plugin: &plugin.version(),
        wanted: &wanted,
    };
    (plugin.major == 0 && found < wanted).then(|| rule.finding())
}

/// The functions that the host calls without asking and that the plug-in's version does not have.
pub(super) fn ungated(pair: &Pair<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut rare: Vec<&Slot> = Vec::new();
    for call in &pair.behaviour.ungated {
        let Some(slot) = layout::slot(&call.function) else { continue };
        let known = slot.since <= pair.minor;
        let visible = call.extension.as_deref().is_none_or(|name| pair.plugin.has_extension(name));
        if !known || !visible || slot.since <= pair.plugin.minor {
            continue;
        }
        // What was seen is what JAX calls.
        let own = pair.behaviour.required_by(pair.host.framework);
        let measured = call.measured
            && (pair.host.framework != HostFramework::TensorFlow || own.contains(&call.function));
        match call.r#use.filter(|_| measured) {
            Some(usage) => findings.push(called(pair, call, slot, usage)),
            None => rare.push(slot),
        }
    }
    if let Some(youngest) = rare.iter().map(|slot| slot.since).max() {
        let rule = rules::MissingFunctionMayBeCalled {
            count: &rare.len(),
            host: &pair.host_version(),
            plugin: &pair.plugin.version(),
            since: &youngest,
        };
        let places: Places = rare.iter().map(|slot| slot.name).collect();
        findings.push(rule.finding().at(places));
    }
    findings
}

fn called(pair: &Pair<'_>, call: &Ungated, slot: &Slot, usage: StructUse) -> Finding {
    let rule = rules::MissingFunctionIsCalled {
        function: &call.function,
        since: &slot.since,
        path: &usage.as_str(),
        plugin: &pair.plugin.version(),
    };
    let phase = if usage == StructUse::Create { Phase::Load } else { Phase::FirstUse };
    rule.finding().in_phase(phase).with_symptom("the process dies with SIGSEGV")
}

/// The slots of the plug-in's table that hold nothing.
pub(super) fn empty(pair: &Pair<'_>) -> Vec<Finding> {
    let required = pair.behaviour.required_by(pair.host.framework);
    empty_slots(pair.plugin)
        .filter(|slot| slot.since <= pair.minor)
        .map(|slot| {
            let rule = rules::FunctionIsNull { function: &slot.name };
            if required.iter().any(|name| name == slot.name) {
                rule.finding().with_symptom("the process dies with SIGSEGV")
            } else {
                rule.finding().with_severity(Severity::Warning).in_phase(Phase::FirstUse)
            }
        })
        .collect()
}

/// The functions that the plug-in's version has and its table does not.
pub(crate) fn empty_slots(plugin: &crate::Probe) -> impl Iterator<Item = &'static Slot> {
    let slots = layout::slots().iter().filter(|slot| slot.since <= plugin.minor);
    slots.filter(|slot| plugin.empty_slots.contains(&(slot.offset as u64)))
}
