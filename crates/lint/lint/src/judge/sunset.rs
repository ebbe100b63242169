//! Removals that were announced: not before their day, and that day not before the window ends.

use std::collections::BTreeMap;

use unskew_core::{Date, Places, Severity};

use super::apply_levels::{self, is_about};
use super::check::Check;
use super::lint_result::NotChecked;
use crate::baseline::Snapshot;
use crate::boundary::AnnouncedRemoval;
use crate::rules;
use unskew_kinds::{FileChange, Level};

/// Weighs what breaks something that was announced to go, and judges the announcements.
pub fn check(
    check: &Check<'_>,
    snapshot: &Snapshot,
    changes: &mut Vec<FileChange>,
) -> Result<(), NotChecked> {
    if check.boundary.sunsets.is_empty() {
        return Ok(());
    }
    let told = told(check, snapshot)?;
    let mut found = Vec::new();
    for sunset in &check.boundary.sunsets {
        let AnnouncedRemoval { what, removed, announced, line } = sunset;
        // A misspelt name would promise nothing, and never be missed. What went since an earlier version of the
        // window stands in no file either, but its change was found.
        let known = || changes.iter().any(|change| is_about(change, what));
        if *removed > check.request.as_of && !known() && !names_something(check, what) {
            let file = check.request.file;
            return Err(NotChecked::Other(format!(
                "{file}:{line}: neither the baseline nor the files have what the sunset names: {what}"
            )));
        }
        let broken =
            changes.iter_mut().filter(|change| is_break(check, change) && is_about(change, what));
        let mut gone = false;
        for change in broken {
            if *removed <= check.request.as_of {
                change.finding.severity = Severity::Note;
                change.level = Level::All;
                change.finding.fix = Some(format!("None is needed: announced on {announced}."));
            } else {
                gone = true;
            }
        }
        let place = || Places::from_iter([format!("{}:{line}", check.request.file)]);
        let mut add = |finding: unskew_core::Finding| {
            let change = FileChange::new(finding.at(place()), check.request.file, what.clone());
            // An announcement is a promise to everybody, whatever direction the others have.
            found.push(change.on(Level::Promise));
        };
        if gone {
            add(rules::RemovedBeforeSunset { item: what, removed }.finding());
        }
        if let Some(before) = told.get(what).filter(|before| *before > removed) {
            add(rules::SunsetMovedForward { item: what, before, after: removed }.finding());
        }
        if let Some(window) = &check.boundary.backward {
            let end = window.end(*announced, check.terms.releases)?;
            if end.is_none_or(|end| end > *removed) {
                let due =
                    end.map_or_else(|| "that of a later release".to_owned(), |e| e.to_string());
                let (item, due) = (what, &due);
                add(rules::SunsetWithinWindow { item, removed, announced, window, due }.finding());
            }
        }
    }
    changes.retain(|change| {
        let strictness = check.boundary.level_of(&change.file);
        change.finding.severity > Severity::Note || change.level <= strictness
    });
    changes.extend(
        found.into_iter().filter_map(|change| apply_levels::apply_levels(check.boundary, change)),
    );
    Ok(())
}

/// Whether a change is an error, or would be if its direction were promised.
fn is_break(check: &Check<'_>, change: &FileChange) -> bool {
    let unpromised = apply_levels::is_unpromised(check.boundary, change);
    change.finding.severity == Severity::Error
        || (unpromised && change.finding.rule.severity == Severity::Error)
}

/// Whether a name stands as a word in the files as they were or as they are.
fn names_something(check: &Check<'_>, what: &str) -> bool {
    let last = what.rsplit(['.', ':']).next().unwrap_or(what);
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut files = check.old.files.iter().chain(check.new.iter());
    files.any(|(_, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        text.match_indices(last).any(|(at, found)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let behind = text.get(at + found.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(word) && !behind.is_some_and(word)
        })
    })
}

/// The days of removal that the baseline's `unskew.toml` told for this boundary. It may be of another version
/// of Unskew, so that nothing else is asked of it.
fn told(check: &Check<'_>, snapshot: &Snapshot) -> Result<BTreeMap<String, Date>, NotChecked> {
    let files = snapshot.read(&[check.request.file])?;
    let Ok(text) = files.text(check.request.file) else { return Ok(BTreeMap::new()) };
    if unskew_core::nested_too_deep(text).is_some() {
        let file = check.request.file;
        let what = format!("{file} of {}: nests deeper than 256 brackets", snapshot.label);
        return Err(NotChecked::Other(what));
    }
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        let file = check.request.file;
        NotChecked::Other(format!("{file} of {}: {}", snapshot.label, error.message()))
    })?;
    let array = |value: Option<&toml::Value>| value.and_then(toml::Value::as_array).cloned();
    let mut told = BTreeMap::new();
    for boundary in array(table.get("boundary")).unwrap_or_default() {
        if boundary.get("name").and_then(toml::Value::as_str) != Some(&check.boundary.name) {
            continue;
        }
        for sunset in array(boundary.get("sunset")).unwrap_or_default() {
            let what = sunset.get("what").and_then(toml::Value::as_str);
            let day = sunset.get("removed").map(ToString::to_string);
            if let (Some(what), Some(Ok(day))) = (what, day.map(|day| day.parse())) {
                told.insert(what.to_owned(), day);
            }
        }
    }
    Ok(told)
}
