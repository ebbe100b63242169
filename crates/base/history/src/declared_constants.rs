//! Numbers that were typed in by hand, held against the days of the list.

use unskew_core::{Date, History, Version, Window};

use crate::findings::{Faults, HistoryCheckOptions};
use crate::rules;
use crate::{Chronicle, DeclaredConstant, EndOfSupport, HistoryAnswers, StatedAs};

/// The constants beside a list, and its lowest version.
pub(crate) fn all(chronicle: &Chronicle, terms: HistoryCheckOptions<'_>, faults: &mut Faults<'_>) {
    for stated in &chronicle.stated {
        let known = chronicle.steps.iter().any(|step| step.version == stated.version);
        let newest = chronicle.steps.iter().map(|step| step.version).max();
        match (stated.what, newest) {
            (StatedAs::Current, Some(newest)) if newest != stated.version => {
                let (name, stated_as) = (&stated.name, &stated.version);
                let rule = rules::CurrentIsNotNewest { name, stated: stated_as, newest: &newest };
                faults.add(name.as_str(), rule.finding(), stated.line);
            }
            (StatedAs::Current, _) => {}
            _ if !known => {
                let rule =
                    rules::ConstantOfNoVersion { name: &stated.name, stated: &stated.version };
                faults.add(stated.name.as_str(), rule.finding(), stated.line);
            }
            _ => {}
        }
    }
    let Some(today) = terms.today else { return };
    let Ok(history) = chronicle.dated() else { return };
    for stated in &chronicle.stated {
        if let StatedAs::WeeksOld(weeks) = stated.what {
            weeks_old(&history, stated, weeks, today, faults);
        }
    }
    // Versions after the last day of the list are younger than any that counts: what is old enough is known.
    minimum(chronicle, terms, today, faults);
}

fn weeks_old(
    history: &History,
    stated: &DeclaredConstant,
    weeks: u32,
    today: Date,
    faults: &mut Faults<'_>,
) {
    let window = Window::weeks(weeks);
    // Before the list is as old as the window, nothing but its beginning can be meant.
    let due = history.at_least_old(&window, today).unwrap_or_else(|_| history.minimum());
    let (name, version) = (&stated.name, stated.version);
    let old_enough = |version: Version| {
        let landed = history.landed(version)?;
        window.end(landed, &[]).ok().flatten()
    };
    if version < due {
        let since = old_enough(due).unwrap_or(today);
        let rule = rules::OldVersionStale { name, stated: &version, due: &due, since: &since };
        faults.add(name.as_str(), rule.finding(), stated.line);
    } else if version > due {
        let (Some(landed), Some(from)) = (history.landed(version), old_enough(version)) else {
            return;
        };
        let rule = rules::OldVersionTooNew {
            name,
            stated: &version,
            due: &due,
            landed: &landed,
            window: &window,
            from: &from,
        };
        faults.add(name.as_str(), rule.finding(), stated.line);
    }
}

fn minimum(
    chronicle: &Chronicle,
    terms: HistoryCheckOptions<'_>,
    today: Date,
    faults: &mut Faults<'_>,
) {
    let Some(minimum) = chronicle.minimum() else { return };
    let Ok(answers) = HistoryAnswers::for_day(chronicle, today, terms.window) else { return };
    let Some(needed) = answers.supported.and_then(|supported| supported.range.min) else { return };
    let stated = chronicle.stated(StatedAs::Minimum).map(|stated| stated.line);
    let line = stated.or(chronicle.floors.last().map(|floor| floor.line)).unwrap_or(0);
    let window = answers.window.as_ref().map(ToString::to_string).unwrap_or_default();
    if needed < minimum {
        let Ok(EndOfSupport::Last(until)) = answers.fall(needed) else { return };
        let rule = rules::MinimumInWindow {
            minimum: &minimum,
            needed: &needed,
            window: &window,
            until: &until,
        };
        faults.add("minimum", rule.finding(), line);
    } else if let Some((_, free)) = answers.removable.last() {
        let until = free.yesterday().unwrap_or(*free);
        let rule = rules::MinimumMayRise {
            minimum: &minimum,
            needed: &needed,
            count: &answers.removable.len(),
            window: &window,
            until: &until,
        };
        faults.add("minimum", rule.finding(), line);
    }
}
