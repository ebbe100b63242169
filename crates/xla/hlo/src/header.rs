//! The first line: the name of a module and what holds for all of it.

use crate::escape::quoted_or_dictionary;
use crate::messages::{Config, Frontend, Module, ProgramShape};
use crate::numbers::{braced, counted, joined};

/// The line, without its end.
pub(crate) fn line(module: &Module, config: Option<&Config>) -> String {
    let mut parts = vec![format!("HloModule {}", module.name)];
    if module.schedule.as_ref().is_some_and(|schedule| !schedule.sequences.is_empty()) {
        parts.push("is_scheduled=true".to_owned());
    }
    parts.extend(aliases(module));
    parts.extend(donors(module));
    if config.is_some_and(|config| config.alias_passthrough) {
        parts.push("alias_passthrough_params=true".to_owned());
    }
    let layout = config.and_then(|config| config.entry_layout.as_ref());
    if let Some(layout) = layout.or(module.shape.as_ref()) {
        parts.push(format!("entry_computation_layout={{{}}}", with_layouts(layout)));
    }
    if let Some(config) = config {
        parts.extend(configured(config));
    }
    if let Some(frontend) = module.frontend.as_ref().filter(|frontend| !frontend.map.is_empty()) {
        parts.push(format!("frontend_attributes={}", frontend.text()));
    }
    joined(parts, ", ")
}

fn configured(config: &Config) -> Vec<String> {
    let mut parts = Vec::new();
    for (name, list) in [
        ("allow_spmd_sharding_propagation_to_parameters", &config.propagate_to_parameters),
        ("allow_spmd_sharding_propagation_to_output", &config.propagate_to_output),
    ] {
        if list.iter().any(|is| *is) {
            parts.push(format!("{name}={}", braced(list)));
        }
    }
    for (name, count) in [("replica_count", config.replicas), ("num_partitions", config.partitions)]
    {
        if count > 1 {
            parts.push(format!("{name}={count}"));
        }
    }
    parts
}

fn with_layouts(shape: &ProgramShape) -> String {
    let parameters = counted(shape.parameters.iter().map(crate::messages::Shape::with_layout));
    let result = shape.result.as_ref().map(crate::messages::Shape::with_layout);
    format!("({parameters})->{}", result.unwrap_or_default())
}

/// Which results take the memory of which parameters.
fn aliases(module: &Module) -> Option<String> {
    let entries = &module.aliases.as_ref()?.entries;
    if entries.is_empty() {
        return None;
    }
    let entries = entries.iter().map(|alias| {
        let kind = if alias.kind == 2 { "must-alias" } else { "may-alias" };
        let (output, index) = (index(&alias.output), index(&alias.index));
        format!("{output}: ({}, {index}, {kind})", alias.parameter)
    });
    Some(format!("input_output_alias={{ {} }}", joined(entries, ", ")))
}

/// Which parameters give their memory away.
fn donors(module: &Module) -> Option<String> {
    let entries = &module.donors.as_ref()?.entries;
    if entries.is_empty() {
        return None;
    }
    let entries =
        entries.iter().map(|donor| format!("({}, {})", donor.parameter, index(&donor.index)));
    Some(format!("buffer_donor={{ {} }}", joined(entries, ", ")))
}

/// The way to a part of a tuple: `{}`, `{0}`, `{1, 0}`.
pub(crate) fn index(index: &[i64]) -> String {
    format!("{{{}}}", joined(index, ", "))
}

impl Frontend {
    pub(crate) fn text(&self) -> String {
        braced(
            self.map
                .iter()
                .map(|(key, value)| format!("{key}={}", quoted_or_dictionary(value.as_bytes()))),
        )
    }
}
