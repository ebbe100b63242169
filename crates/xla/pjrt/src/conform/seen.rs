//! Checks of what a [`Probe`] has seen: table, attributes, extensions.

use super::check_outcome::CheckOutcome;
use super::report::CheckResult;
use crate::PjrtValue;
use crate::layout;
use crate::probe::Probe;

/// Whether the table has a function in every slot.
pub(crate) const EVERY_SLOT: &str = "every slot is filled";

/// Whether the version announces its size.
pub(crate) const VERSION_SIZE: &str = "size of the version";

/// Whether the chain of extensions can be walked to its end.
pub(crate) const CHAIN_ENDS: &str = "the chain ends";

/// What is to be said of the table, the attributes and the extensions.
pub(crate) fn rows(probe: &Probe) -> Vec<CheckResult> {
    let row = |group, name: &str, outcome| CheckResult { group, name: name.to_owned(), outcome };
    vec![
        row("table", "version", version(probe)),
        row("table", VERSION_SIZE, version_size(probe)),
        row("table", "size", table_size(probe)),
        row("table", EVERY_SLOT, slots(probe)),
        row("attributes", "types", attribute_types(probe)),
        row("attributes", "StableHLO range", stablehlo(probe)),
        row("extensions", CHAIN_ENDS, chain(probe)),
        row("extensions", "types", extension_types(probe)),
        row("extensions", "sizes", extension_sizes(probe)),
    ]
}

fn version(probe: &Probe) -> CheckOutcome {
    let good = probe.major == 0 && probe.minor >= layout::FLOOR;
    CheckOutcome::expect(good, probe.version().to_string())
}

fn version_size(probe: &Probe) -> CheckOutcome {
    CheckOutcome::expect(probe.version_size == 24, format!("{} bytes", probe.version_size))
}

fn table_size(probe: &Probe) -> CheckOutcome {
    let there = probe.true_table_size();
    let seen = match layout::table_size(probe.minor) {
        _ if there != probe.table_size => {
            return CheckOutcome::Pass(format!(
                "{} bytes announced, {there} there",
                probe.table_size
            ));
        }
        Some(known) => format!("{there} bytes, {} at this version", known.end),
        None => format!("{there} bytes"),
    };
    let least = layout::table_size(probe.minor).map_or(0, |known| known.end as u64);
    CheckOutcome::expect(there >= least && there.is_multiple_of(8), seen)
}

fn slots(probe: &Probe) -> CheckOutcome {
    let name = |at: &u64| usize::try_from(*at).ok().and_then(layout::function_at);
    let empty: Vec<&str> =
        probe.empty_slots.iter().map(|at| name(at).unwrap_or("an unknown function")).collect();
    match &*empty {
        [] => CheckOutcome::Pass(String::new()),
        empty => CheckOutcome::Fail(format!("NULL: {}", empty.join(", "))),
    }
}

fn attribute_types(probe: &Probe) -> CheckOutcome {
    let Some(attributes) = &probe.attributes else {
        let said = probe.attributes_refused.clone().unwrap_or_default();
        return CheckOutcome::Unsupported { function: "PJRT_Plugin_Attributes".to_owned(), said };
    };
    let unknown = attributes.iter().find(|a| matches!(a.value, PjrtValue::Unknown(_)));
    match unknown {
        Some(bad) => CheckOutcome::Fail(format!("{}: {}", bad.name, bad.value)),
        None => CheckOutcome::Pass(format!("{} attributes", attributes.len())),
    }
}

fn stablehlo(probe: &Probe) -> CheckOutcome {
    let version = |name| probe.version_attribute(name);
    match (version("stablehlo_minimum_version"), version("stablehlo_current_version")) {
        (Some(min), Some(current)) => {
            CheckOutcome::expect(min <= current, format!("{min} to {current}"))
        }
        _ => CheckOutcome::Unsupported {
            function: String::new(),
            said: "it does not say which StableHLO it reads".to_owned(),
        },
    }
}

fn chain(probe: &Probe) -> CheckOutcome {
    match &probe.extensions_broken {
        Some(why) => CheckOutcome::Fail(why.clone()),
        None => CheckOutcome::Pass(format!("{} extensions", probe.extensions.len())),
    }
}

fn extension_types(probe: &Probe) -> CheckOutcome {
    let known = |kind| layout::extensions().iter().find(|known| known.kind == kind);
    let names: Vec<String> = probe.extensions.iter().map(ToString::to_string).collect();
    for (at, extension) in probe.extensions.iter().enumerate() {
        if probe.extensions[..at].iter().any(|other| other.kind == extension.kind) {
            return CheckOutcome::Fail(format!("{extension} is there twice"));
        }
        match known(extension.kind) {
            Some(known) if known.since > probe.minor => {
                return CheckOutcome::Fail(format!("{extension} is of 0.{}", known.since));
            }
            None if !(0..10_000).contains(&extension.kind) => {
                return CheckOutcome::Fail(format!(
                    "no extension has the number {}",
                    extension.kind
                ));
            }
            _ => {}
        }
    }
    CheckOutcome::Pass(names.join(" "))
}

/// Whether each extension is as large as its slots of this version.
fn extension_sizes(probe: &Probe) -> CheckOutcome {
    for extension in &probe.extensions {
        let (Some(size), Some(known)) = (
            extension.size,
            layout::extensions().iter().find(|known| known.kind == extension.kind),
        ) else {
            continue;
        };
        let slots = known.slots.iter().filter(|slot| slot.since <= probe.minor).count() as u64;
        if size < 24 || !size.is_multiple_of(8) {
            return CheckOutcome::Fail(format!("{extension}: {size} bytes"));
        }
        // The last slot may be younger than a build of its first minor.
        if slots > 1 && size < 24 + 8 * (slots - 1) {
            return CheckOutcome::Fail(format!(
                "{extension} has {slots} functions at this version"
            ));
        }
    }
    CheckOutcome::Pass(String::new())
}
