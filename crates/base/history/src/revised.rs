//! Revisions of a history since.

use unskew_core::Version;

use crate::findings::{Faults, HistoryCheckOptions, named};
use crate::rules;
use crate::{
    Chronicle, ChronicleFormat, ChronicleVersion, EndOfSupport, HistoryAnswers, HistoryFault,
    Landings, StatedAs,
};

/// What changed from one state of a history to the next and must not: history is only ever added to, at its
/// newest end, and versions are removed after their window.
///
/// A day may be put right: if `landings` know that it is the true one, that is no rewriting.
pub fn changes(
    old: &Chronicle,
    new: &Chronicle,
    terms: HistoryCheckOptions<'_>,
    landings: Option<&Landings>,
) -> Vec<HistoryFault> {
    let mut faults = Faults::new(new);
    let mut claimed = vec![false; new.steps.len()];
    for (at, was) in old.steps.iter().enumerate() {
        // Numbers that come back after they were taken back are told apart by how often they were there.
        let nth = old.steps.iter().take(at).filter(|step| step.version == was.version).count();
        let found =
            new.steps.iter().enumerate().filter(|(_, step)| step.version == was.version).nth(nth);
        match found {
            Some((place, is)) => {
                if let Some(mark) = claimed.get_mut(place) {
                    *mark = true;
                }
                let true_day = is
                    .day()
                    .filter(|day| landings.is_some_and(|landings| landings.confirms(place, *day)));
                rewritten(was, is, true_day, &mut faults);
            }
            None => {
                let rule = rules::EntryRemoved { version: &was.version };
                faults.add(named(was.version), rule.finding(), 0);
            }
        }
    }
    let fresh = new.steps.iter().zip(&claimed).filter(|(_, claimed)| !**claimed);
    for (step, _) in fresh {
        backdated(old, step, new.form, &mut faults);
    }
    raised(old, new, terms, &mut faults);
    faults.list
}

/// The day or the number of an entry is another. A day that was missing may be filled in.
fn rewritten(
    was: &ChronicleVersion,
    is: &ChronicleVersion,
    true_day: Option<unskew_core::Date>,
    faults: &mut Faults<'_>,
) {
    let moved = |what: &str,
                 before: Option<unskew_core::Date>,
                 after: Option<unskew_core::Date>| match (before, after) {
        (Some(before), Some(after)) if before != after && true_day != Some(after) => {
            Some(format!("{what} {after} was {before}"))
        }
        (Some(before), None) => Some(format!("{what} {before} is gone")),
        _ => None,
    };
    // Whoever learns the true day adds it beside the written one.
    let landed = moved("its landing on", was.landed, is.landed);
    let header = moved("its day", was.header, is.header)
        .filter(|_| is.day() != was.day() || is.header.is_some());
    let parts = (!was.parts.is_empty() && was.parts != is.parts).then(|| {
        format!(
            "the types that it changes are {}, and were {}",
            is.parts.join(", "),
            was.parts.join(", ")
        )
    });
    for what in [landed, header, parts].into_iter().flatten() {
        let rule = rules::EntryRewritten { version: &is.version, what: &what };
        faults.add(named(is.version), rule.finding(), is.line);
    }
}

fn backdated(
    old: &Chronicle,
    step: &ChronicleVersion,
    form: ChronicleFormat,
    faults: &mut Faults<'_>,
) {
    let latest = old
        .steps
        .iter()
        .filter_map(|step| Some((step.day()?, step.version)))
        .max_by_key(|(day, _)| *day);
    let (Some(day), Some((before_day, before))) = (step.day(), latest) else { return };
    if day < before_day && form != ChronicleFormat::Releases {
        let rule = rules::EntryBackdated {
            version: &step.version,
            day: &day,
            before: &before,
            before_day: &before_day,
        };
        faults.add(named(step.version), rule.finding(), step.line);
    }
}

/// Whether what is no longer read had left its window.
fn raised(
    old: &Chronicle,
    new: &Chronicle,
    terms: HistoryCheckOptions<'_>,
    faults: &mut Faults<'_>,
) {
    let (Some(today), Some(minimum)) = (terms.today, new.minimum()) else { return };
    let before: Option<Version> =
        old.minimum().or_else(|| old.steps.iter().map(|s| s.version).min());
    let Some(before) = before.filter(|before| *before < minimum) else { return };
    let Ok(answers) = HistoryAnswers::for_day(old, today, terms.window) else { return };
    let Some(allowed) = answers.supported.and_then(|supported| supported.range.min) else { return };
    if allowed >= minimum {
        return;
    }
    let Ok(EndOfSupport::Last(until)) = answers.fall(allowed) else { return };
    let stated = new.stated(StatedAs::Minimum).map(|stated| stated.line);
    let line = stated.or(new.floors.last().map(|floor| floor.line)).unwrap_or(0);
    let rule = rules::RemovedInWindow {
        before: &before,
        minimum: &minimum,
        needed: &allowed,
        allowed: &allowed,
        until: &until,
    };
    faults.add("minimum", rule.finding(), line);
}
