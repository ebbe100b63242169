//! Operators that the runtime carries out otherwise than the writer of the file did, by what a machine measured:
//! `data/changes.tsv`.

use std::collections::BTreeMap;

use unskew_core::{Finding, Judgement, Places, Unjudged, Version, aspect};
use unskew_definitions::{ChangeEffect, Effect};
use unskew_torch_schemas::matching::ScriptType;

use super::behaviour::of_call;
use super::pair::FileAndRelease;
use super::silent_changes::is_meant;
use crate::behaviour::measured_change::{self, MeasuredChange};
use crate::behaviour::{self, Truth};
use crate::code::TypedUse;
use crate::rules;

/// What is to be done by whoever has the model.
const FIX: &str = "call it with arguments that both releases take alike";

/// How sure it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// The call or its writer leave it open.
    Possible,
    Certain,
}

#[derive(Default)]
struct CallFindings {
    /// Calls that are concerned, by operator, row and certainty.
    said: BTreeMap<(String, usize, Certainty), (&'static MeasuredChange, Effect, Places)>,
    /// Operators of which it shows only when the program runs.
    open: BTreeMap<String, (Effect, String)>,
    places: Places,
}

/// Holds every call against what was measured of its operator.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let mut found = CallFindings::default();
    let changing = pair.behaviour_calls().iter().filter(|call| call.changes && call.live > 0);
    for call in changing.filter(|call| !is_meant(pair, call)) {
        let Some(meant) = &call.meant else { continue };
        let overload = &meant.schema.overload;
        for row in measured_change::changes_of(&call.operator, overload) {
            if !is_known(call, row) {
                found.add(pair, call, row);
            }
        }
    }
    let open = found.open(pair);
    let findings = found.said.into_iter().map(|((operator, _, concern), (row, effect, places))| {
        word(pair, &operator, row, effect, concern).at(places)
    });
    let unjudged = open.into_iter().collect();
    Judgement { findings: findings.collect(), unjudged, ..Judgement::default() }
}

/// Whether people wrote down already what the machine found: of an operator that changed in the same releases.
fn is_known(call: &TypedUse, row: &MeasuredChange) -> bool {
    let overload = call.meant.as_ref().map(|meant| &*meant.schema.overload);
    let mut known = behaviour::behaviours_of(&call.operator, overload).peekable();
    if known.peek().is_none() {
        return false;
    }
    let known: Vec<&behaviour::Behaviour> = known.collect();
    // What a machine saw first in one release may have come in any after the measured one before it.
    let is_written = |since: Version| {
        let before = measured_change::measured_before(since);
        let is_it = |turn: Version| turn <= since && before.is_none_or(|before| before < turn);
        known.iter().any(|row| row.turns().any(is_it))
    };
    known.iter().any(|row| row.upgraded_below.is_some()) || row.turns().all(is_written)
}

impl CallFindings {
    fn add(&mut self, pair: &FileAndRelease<'_>, call: &TypedUse, row: &'static MeasuredChange) {
        let Some((effect, by_writer)) = effect(pair, row) else { return };
        let truth = of_call(call, &row.when);
        let name = call.full_name();
        let is_same_release = by_writer.is_none();
        let is_value = matches!(effect, Effect::Differs(_, ChangeEffect::Values));
        match truth {
            Truth::No => {}
            // Where no type tells inputs that raise from others, all tensors that were tried may be such as nobody gives.
            Truth::Yes
                if !row.has_types()
                    && takes_tensors(call)
                    && matches!(effect, Effect::Raises(_)) =>
            {
                self.leave_open(call, row, effect);
            }
            Truth::Yes if row.values.is_empty() && !is_same_release => {
                let concern = match by_writer {
                    // What values come out depends on what goes in.
                    Some(Certainty::Certain) if !is_value => Certainty::Certain,
                    _ => Certainty::Possible,
                };
                let key = (name, std::ptr::from_ref(row) as usize, concern);
                let entry = self.said.entry(key);
                entry.or_insert_with(|| (row, effect, Places::default())).2.extend(&call.places);
            }
            Truth::Yes | Truth::Open => {
                let overload = call.meant.as_ref().map(|meant| &*meant.schema.overload);
                let is_written =
                    behaviour::behaviours_of(&call.operator, overload).next().is_some();
                if is_common(row) && !is_written {
                    self.leave_open(call, row, effect);
                }
            }
        }
    }

    fn leave_open(&mut self, call: &TypedUse, row: &MeasuredChange, effect: Effect) {
        let words = measured_change::words(row.words, row.values);
        self.open.entry(call.full_name()).or_insert((effect, words));
        self.places.extend(&call.places);
    }

