//! Closure of operators: which a runtime must have so that models run on it, those that upgraders call included.
//!
//! Tracing a run finds what that run happens to call; the branches of an upgrader that it does not take are
//! missed. Here nothing is run: every call of the code counts, also one that never runs, because the loader looks for
//! it all the same, and every call of every upgrader that a
//! runtime would put in its place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_script::typing::{ScriptProgram, Typing, infer};
use unskew_torch_schemas::OperatorHistory;
use unskew_torch_schemas::matching::OverloadChoice;

use crate::code::Callable;
use crate::model::GivenArguments;
use crate::verdict::WriterAnalysis;
use crate::{TorchModel, history};

/// The operators by full name, and for those that only upgraders call, whose upgraders.
pub type OperatorClosure = BTreeMap<String, BTreeSet<String>>;

/// The operators that a runtime must have for `model`.
pub fn closure(model: &TorchModel, operators: &Arc<OperatorHistory>) -> OperatorClosure {
    let reading = WriterAnalysis::new(model, operators);
    let mut closure = OperatorClosure::new();
    let mut own = BTreeSet::new();
    for call in &reading.calls {
        match &call.meant {
            // What the loader compiles itself is no operator.
            Some(meant) if operators.named(&meant.schema.name).is_empty() => {}
            Some(meant) => drop(own.insert(meant.schema.full_name())),
            None => drop(own.insert(call.operator.to_string())),
        }
    }
    for one in model.uses.keys() {
        if matches!(one.given, GivenArguments::Overload(..) | GivenArguments::Named(..)) {
            own.insert(one.full_name());
        }
    }
    let version = model.operator_version().filter(|_| !model.format.is_exported());
    let upgraders = upgraders(operators);
    for operator in &own {
        let applied = history::upgraders().filter(|upgrader| {
            upgrader.schema.full_name() == *operator
                && version.is_some_and(|version| version < upgrader.bumped_at)
        });
        for upgrader in applied {
            for callee in upgraders.get(&upgrader.function).into_iter().flatten() {
                if !own.contains(callee) {
                    closure.entry(callee.clone()).or_default().insert(operator.clone());
                }
            }
        }
    }
    closure.extend(own.into_iter().map(|name| (name, BTreeSet::new())));
    closure
}

/// The operators that each upgrader calls, by the upgrader's name.
pub(crate) fn upgraders(operators: &Arc<OperatorHistory>) -> BTreeMap<String, BTreeSet<String>> {
    let functions = history::upgraders().filter_map(|upgrader| {
        unskew_torch_operators::registry().function(&upgrader.function).map(ToString::to_string)
    });
    let text: String = functions.collect();
    let Ok(program) = ScriptProgram::of_text("operator_upgraders.py", &text) else {
        return BTreeMap::new();
    };
    let Typing { calls, .. } = infer(&program, &Callable(operators));
    let mut by_function: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for call in calls {
        let Some(routine) = program.routines().get(call.function) else { continue };
        let callees = by_function.entry(routine.name.to_string()).or_default();
        match &call.choice {
            OverloadChoice::One(signature, _) => drop(callees.insert(signature.schema.full_name())),
            _ => drop(callees.insert(call.operator.to_string())),
        }
    }
    by_function
}
