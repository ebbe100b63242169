//! Attributes that newer code of a pickled module reads: `GELU.approximate`.

use unskew_core::{Conversion, Rewrite, Version};

use super::OBJECTS;
use crate::TorchModel;
use crate::pickle::{Id, Pickle, PickleValue};
use crate::pickled::later_attributes::{self, LaterAttribute};
use crate::pickled::{attributes, callee};

const ADAPTATION: &str = "module-attribute";

/// The rows of attributes that a release reads of classes of this file.
fn wanted(model: &TorchModel, minor: Version) -> Vec<&'static LaterAttribute> {
    let missing = model.pickled.modules.iter().flat_map(|(class, has)| {
        later_attributes::read_by(class, minor).filter(|row| !has.contains(row.name))
    });
    missing.collect()
}

/// Whether modules of a file lack attributes whose values are known.
pub(super) fn are_wanted(model: &TorchModel, minor: Version) -> bool {
    !wanted(model, minor).is_empty()
}

/// Gives modules the attributes that a release reads of them.
pub(super) fn put(model: &TorchModel, minor: Version, pickle: &mut Pickle, plan: &mut Conversion) {
    for row in wanted(model, minor) {
        let lacking: Vec<Id> =
            (0..pickle.count()).filter_map(|id| lacks(pickle, id, row)).collect();
        if lacking.is_empty() {
            continue;
        }
        let (key, value) = (pickle.text(row.name), pickle.push(row.value.clone()));
        let count = lacking.len();
        for state in lacking {
            if let PickleValue::Dict(members) = pickle.value(state) {
                let mut members = members.clone();
                members.extend([key, value]);
                pickle.replace(state, PickleValue::Dict(members));
            }
        }
        let class = row.class.rsplit('.').next().unwrap_or(row.class);
        let objects = if count == 1 { "object gets" } else { "objects get" };
        let what = format!(
            "{count} {objects} the attribute {class}.{} as its constructor sets it",
            row.name
        );
        plan.add(Rewrite::new(ADAPTATION, what).at(OBJECTS));
    }
}

/// The state of an object, if it is of the class and lacks the attribute.
fn lacks(pickle: &Pickle, id: Id, row: &LaterAttribute) -> Option<Id> {
    let PickleValue::Call(call) = pickle.value(id) else { return None };
    let (module, name) = callee(pickle, call)?;
    let is_it = row.class.strip_prefix(module)?.strip_prefix('.')? == name;
    let state = call.state.filter(|_| is_it)?;
    let is_dictionary = matches!(pickle.value(state), PickleValue::Dict(_));
    (is_dictionary && !attributes(pickle, state)?.contains(row.name)).then_some(state)
}