    fn open(&self, pair: &FileAndRelease<'_>) -> Option<Unjudged> {
        if self.open.is_empty() {
            return None;
        }
        let all: Vec<String> = self
            .open
            .iter()
            .take(8)
            .map(|(name, (effect, words))| {
                format!("{name} ({effect}{words}, since {})", effect.since())
            })
            .collect();
        let more = match self.open.len().saturating_sub(all.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (runtime, writer) = (&pair.runtime_name, pair.writer());
        let reason = format!(
            "{}{more}: {runtime} and {writer} differ there, and whether the file gives such values shows only when it runs",
            all.join(", ")
        );
        Some(Unjudged::new(aspect::BEHAVIOUR, reason).at(self.places.clone()))
    }
}

fn takes_tensors(call: &TypedUse) -> bool {
    call.given.iter().any(|one| one.ty == ScriptType::Tensor)
}

/// Whether a row is worth a word where it does not show that it holds: not if it is about types that models seldom have.
fn is_common(row: &MeasuredChange) -> bool {
    let mut kinds = row.words.split(", ").filter_map(|one| one.rsplit(' ').next());
    !kinds.any(|kind| matches!(kind, "bool" | "complex" | "uint8"))
}

/// What becomes of a call in the runtime, and how sure it is by who may have written the file: none if that may be the
/// runtime itself, or if the runtime lies between two measured releases that differ.
fn effect(pair: &FileAndRelease<'_>, row: &MeasuredChange) -> Option<(Effect, Option<Certainty>)> {
    let minor = pair.runtime.minor();
    let writer = pair.writer();
    let low = writer.since.unwrap_or(Version::pair(1, 0));
    let high = writer.until.unwrap_or(Version::pair(i64::MAX, 0));
    let turns = row.turns().filter(|since| low < *since && *since <= high);
    let writers: Vec<Version> = measured_change::spoken_for(low).into_iter().chain(turns).collect();
    let of = |runtime: Version| writers.iter().map(move |writer| row.effect(*writer, runtime));
    let runtimes = measured_change::spoken_for(minor);
    let effects: Vec<Option<Effect>> = runtimes.iter().flat_map(|one| of(*one)).collect();
    let first = effects.iter().flatten().min().copied()?;
    let kind = |one: &Option<Effect>| one.map(|one| matches!(one, Effect::Raises(_)));
    let is_told = runtimes
        .windows(2)
        .all(|pair| of(pair[0]).map(|one| kind(&one)).eq(of(pair[1]).map(|one| kind(&one))));
    let concern = if (low <= minor && minor <= high) || !is_told {
        None
    } else if effects.iter().all(|one| one.is_some_and(|one| same(one, first))) {
        Some(Certainty::Certain)
    } else {
        Some(Certainty::Possible)
    };
    Some((first, concern))
}

/// Whether two effects are errors, or both are not.
fn same(one: Effect, other: Effect) -> bool {
    matches!(one, Effect::Raises(_)) == matches!(other, Effect::Raises(_))
}

fn word(
    pair: &FileAndRelease<'_>,
    operator: &str,
    row: &MeasuredChange,
    effect: Effect,
    concern: Certainty,
) -> Finding {
    let FileAndRelease { file, runtime_name: runtime, .. } = pair;
    let (producer, operator, fix) = (&pair.writer(), &operator, &FIX);
    let what = measured_change::words(row.words, row.values);
    let since = effect.since();
    let types = match (effect, row.remark.split_once(' ')) {
        (Effect::Differs(_, ChangeEffect::Dtype), Some((was, now))) => {
            let (was, now) = if since <= pair.runtime.minor() { (was, now) } else { (now, was) };
            Some((format!("gives {was}{what}"), format!("gives {now}")))
        }
        _ => None,
    };
    match (concern, effect) {
        (Certainty::Certain, Effect::Raises(_)) => {
            let written = format!("gives a result{what}");
            let finding =
                rules::OperatorRaises { file, operator, runtime, producer, written: &written, fix };
            let finding = finding.finding();
            if row.has_error() { finding.with_symptom(row.remark) } else { finding }
        }
        (Certainty::Certain, Effect::Differs(..)) => {
            let (written, runs) =
                types.unwrap_or((format!("gives one result{what}"), effect.to_string()));
            rules::ResultChanged {
                file,
                operator,
                changed_in: &since,
                written: &written,
                runs: &runs,
                fix,
                producer,
                runtime,
            }
            .finding()
        }
        (Certainty::Possible, _) => {
            let (was, now) =
                types.unwrap_or((format!("gives one result{what}"), effect.to_string()));
            let (was, now) = if since <= pair.runtime.minor() { (was, now) } else { (now, was) };
            rules::ResultMayHaveChanged {
                file,
                operator,
                changed_in: &since,
                was: &was,
                now: &now,
                fix,
                producer,
                runtime,
            }
            .finding()
        }
    }
}
