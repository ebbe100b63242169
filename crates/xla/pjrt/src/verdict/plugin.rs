//! A plug-in as a party.

use std::sync::Arc;

use unskew_abi::SharedObject;
use unskew_core::{Finding, Party, Provision, Role, Unjudged, VersionRange, aspect};

use crate::built::Built;
use crate::known::KnownPlugin;
use crate::layout;
use crate::probe::{Probe, ProbeError, ProbeFailure, with_packages};
use crate::rules;
use crate::verdict::axes::{API_AXIS, STABLEHLO_AXIS};
use crate::verdict::host::HostFramework;
use crate::verdict::prediction::{empty_slots, too_short};

pub(crate) const STABLEHLO_CURRENT: &str = "stablehlo_current_version";
pub(crate) const STABLEHLO_MINIMUM: &str = "stablehlo_minimum_version";
pub(crate) const XLA_VERSION: &str = "xla_version";

/// What has a plug-in judged that was not run.
const RUN: &str = "--run, which runs it with your permissions";

/// What hosts look for in the party of a plug-in.
#[derive(Clone, Debug)]
pub struct PluginFacts {
    /// What it said of itself, as far as it was seen.
    pub probe: Option<Probe>,
    /// Why it was not seen, or not to the end.
    pub failure: Option<ProbeError>,
    /// Functions by which a framework enters it that asks for the table only then; none if nobody looked.
    entries: Option<Vec<&'static str>>,
}

impl PluginFacts {
    /// Whether a framework enters it by this function; none if that is not known.
    pub(crate) fn has_entry(&self, entry: &str) -> Option<bool> {
        Some(self.entries.as_ref()?.contains(&entry))
    }
}

/// Whether a shared object is a PJRT plug-in.
pub fn recognizes(object: &SharedObject) -> bool {
    object.exports("GetPjrtApi")
}

/// The party of the plug-in called `name`, from what its file says and what it said of itself.
pub fn party(name: &str, object: &SharedObject, probe: Result<Probe, ProbeError>) -> Party {
    let (probe, failure) = match probe {
        Ok(probe) => (Some(probe), None),
        Err(error) => (error.so_far.as_deref().cloned(), Some(error)),
    };
    let entries = HostFramework::TensorFlow.entry().into_iter();
    let entries = Some(entries.filter(|entry| object.exports(entry)).collect());
    let plugin = PluginFacts { probe, failure, entries };
    let mut party = Party::new(name, Role::Plugin, "PJRT plug-in")
        .fact("file", format!("{} {}", object.format, object.machine));
    if let Some(soname) = &object.soname {
        party = party.fact("soname", soname);
    }
    party = party.fact("needs", object.needed.join(" "));
    if let Some(failure) = &plugin.failure {
        party = match &failure.cause {
            // Nothing is wrong with what nobody ran.
            ProbeFailure::NotRun(reason) => {
                let unjudged =
                    Unjudged::new(aspect::PLUGIN, format!("{name} was not run: {reason}"));
                party.not_judged(unjudged.with_remedy(match object.is_for_here() {
                    true => RUN.to_owned(),
                    false => format!("the same command on {}", object.built_for().0),
                }))
            }
            _ => party.note(failure_finding(failure)),
        };
    }
    if let Some(probe) = &plugin.probe {
        party = seen(party, probe);
    }
    party.with_capability(Arc::new(plugin))
}

/// The party of a public plug-in whose file is not here, by what it said when it was asked once.
pub fn party_of_known(known: KnownPlugin) -> Party {
    let party = Party::new(&known.package, Role::Plugin, "PJRT plug-in");
    let how = "the name and the version of its package; its file is not here";
    let mut party = seen(party.fact("known by", how), &known.probe);
    if let Some(refused) = known.probe.attributes_refused.as_ref() {
        let why =
            format!("whether the plug-in of {} does what its table says: {refused}", known.package);
        party = party.not_judged(Unjudged::new(aspect::PLUGIN, why));
    }
    let facts = PluginFacts { probe: Some(known.probe), failure: None, entries: None };
    party.with_capability(Arc::new(facts))
}

/// The same for a plug-in that was not run, with what its code says.
pub fn party_of_code(
    name: &str,
    object: &SharedObject,
    probe: Result<Probe, ProbeError>,
    built: Option<Built>,
) -> Party {
    let party = party(name, object, probe);
    let Some(built) = built else { return party };
    let version = built.version();
    party
        .from_origin(format!("built with PJRT {version}"))
        .provide(Provision::new(API_AXIS, VersionRange::exactly(version)).at("code of GetPjrtApi"))
        .fact("function table", format!("{} bytes announced", built.table_size))
}

