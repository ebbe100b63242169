//! Classes of `torch.nn.modules` under the names that a release has for them.

use unskew_core::{Conversion, Rewrite, Version};

use super::OBJECTS;
use crate::TorchModel;
use crate::pickle::{Pickle, PickleValue};
use crate::pickled::names;

const ADAPTATION: &str = "module-name";

/// A module, a class in it, and what later releases call it: the same linear layer, in attention.
const RENAMED: [(&str, &str, &str); 1] =
    [("torch.nn.modules.linear", "_LinearWithBias", "NonDynamicallyQuantizableLinear")];

/// The classes of a file that a release has under another name only.
fn wanted(
    model: &TorchModel,
    minor: Version,
) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    RENAMED.into_iter().filter(move |(module, old, new)| {
        let old = format!("{module}.{old}");
        let has = |name: &str| names::named(name).iter().any(|one| one.is_of(minor));
        model.globals.contains(&old) && !has(&old) && has(&format!("{module}.{new}"))
    })
}

/// Whether a release has a class of a file under another name only.
pub(super) fn are_wanted(model: &TorchModel, minor: Version) -> bool {
    wanted(model, minor).next().is_some()
}

/// Asks for classes by the names that a release has.
pub(super) fn put(model: &TorchModel, minor: Version, pickle: &mut Pickle, plan: &mut Conversion) {
    for (module, old, new) in wanted(model, minor) {
        for id in 0..pickle.count() {
            if matches!(pickle.value(id), PickleValue::Global(of, name) if of == module && name == old)
            {
                pickle.replace(id, PickleValue::Global(module.to_owned(), new.to_owned()));
            }
        }
        let what = format!("{module}.{old} is {new}, as it is called since");
        plan.add(Rewrite::new(ADAPTATION, what).at(OBJECTS));
    }
}
