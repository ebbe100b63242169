//! Operators that compute something else from a release on, with no number that shows it.

use std::collections::BTreeMap;

use unskew_core::{Finding, Judgement, Places};
use unskew_torch_schemas::matching::{GivenValue, ScriptType};

use super::pair::FileAndRelease;
use crate::code::TypedUse;
use crate::history::{self, SilentChange};
use crate::rules;

/// How sure it is that a call is concerned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    Possible,
    Certain,
}

pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let mut concerned: BTreeMap<(&str, Certainty), (&SilentChange, Places)> = BTreeMap::new();
    let mut add = |operator, change, concern, places: &Places| {
        let entry = concerned.entry((operator, concern));
        entry.or_insert_with(|| (change, Places::default())).1.extend(places);
    };
    for call in pair.calls.iter().filter(|call| call.live > 0 && !is_meant(pair, call)) {
        for change in history::silent_changes(&call.operator) {
            if let Some(by_time) = by_time(pair, change)
                && let Some(concern) = of_call(call, change, by_time)
            {
                add(&*call.operator, change, concern, &call.places);
            }
        }
    }
    for (one, known) in pair.model.uses.iter().filter(|_| pair.calls.is_empty()) {
        for change in history::silent_changes(&one.name) {
            // Only code leaves arguments to the loader.
            if let Some(by_time) = by_time(pair, change).filter(|_| !change.integers_without_dtype)
            {
                add(&*one.name, change, by_time, &known.places);
            }
        }
    }
    let finding =
        |((operator, concern), (change, places))| word(pair, operator, change, concern).at(places);
    concerned.into_iter().map(finding).collect::<Vec<_>>().into()
}

/// Whether a conversion put a call there: a function of the registry means what its operators do in the releases that it is
/// for, whoever wrote the rest.
pub(super) fn is_meant(pair: &FileAndRelease<'_>, call: &TypedUse) -> bool {
    let release = pair.runtime.release.version;
    let within = call.within.as_deref();
    within.is_some_and(|function| unskew_torch_operators::registry().is_for(function, release))
}

fn by_time(pair: &FileAndRelease<'_>, change: &SilentChange) -> Option<Certainty> {
    let changed_in = change.changed_in();
    let new_runtime = pair.runtime.minor() >= changed_in;
    let producer = pair.speaker();
    let (old_file, new_file) = (producer.before(changed_in), producer.at_least(changed_in));
    let apart = if new_runtime { old_file } else { new_file };
    let together = if new_runtime { new_file } else { old_file };
    if together {
        return None;
    }
    Some(if apart { Certainty::Certain } else { Certainty::Possible })
}

/// Whether a call may mean something else in the release than it meant to the writer.
fn of_call(call: &TypedUse, change: &SilentChange, by_time: Certainty) -> Option<Certainty> {
    if !change.integers_without_dtype {
        return Some(by_time);
    }
    let keyword = |one: &&GivenValue| one.keyword.is_some();
    let dtype = |one: &&GivenValue| one.keyword.as_deref() == Some("dtype");
    if call.given.iter().find(dtype).is_some_and(|one| one.ty != ScriptType::None) {
        return None;
    }
    let mut places = call.given.iter().filter(|one| !keyword(one));
    if places.clone().any(|one| one.ty == ScriptType::Float) {
        return None;
    }
    let integers = places.all(|one| one.ty == ScriptType::Int);
    Some(if integers { by_time } else { Certainty::Possible })
}

fn word(
    pair: &FileAndRelease<'_>,
    operator: &str,
    change: &SilentChange,
    concern: Certainty,
) -> Finding {
    let changed_in = &change.changed_in();
    let FileAndRelease { file, runtime, runtime_name, .. } = pair;
    let producer = &pair.speaker();
    let fix = &change.fix;
    let (was, now) = (&change.was, &change.now);
    let operator = &operator;
    if concern == Certainty::Possible {
        return rules::ResultMayHaveChanged {
            file,
            operator,
            changed_in,
            was,
            now,
            fix,
            producer,
            runtime: runtime_name,
        }
        .finding();
    }
    let new_runtime = runtime.minor() >= *changed_in;
    let (written, runs) = if new_runtime { (was, now) } else { (now, was) };
    rules::ResultChanged {
        file,
        operator,
        changed_in,
        written,
        runs,
        fix,
        producer,
        runtime: runtime_name,
    }
    .finding()
}
