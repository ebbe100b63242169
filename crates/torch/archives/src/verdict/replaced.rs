//! Calls that something else takes than what their writer meant: an overload for a number, to which the loader converts a
//! tensor, or a function of the registry that is not exact for all arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_core::{Judgement, Places, Unjudged, aspect};
use unskew_torch_schemas::matching::{
    BoundArgument, CallBinding, OverloadChoice, OverloadSource, ScriptType, TypedSchema, choose,
};

use super::pair::FileAndRelease;
use crate::behaviour::inexact_function;
use crate::code::{Callable, TypedUse};

/// How many names are told.
const NAMED: usize = 8;

pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let live = || pair.behaviour_calls().iter().filter(|call| call.live > 0);
    let mut numbers: BTreeMap<String, Places> = BTreeMap::new();
    for call in live().filter(|call| takes_number(pair, call)) {
        numbers.entry(call.full_name()).or_default().extend(&call.places);
    }
    let functions: BTreeSet<&str> = live().filter_map(|call| call.within.as_deref()).collect();
    let inexact = functions.into_iter().filter_map(inexact_words).collect::<Vec<_>>();
    let runtime = &pair.runtime_name;
    let mut all = Vec::new();
    if !numbers.is_empty() {
        let names: Vec<&str> = numbers.keys().take(NAMED).map(String::as_str).collect();
        let reason = format!(
            "{}: {runtime} has only an overload that takes a number there, and raises an error for a tensor of several \
             values; how many there are shows only when the file runs",
            names.join(", ")
        );
        let mut places = Places::default();
        numbers.values().for_each(|one| places.extend(one));
        all.push(Unjudged::new(aspect::BEHAVIOUR, reason).at(places));
    }
    if !inexact.is_empty() {
        let more = match inexact.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let words = inexact.into_iter().take(NAMED).collect::<Vec<_>>().join("; ");
        let reason = format!(
            "{words}{more}: whether the file gives such values to this function, which stands in place of an operator, \
             shows only when it runs"
        );
        all.push(Unjudged::new(aspect::BEHAVIOUR, reason));
    }
    all.into()
}

/// Whether a release without the overload that is meant takes the call all the same, by making a number of a tensor.
fn takes_number(pair: &FileAndRelease<'_>, call: &TypedUse) -> bool {
    let (Some(meant), Some(binding)) = (&call.meant, &call.binding) else { return false };
    let table = &pair.runtime.operators;
    if table.overload(&call.operator, &meant.schema.overload).is_some() {
        return false;
    }
    let overloads = Callable(table).overloads(&call.operator);
    let OverloadChoice::One(found, other) = choose(&overloads, &call.given) else { return false };
    let tensors = places(meant, binding, &|ty| is(ty, &|ty| *ty == ScriptType::Tensor));
    let is_number = |ty: &ScriptType| {
        matches!(ty, ScriptType::Number | ScriptType::Int | ScriptType::Float | ScriptType::Bool)
    };
    let numbers = places(&found, &other, &|ty| is(ty, &is_number));
    let is_tensor = |at: &usize| {
        call.given.get(*at).is_some_and(|given| is(&given.ty, &|ty| *ty == ScriptType::Tensor))
    };
    numbers.intersection(&tensors).any(is_tensor)
}

/// Whether it holds of a type, or of what an optional has.
fn is(ty: &ScriptType, holds: &dyn Fn(&ScriptType) -> bool) -> bool {
    match ty {
        ScriptType::Optional(inner) => holds(inner),
        ty => holds(ty),
    }
}

/// The values that go to arguments of some types.
fn places(
    signature: &Arc<TypedSchema>,
    binding: &CallBinding,
    holds: &dyn Fn(&ScriptType) -> bool,
) -> BTreeSet<usize> {
    let types = signature.schema.arguments.iter().map(|one| ScriptType::from(&one.ty));
    let bound = types.zip(&binding.arguments).filter(|(ty, _)| holds(ty));
    let at = bound.filter_map(|(_, bound)| match bound {
        BoundArgument::Given(at) | BoundArgument::Rest(at) => Some(*at),
        BoundArgument::Default => None,
    });
    at.collect()
}

/// What a function does otherwise than its operator.
fn inexact_words(function: &str) -> Option<String> {
    let rows = inexact_function::inexact_functions(function)
        .filter(inexact_function::InexactFunction::is_silent);
    let words: BTreeSet<String> = rows.map(|row| row.says()).collect();
    let words: Vec<String> = words.into_iter().take(3).collect();
    (!words.is_empty()).then(|| format!("{function} {}", words.join(", ")))
}
