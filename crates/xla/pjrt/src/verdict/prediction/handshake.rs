//! The comparison of versions, and the walk over the extensions that precedes it.

use unskew_core::{Finding, Phase};

use super::pair::Pair;
use crate::layout::{self, SIZED_EXTENSIONS};
use crate::rules;
use crate::verdict::host::Strictness;

/// The refusals after which nothing else is tried.
pub(super) fn refusal(pair: &Pair<'_>) -> Option<Finding> {
    exact_table(pair).or_else(|| major(pair)).or_else(|| least_minor(pair))
}

fn exact_table(pair: &Pair<'_>) -> Option<Finding> {
    if pair.behaviour.strictness(pair.host) != Strictness::ExactTable {
        return None;
    }
    let (host, plugin) = (pair.host_version(), pair.plugin.version());
    let found = pair.plugin.table_size;
    // The sizes of minors below the floor are not kept; a plug-in of another minor cannot match.
    let wanted = layout::table_size(pair.minor).map(|table| table.declared as u64);
    let same = match wanted {
        Some(wanted) => wanted == found,
        None => pair.plugin.minor == pair.minor,
    };
    if same {
        return None;
    }
    let shown = wanted.map_or_else(|| "its own".to_owned(), |wanted| wanted.to_string());
    let rule =
        rules::TableSizeNotExact { found: &found, wanted: &shown, plugin: &plugin, host: &host };
    let symptom = wanted.map(|wanted| {
        format!(
            "Unexpected PJRT_Api size: expected {wanted}, got {found}. Check installed software \
             versions. The framework PJRT API version is {host}."
        )
    });
    let finding = rule.finding();
    Some(match symptom {
        Some(symptom) => finding.with_symptom(symptom),
        None => finding,
    })
}

fn major(pair: &Pair<'_>) -> Option<Finding> {
    let (host, plugin) = (pair.host_version(), pair.plugin.version());
    (pair.plugin.major != 0).then(|| rules::MajorDiffers { plugin: &plugin, host: &host }.finding())
}

fn least_minor(pair: &Pair<'_>) -> Option<Finding> {
    let least = pair.behaviour.handshake.least_minor;
    let plugin = pair.plugin.version();
    (pair.plugin.minor < least)
        .then(|| rules::BelowTheLeastMinor { plugin: &plugin, least: &least }.finding())
}

/// The chain of extensions, laid out in one way below 0.45 and in another from it on.
pub(super) fn extensions(pair: &Pair<'_>) -> Option<Finding> {
    let sized = |minor| minor >= SIZED_EXTENSIONS;
    if sized(pair.minor) == sized(pair.plugin.minor) || pair.plugin.extensions.is_empty() {
        return None;
    }
    let rule = rules::ExtensionLayoutDiffers {
        count: &pair.plugin.extensions.len(),
        plugin: &pair.plugin.version(),
        host: &pair.host_version(),
        relation: if sized(pair.minor) { &"from" } else { &"before" },
    };
    Some(
        rule.finding().with_symptom("the process dies with SIGSEGV while it registers the plug-in"),
    )
}

/// What hosts say that do not go on without the extension for layouts.
const NO_LAYOUT: &str =
    "Check failed: xla_layout != nullptr Got unexpected layout type (the process is aborted)";

/// Extensions that the host looks for and does not go on without.
pub(super) fn needed_extensions(pair: &Pair<'_>) -> impl Iterator<Item = Finding> {
    let missing = pair.host.needs_extensions.iter().filter(|name| !pair.plugin.has_extension(name));
    missing.map(|name| {
        let finding =
            rules::ExtensionIsMissing { host: &pair.host.name, extension: name }.finding();
        match name.as_str() {
            "Layouts" => finding.with_symptom(NO_LAYOUT),
            _ => finding,
        }
    })
}

/// The demand for the host's own minor, which an environment variable lifts.
pub(super) fn exact_minor(pair: &Pair<'_>) -> Option<Finding> {
    let strictness = pair.behaviour.strictness(pair.host);
    if strictness != Strictness::ExactMinor || pair.plugin.minor == pair.minor {
        return None;
    }
    let (host, plugin) = (pair.host_version(), pair.plugin.version());
    let symptom = format!(
        "Mismatched PJRT plugin PJRT API version ({plugin}) and framework PJRT API version {host})."
    );
    let rule = rules::MinorNotExact { host: &host, plugin: &plugin };
    Some(rule.finding().in_phase(Phase::Load).with_symptom(symptom))
}
