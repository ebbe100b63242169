//! The program that is compiled, and what holds even where everything works.

use unskew_core::{Finding, Version};

use super::pair::Pair;
use crate::probe::Probe;
use crate::rules;
use crate::verdict::host::{HostFramework, gets_mesh_shardings_wrong};
use crate::verdict::plugin;

/// The StableHLO version of the programs that the host writes for this plug-in.
pub(super) fn stablehlo(pair: &Pair<'_>) -> Option<Finding> {
    let found = pair.host.stablehlo?;
    let current = pair.plugin.version_attribute(plugin::STABLEHLO_CURRENT);
    let minimum = pair.plugin.version_attribute(plugin::STABLEHLO_MINIMUM);
    if let Some(wanted) = minimum.filter(|minimum| found < *minimum) {
        let rule = rules::ProgramOlderThanPlugInReads { wanted: &wanted, found: &found };
        return Some(rule.finding());
    }
    let wanted = current.filter(|current| found < *current)?;
    let beyond = pair.behaviour.writes_beyond_itself(pair.host.released);
    beyond.then(|| program_too_new(wanted, found))
}

fn program_too_new(wanted: Version, found: Version) -> Finding {
    rules::ProgramNewerThanPlugInReads { wanted: &wanted, found: &found }
        .finding()
        .with_symptom(format!("target version {wanted} is greater than current version {found}"))
}

/// Programs for several devices whose shardings the plug-in's partitioner gets wrong.
pub(super) fn mesh_shardings(pair: &Pair<'_>) -> Option<Finding> {
    // Only XLA has the partitioner and the option; every plug-in that is built on it says so.
    let on_xla = pair.plugin.attribute(plugin::XLA_VERSION).is_some();
    let minor = pair.plugin.minor;
    let met = on_xla
        && pair.behaviour.writes_mesh_shardings(pair.host.released)
        && gets_mesh_shardings_wrong(minor);
    met.then(|| rules::MeshShardingsAreMisread { minor: &format!("0.{minor}") }.finding())
}

/// The fix where nobody can give a plug-in the handlers of jaxlib.
const ON_OWN_BACKEND: &str = "Keep LAPACK-based linear algebra and Python callbacks on jaxlib's own CPU backend: the FFI \
    extension of this plug-in takes no handlers.";

/// The size of an FFI extension whose last slot takes handlers, in bytes.
const FFI_WITH_HANDLERS: u64 = 48;

fn takes_handlers(plugin: &Probe) -> bool {
    let ffi = plugin.extension("FFI");
    ffi.and_then(|ffi| ffi.size).is_some_and(|size| size >= FFI_WITH_HANDLERS)
}

/// What is to be known of this plug-in even if everything works.
pub(super) fn remarks(pair: &Pair<'_>) -> Vec<Finding> {
    let mut remarks = Vec::new();
    // The handlers are those of jaxlib.
    if pair.host.framework == HostFramework::Jax
        && pair.host.is_release()
        && plugin::looks_like_xla_cpu(pair.plugin)
    {
        let symptom = "No FFI handler registered for lapack_sgetrf_ffi on a platform Host";
        let finding = rules::HandlersAreNotInThePlugIn {}.finding().with_symptom(symptom);
        remarks.push(match takes_handlers(pair.plugin) {
            true => finding,
            false => finding.with_fix(ON_OWN_BACKEND),
        });
    }
    if !pair.plugin.has_extension("AbiVersion") {
        remarks.push(rules::SerializedExecutablesDoNotTravel {}.finding());
    }
    remarks
}
