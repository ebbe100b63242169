//! Classes and functions under the names that a release has for them.

use unskew_core::{Conversion, Rewrite, Version};

use super::OBJECTS;
use crate::TorchModel;
use crate::pickle::{Pickle, PickleValue};
use crate::pickled::alternatives;

const ADAPTATION: &str = "pickled-name";

/// Whether a release has something in a file under another name only.
pub(super) fn are_wanted(model: &TorchModel, minor: Version) -> bool {
    model.globals.iter().any(|name| alternatives::other_name(name, minor).is_some())
}

/// Asks for classes and functions by the names that a release has.
pub(super) fn put(model: &TorchModel, minor: Version, pickle: &mut Pickle, plan: &mut Conversion) {
    for old in &model.globals {
        let Some(new) = alternatives::other_name(old, minor) else { continue };
        let Some((module, name)) = new.rsplit_once('.') else { continue };
        for id in 0..pickle.count() {
            let is_old = matches!(pickle.value(id), PickleValue::Global(of, called)
                if old.strip_prefix(&**of).and_then(|rest| rest.strip_prefix('.')) == Some(called));
            if is_old {
                pickle.replace(id, PickleValue::Global(module.to_owned(), name.to_owned()));
            }
        }
        let what = format!("{old} is asked for as {new}");
        plan.add(Rewrite::new(ADAPTATION, what).at(OBJECTS));
    }
}
