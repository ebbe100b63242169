//! Modules of numpy under the names that numpy 1 has.
//!
//! numpy 2 calls its inner package `numpy._core`. Every numpy reads `numpy.core`: numpy 2 has modules under that name which
//! lead to the others.

use unskew_core::{Conversion, Rewrite};

use super::OBJECTS;
use crate::pickle::{Pickle, PickleValue};

const ADAPTATION: &str = "numpy-names";

pub(super) fn put(pickle: &mut Pickle, plan: &mut Conversion) {
    let mut changed = false;
    for id in 0..pickle.count() {
        let PickleValue::Global(module, name) = pickle.value(id) else { continue };
        let Some(rest) = module.strip_prefix("numpy._core.") else { continue };
        let new = PickleValue::Global(format!("numpy.core.{rest}"), name.clone());
        pickle.replace(id, new);
        changed = true;
    }
    if changed {
        let what = "modules of numpy._core are asked for as numpy.core, which every numpy reads";
        plan.add(Rewrite::new(ADAPTATION, what.to_owned()).at(OBJECTS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_numpy_2_are_those_of_numpy_1() {
        let text = b"(cnumpy._core.multiarray\nscalar\ncnumpy._core_x\na\nt.";
        let mut pickle = crate::pickle::scan("data.pkl", text).unwrap();
        let mut plan = Conversion::default();
        put(&mut pickle, &mut plan);
        let modules: Vec<&str> = pickle
            .members(pickle.root())
            .filter_map(|value| match value {
                PickleValue::Global(module, _) => Some(module.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(modules, ["numpy.core.multiarray", "numpy._core_x"]);
        assert_eq!(plan.rewrites.len(), 1);
        let mut plan = Conversion::default();
        put(&mut pickle, &mut plan);
        assert!(plan.changes_nothing());
    }
}
