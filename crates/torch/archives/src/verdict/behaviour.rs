//! Operators that the runtime carries out otherwise than the writer of the file did, by the measurements of
//! `data/behaviour.toml`.

use std::collections::BTreeMap;

use unskew_core::{Finding, Judgement, Places, Unjudged, Version, aspect};

use super::pair::FileAndRelease;
use super::silent_changes::is_meant;
use crate::behaviour::{self, Behaviour, BehaviourCondition, BehaviourRange, BoundCall, Truth};
use crate::code::TypedUse;
use crate::model::GivenArguments;
use crate::{ProducerReleases, history, rules};

/// One kind of thing to say, and how sure it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FindingGroup {
    Open,
    Possible,
    Certain,
}

/// Holds every call against what was measured of its operator. Not judged are operators of which it does not show whether their calls
/// are concerned.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let mut all: BTreeMap<(String, usize, FindingGroup), (BehaviourGap<'_>, Places)> =
        BTreeMap::new();
    let mut add = |operator: String, change: BehaviourGap<'static>, concern, places: &Places| {
        let row = std::ptr::from_ref(change.row) as usize;
        let entry = all.entry((operator, row, concern));
        entry.or_insert_with(|| (change, Places::default())).1.extend(places);
    };
    let changing = pair.behaviour_calls().iter().filter(|call| call.changes && call.live > 0);
    for call in changing.filter(|call| !is_meant(pair, call)) {
        let overload = call.meant.as_ref().map(|meant| &*meant.schema.overload);
        let rows = behaviour::behaviours_of(&call.operator, overload);
        for row in rows.filter(|row| row.result.is_none_or(|one| !call.unread.contains(&one))) {
            let Some(change) = changed(pair, row) else { continue };
            let concern = match of_call(call, &row.when) {
                Truth::No => continue,
                Truth::Open => FindingGroup::Open,
                Truth::Yes => change.concern,
            };
            add(call.full_name(), change, concern, &call.places);
        }
    }
    for (one, known) in pair.model.uses.iter().filter(|_| pair.behaviour_calls().is_empty()) {
        let overload = match &one.given {
            GivenArguments::Overload(overload, _) | GivenArguments::Named(overload, _) => {
                Some(&**overload)
            }
            GivenArguments::Shape(_) => None,
        };
        for row in behaviour::behaviours_of(&one.name, overload) {
            let Some(change) = changed(pair, row) else { continue };
            add(one.full_name(), change, FindingGroup::Open, &known.places);
        }
    }
    let mut said = Judgement::default();
    for ((operator, _, concern), (change, places)) in all {
        match word(pair, &operator, &change, concern) {
            Ok(finding) => said.findings.push(finding.at(places)),
            Err(open) => {
                said.unjudged.push(Unjudged::new(aspect::BEHAVIOUR, open).at(places));
            }
        }
    }
    said
}

/// What lies between the writer of a file and a release.
#[derive(Clone, Copy)]
struct BehaviourGap<'r> {
    row: &'r Behaviour,
    /// What the writer's release did; of several possible ones the first that is not what the runtime does.
    written: &'r BehaviourRange,
    /// What the runtime does.
    runs: &'r BehaviourRange,
    concern: FindingGroup,
}

