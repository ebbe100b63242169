//! The functions of one file, held against the schemas that they stand for.

use std::collections::{BTreeMap, BTreeSet};

use unskew_script::{Function, Module};

use crate::typing::Program;

use super::entry::Bridge;
use super::{RegistryError, VERSIONS, fault, signature};

/// The program of the file.
pub(super) fn load<'b>(
    file: &'static str,
    text: &str,
    bridges: impl Iterator<Item = (&'b Bridge, usize)>,
) -> Result<Program, RegistryError> {
    let module = unskew_script::parse(text).map_err(|error| fault(file, error.line, error.what))?;
    let functions = by_name(file, &module, text)?;
    let mut used = BTreeSet::new();
    for (bridge, at) in bridges {
        let name = bridge.function.as_str();
        let Some((function, line)) = functions.get(name) else {
            return Err(fault(VERSIONS, at, format!("{file} has no function {name}; write it")));
        };
        if !used.insert(name) {
            return Err(fault(VERSIONS, at, format!("{name} stands for another schema already")));
        }
        signature::check(function, &bridge.schema)
            .map_err(|what| fault(file, *line, format!("{name}: {what}")))?;
        let has = |name: &str| bridge.schema.arguments.iter().any(|one| one.name == name);
        if let Some(condition) = bridge.only.iter().find(|condition| !has(&condition.argument)) {
            return Err(fault(VERSIONS, at, format!("{name}: no argument for {condition}")));
        }
    }
    if let Some((name, (_, line))) = functions.iter().find(|(name, _)| !used.contains(*name)) {
        let what = format!("{name} stands for nothing; delete it, or name it in {VERSIONS}");
        return Err(fault(file, *line, what));
    }
    Program::of_text(file, text).map_err(|error| fault(file, error.error.line, error.error.what))
}

/// The functions of a module, each with the line on which it begins.
fn by_name<'m>(
    file: &'static str,
    module: &'m Module,
    text: &str,
) -> Result<BTreeMap<&'m str, (&'m Function, usize)>, RegistryError> {
    let line = |at: usize| text.get(..at).unwrap_or("").matches('\n').count() + 1;
    let mut found = BTreeMap::new();
    for function in module.functions() {
        let line = line(function.span.start);
        if found.insert(function.name.text.as_str(), (function, line)).is_some() {
            let what = format!("a second function of this name: {}", function.name.text);
            return Err(fault(file, line, what));
        }
    }
    Ok(found)
}