/// What a probe adds to a party.
fn seen(mut party: Party, probe: &Probe) -> Party {
    let version = VersionRange::exactly(probe.version());
    party = party.from_origin(format!("built with PJRT {}", probe.version()));
    party = party.provide(Provision::new(API_AXIS, version).at("PJRT_Api.pjrt_api_version"));
    if let Some(current) = probe.version_attribute(STABLEHLO_CURRENT) {
        let min = probe.version_attribute(STABLEHLO_MINIMUM);
        let range = VersionRange { min, max: Some(current) };
        party = party.provide(Provision::new(STABLEHLO_AXIS, range).at("PJRT_Plugin_Attributes"));
    }
    let table = match probe.true_table_size() {
        size if size == probe.table_size => format!("{size} bytes"),
        size => format!("{} bytes announced, {size} there", probe.table_size),
    };
    let slots = (probe.true_table_size() as usize).saturating_sub(layout::FIRST_SLOT) / 8;
    let functions = slots.saturating_sub(probe.empty_slots.len());
    party = party.fact("function table", format!("{table}, {functions} functions"));
    let chain: Vec<String> = probe.extensions.iter().map(ToString::to_string).collect();
    party =
        party.fact("extensions", if chain.is_empty() { "none".into() } else { chain.join(" ") });
    for attribute in probe.attributes.iter().flatten() {
        party = party.fact(format!("attribute {}", attribute.name), &attribute.value);
    }
    if let Some(refused) = &probe.attributes_refused {
        party = party.fact("attributes", refused);
    }
    remarks(probe).into_iter().fold(party, Party::note)
}

/// What is to be said about a plug-in whoever loads it.
fn remarks(probe: &Probe) -> Vec<Finding> {
    let mut remarks = Vec::new();
    let there = probe.true_table_size();
    if there != probe.table_size {
        let (found, plugin) = (probe.table_size, probe.version());
        let rule = rules::TableSizeUnderstated { found: &found, plugin: &plugin, wanted: &there };
        remarks.push(rule.finding());
    }
    remarks.extend(too_short(probe));
    if let Some(cause) = &probe.extensions_broken {
        let rule = rules::ExtensionChainBroken { count: &probe.extensions.len(), cause };
        remarks.push(rule.finding());
    }
    for slot in empty_slots(probe) {
        remarks.push(rules::FunctionIsNull { function: &slot.name }.finding());
    }
    remarks
}

/// The finding of a plug-in that could not be looked at, or not to the end.
pub(crate) fn failure_finding(error: &ProbeError) -> Finding {
    let stage = &error.stage;
    let finding = match &error.cause {
        ProbeFailure::MissingLibraries(libraries) => {
            let cause = format!("needs libraries that are not here: {}", with_packages(libraries));
            rules::PlugInDoesNotLoad { cause: &cause }.finding()
        }
        ProbeFailure::NotLoaded(cause) => rules::PlugInDoesNotLoad { cause }.finding(),
        ProbeFailure::NoTable(cause) => rules::NoUsableTable { cause }.finding(),
        ProbeFailure::Died(cause) => rules::PlugInEndsItsProcess { stage, cause }.finding(),
        ProbeFailure::TimedOut(seconds) => rules::PlugInDoesNotAnswer { seconds, stage }.finding(),
        ProbeFailure::NotRun(cause) | ProbeFailure::NotAsked(cause) => {
            rules::NotAsked { cause }.finding()
        }
    };
    match error.said.lines().last() {
        Some(line) if !line.trim().is_empty() => finding.with_symptom(line.trim()),
        _ => finding,
    }
}

/// Whether a plug-in looks like XLA's CPU backend: it compiles in phases and takes FFI handlers, and
/// has nothing that only accelerators have. A plug-in does not name its platform without a client.
pub(crate) fn looks_like_xla_cpu(probe: &Probe) -> bool {
    let accelerator = ["Gpu_Custom_Call", "Triton", "TpuTopology", "RawBuffer", "Stream"];
    probe.has_extension("FFI")
        && probe.has_extension("PhaseCompile")
        && !accelerator.iter().any(|name| probe.has_extension(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::Extension;

    fn codes(probe: &Probe) -> Vec<&'static str> {
        remarks(probe).iter().map(|finding| finding.rule.code).collect()
    }

    /// The CUDA plug-in of jax 0.4.31 announces 808 bytes and has 840.
    #[test]
    fn a_table_that_announces_too_little_is_remarked_and_read_whole() {
        let cuda = Probe { minor: 54, version_size: 24, table_size: 808, ..Probe::default() };
        assert_eq!(codes(&cuda), ["PJ605"]);
        assert!(cuda.has_function("PJRT_ExecuteContext_Create"));
        assert!(!cuda.has_function("PJRT_Client_DmaMap"));
    }

    /// The Tenstorrent plug-in of 0.114 fills in no sizes and leaves one slot empty.
    #[test]
    fn an_empty_slot_is_remarked() {
        let probe =
            Probe { minor: 114, table_size: 1144, empty_slots: vec![1080], ..Probe::default() };
        assert_eq!(codes(&probe), ["PJ303"]);
        assert!(!probe.has_function("PJRT_LoadedExecutable_AddressableDeviceLogicalIds"));
    }

    #[test]
    fn a_gpu_plug_in_does_not_look_like_a_cpu_one() {
        let extension = |kind| Extension { kind, size: Some(48) };
        let cpu = Probe { extensions: vec![extension(9), extension(5)], ..Probe::default() };
        let gpu =
            Probe { extensions: vec![extension(9), extension(5), extension(0)], ..cpu.clone() };
        assert!(looks_like_xla_cpu(&cpu) && !looks_like_xla_cpu(&gpu));
    }
}