/// The change of an operator between the writer and the release, if there is one.
fn changed(pair: &FileAndRelease<'_>, row: &'static Behaviour) -> Option<BehaviourGap<'static>> {
    let runs = row.era(pair.runtime.minor())?;
    let ProducerReleases { since, until, .. } = pair.writer();
    let mut eras = row.eras(*since, *until);
    if let Some(version) = row.upgraded_below {
        let written = pair.model.operator_version()?;
        if written >= version {
            // The first era wrote lower versions.
            let first = usize::from(eras.first().is_some_and(|era| Some(era) == row.first()));
            eras = eras.get(first..)?;
        } else if pair.model.before.is_some() || upgrades(pair, row, version) {
            // A conversion fits such calls by the registry of operators.
            return None;
        } else {
            // Who writes by the last meaning writes the higher version.
            let older = eras.iter().take_while(|era| Some(*era) != row.last()).count();
            eras = eras.get(..older)?;
        }
    }
    // What raised for its writer gives nothing that could change.
    let meant = || eras.iter().filter(|era| era.does.is_some());
    let is_other = |era: &&BehaviourRange| era.since() != runs.since();
    let written = meant().find(is_other)?;
    let minor = pair.runtime.minor();
    let is_bound = |(since, until): (Option<Version>, Option<Version>)| {
        since.is_none_or(|since| since <= minor) && until.is_none_or(|until| minor <= until)
    };
    let concern = if is_bound((*since, *until)) {
        // The runtime itself may have written the file: no reason for an alarm.
        FindingGroup::Open
    } else if meant().all(|era| is_other(&era)) {
        FindingGroup::Certain
    } else {
        FindingGroup::Possible
    };
    Some(BehaviourGap { row, written, runs, concern })
}

/// Whether the release has an upgrader for files below this operator version.
fn upgrades(pair: &FileAndRelease<'_>, row: &Behaviour, version: i64) -> bool {
    let newest = pair.runtime.release.file_format.max.map_or(0, Version::major);
    let is_mobile = pair.model.format.is_mobile();
    let on_mobile = || {
        let mut all = history::upgraders();
        pair.runtime.minor() >= history::mobile_upgraders_since()
            && all.any(|one| one.mobile && row.is_of(&one.schema.name, Some(&one.schema.overload)))
    };
    newest >= version && (!is_mobile || on_mobile())
}

pub(super) fn of_call(call: &TypedUse, when: &[BehaviourCondition]) -> Truth {
    let (Some(signature), Some(binding)) = (&call.meant, &call.binding) else {
        return when.iter().map(|one| one.holds(&|_| None)).min().unwrap_or(Truth::Yes);
    };
    let (given, elements) = (&*call.given, &*call.elements);
    BoundCall { signature, binding, given, elements }.fits(when)
}

/// A finding, or what is not judged.
fn word(
    pair: &FileAndRelease<'_>,
    operator: &str,
    change: &BehaviourGap<'_>,
    concern: FindingGroup,
) -> Result<Finding, String> {
    let BehaviourGap { row, written, runs, .. } = change;
    let FileAndRelease { file, runtime_name: runtime, .. } = pair;
    let (producer, operator) = (&pair.writer(), &operator);
    let was = written.does.as_deref().unwrap_or_default();
    let later = if runs.since() > written.since() { runs } else { written };
    let since = later.since();
    let fix = &row.fix;
    match (concern, &runs.raises, &runs.does) {
        (FindingGroup::Certain, Some(symptom), _) => {
            let finding =
                rules::OperatorRaises { file, operator, runtime, producer, written: &was, fix };
            Ok(finding.finding().with_symptom(symptom))
        }
        (FindingGroup::Certain, None, Some(does)) => Ok(rules::ResultChanged {
            file,
            operator,
            changed_in: &since,
            written: &was,
            runs: does,
            fix,
            producer,
            runtime,
        }
        .finding()),
        (FindingGroup::Possible, raises, does) => {
            let raised = raises.as_ref().map(|error| format!("raises an error ({error})"));
            let now = does.clone().or(raised).unwrap_or_default();
            let (was, now) =
                if later.since() == runs.since() { (was, &*now) } else { (&*now, was) };
            Ok(rules::ResultMayHaveChanged {
                file,
                operator,
                changed_in: &since,
                was: &was,
                now: &now,
                fix,
                producer,
                runtime,
            }
            .finding())
        }
        (_, raises, does) => {
            let now = match (raises, does) {
                (Some(error), _) => format!("raises an error ({error})"),
                (None, does) => does.clone().unwrap_or_default(),
            };
            Err(format!(
                "{operator} changed in {since}: {runtime} {now}, {producer} {was}; whether this call is concerned shows only when it runs"
            ))
        }
    }
}
