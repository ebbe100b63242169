//! Operators that compute something else from a release on, with no number that shows it.

use std::collections::BTreeMap;

use unskew_core::{Finding, Places};

use super::{Pair, add_all};
use crate::history::{self, SilentChange};
use crate::model::Given;
use crate::{ArgumentKind, Use, rules};

/// How sure it is that a call is concerned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Concern {
    Possible,
    Certain,
}

/// The silent changes that lie between the writer of the file and the release.
pub(super) fn findings(pair: &Pair<'_>) -> Vec<Finding> {
    let mut concerned: BTreeMap<(&str, Concern), (&SilentChange, Places)> = BTreeMap::new();
    for (one, known) in &pair.model.uses {
        for change in history::silent_changes(&one.name) {
            let Some(concern) = concern(pair, one, change) else { continue };
            let entry = concerned.entry((one.name.as_str(), concern));
            let (_, places) = entry.or_insert_with(|| (change, Places::default()));
            add_all(places, &known.places, "");
        }
    }
    let finding =
        |((operator, concern), (change, places))| word(pair, operator, change, concern).at(places);
    concerned.into_iter().map(finding).collect()
}

/// Whether a use may mean something else in the release than it meant to the writer.
fn concern(pair: &Pair<'_>, one: &Use, change: &SilentChange) -> Option<Concern> {
    let changed_in = change.changed_in();
    let new_runtime = pair.runtime.minor() >= changed_in;
    let producer = pair.producer;
    let (old_file, new_file) = (producer.before(changed_in), producer.at_least(changed_in));
    let apart = if new_runtime { old_file } else { new_file };
    let together = if new_runtime { new_file } else { old_file };
    if together {
        return None;
    }
    let by_time = if apart { Concern::Certain } else { Concern::Possible };
    if !change.integers_without_dtype {
        return Some(by_time);
    }
    let by_place = matches!(one.given, Given::Shape(_));
    if one.has_dtype || !by_place || one.kinds.contains(&ArgumentKind::Float) {
        return None;
    }
    let integers = one.kinds.iter().all(|kind| *kind == ArgumentKind::Int);
    Some(if integers { by_time } else { Concern::Possible })
}

fn word(pair: &Pair<'_>, operator: &str, change: &SilentChange, concern: Concern) -> Finding {
    let changed_in = &change.changed_in();
    let Pair { file, producer, runtime, runtime_name, .. } = pair;
    let mend = &change.mend;
    let (was, now) = (&change.was, &change.now);
    let operator = &operator;
    if concern == Concern::Possible {
        return rules::ResultMayHaveChanged {
            file,
            operator,
            changed_in,
            was,
            now,
            mend,
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
        mend,
        producer,
        runtime: runtime_name,
    }
    .finding()
}
