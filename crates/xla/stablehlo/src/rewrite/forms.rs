//! The forms of an operation, one behind the other: `data/forms.tsv`.

use std::collections::HashMap;
use std::sync::LazyLock;

use unskew_core::Version;

use super::values;
use crate::features;
use crate::module::{Module, Operation};

/// What a form has that the one before it has not.
struct OperationForm {
    /// The older form takes and gives one value.
    one: bool,
    /// The older form has no regions.
    bare: bool,
    /// The attributes that came, with their defaults.
    came: Vec<(&'static str, &'static str)>,
    went: Vec<(&'static str, &'static str)>,
}

fn forms() -> &'static HashMap<&'static str, OperationForm> {
    static FORMS: LazyLock<HashMap<&'static str, OperationForm>> = LazyLock::new(|| {
        let mut forms = HashMap::new();
        for row in include_str!("../../data/forms.tsv").lines().filter(|row| !row.starts_with('#'))
        {
            let [operation, shape, attributes] = row.split('\t').collect::<Vec<_>>()[..] else {
                continue;
            };
            let pairs = attributes.split(' ').filter_map(|pair| pair.split_once('='));
            let (went, came): (Vec<_>, Vec<_>) = pairs.partition(|(name, _)| name.starts_with('!'));
            let went = went.into_iter().map(|(name, value)| (name.trim_start_matches('!'), value));
            let form = OperationForm {
                one: shape == "one",
                bare: shape == "bare",
                came,
                went: went.collect(),
            };
            forms.insert(operation, form);
        }
        forms
    });
    &FORMS
}

/// `tanh_v2` is `tanh` in its form 2.
pub(super) fn split(name: &str) -> Option<(&str, u32)> {
    let (name, form) = name.rsplit_once("_v")?;
    Some((name, form.parse().ok()?))
}

/// Brings an operation into the form that is of this version, as far as there is one.
///
/// # Errors
/// With the attribute, or whatever else it is, for which the older form has no place.
pub(crate) fn bring(
    module: &mut Module,
    operation: &mut Operation,
    target: Version,
) -> Result<(), String> {
    loop {
        let Some((name, form)) = split(&operation.name) else { return Ok(()) };
        let written = |form: u32| format!("{name}_v{form}");
        let is_there =
            |form: u32| features::since(&written(form)).is_some_and(|since| since <= target);
        if is_there(form + 1) {
            let next = written(form + 1);
            let Some(newer) = forms().get(&*next) else { return Ok(()) };
            add(module, operation, &newer.came);
            remove(module, operation, &newer.went);
            operation.name = next.into();
        } else if form > 1 && features::since(&operation.name).is_some_and(|since| since > target) {
            let Some(newer) = forms().get(&*operation.name) else { return Ok(()) };
            if newer.one && (operation.operands.len() != 1 || operation.results.len() != 1) {
                return Err("several values".to_owned());
            }
            if newer.bare && !operation.regions.is_empty() {
                return Err("regions".to_owned());
            }
            for (attribute, default) in &newer.came {
                let own = module.attribute(operation, attribute);
                let default = values::default(module, default, operation);
                if own.is_some() && own != default {
                    return Err(format!("`{attribute}`"));
                }
            }
            let before = written(form - 1);
            remove(module, operation, &newer.came);
            add(module, operation, &newer.went);
            operation.name = before.into();
        } else {
            return Ok(());
        }
    }
}

fn add(module: &mut Module, operation: &mut Operation, attributes: &[(&str, &str)]) {
    for (name, default) in attributes {
        if module.attribute(operation, name).is_none()
            && let Some(value) = values::default(module, default, operation)
        {
            let name = module.text(name.as_bytes());
            operation.attributes.push((name, value));
        }
    }
}

fn remove(module: &mut Module, operation: &mut Operation, attributes: &[(&str, &str)]) {
    for (name, _) in attributes {
        let name = module.text(name.as_bytes());
        operation.attributes.retain(|(own, _)| *own != name);
    }
}
