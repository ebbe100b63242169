//! Major numbers: not too often, and not without notice.

use unskew_core::{Date, Places, Window};

use super::check::Check;
use super::lint_result::NotChecked;
use super::sides::{Old, Sides};
use super::{apply_levels, earlier};
use crate::baseline::BaselinePlace;
use crate::rules;
use unskew_kinds::{FileChange, Level, Raise};

/// What is to be said about the major numbers that were raised since the baseline.
pub fn check(
    check: &Check<'_>,
    raised: &[Raise],
    place: &BaselinePlace,
    sides: &Sides<'_>,
) -> Result<Vec<FileChange>, NotChecked> {
    let Some(majors) = check.boundary.major.as_ref().filter(|_| !raised.is_empty()) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for raise in raised {
        if let Some(notice) = &majors.notice {
            found.extend(without_notice(check, raise, notice)?);
        }
        if let Some(every) = &majors.at_most_every {
            found.extend(too_soon(check, raise, every, place, sides)?);
        }
    }
    Ok(found
        .into_iter()
        .filter_map(|change| apply_levels::apply_levels(check.boundary, change))
        .collect())
}

fn change(finding: unskew_core::Finding, raise: &Raise) -> FileChange {
    let finding = finding.at(Places::from_iter([&raise.place]));
    FileChange::new(finding, raise.file.clone(), raise.line.clone()).on(Level::Promise)
}

fn without_notice(
    check: &Check<'_>,
    raise: &Raise,
    notice: &Window,
) -> Result<Option<FileChange>, NotChecked> {
    let Raise { line, before, after, .. } = raise;
    let today = check.request.as_of;
    let entry = check.boundary.announced.iter().find(|entry| same(&entry.version, after));
    let from = entry.map_or(today, |entry| entry.on.min(today));
    let due = notice.end(from, check.terms.releases)?;
    if entry.is_some() && due.is_some_and(|due| due <= today) {
        return Ok(None);
    }
    let announced = entry
        .map_or_else(|| "not announced".to_owned(), |entry| format!("announced on {}", entry.on));
    let due = day(due);
    let finding =
        rules::MajorWithoutNotice { line, before, after, announced: &announced, notice, due: &due };
    Ok(Some(change(finding.finding(), raise)))
}

/// `2` is the version that is announced as `2.0`.
fn same(announced: &str, version: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let mut parts: Vec<String> = text.split('.').map(str::to_owned).collect();
        while parts.len() > 1 && parts.last().is_some_and(|part| part == "0") {
            parts.pop();
        }
        parts
    };
    parts(announced) == parts(version)
}

fn too_soon(
    check: &Check<'_>,
    raise: &Raise,
    every: &Window,
    place: &BaselinePlace,
    sides: &Sides<'_>,
) -> Result<Option<FileChange>, NotChecked> {
    let Raise { line, before, after, .. } = raise;
    let since = every.start(check.request.as_of, check.terms.releases)?;
    let listed = check.boundary.announced.iter().filter(|entry| !same(&entry.version, after));
    let listed = listed.filter_map(|entry| entry.landed).filter(|day| *day > since).max();
    let Some(earlier) = listed.max(in_history(check, raise, since, place, sides)?) else {
        return Ok(None);
    };
    let due = day(every.end(earlier, check.terms.releases)?);
    let finding = rules::MajorTooSoon { line, before, after, earlier: &earlier, every, due: &due };
    Ok(Some(change(finding.finding(), raise)))
}

fn day(day: Option<Date>) -> String {
    day.map_or_else(|| "a later release".to_owned(), |day| day.to_string())
}

/// The last day since `since` on which the repository had a commit that raised this major number, up to the
/// baseline.
fn in_history(
    check: &Check<'_>,
    raise: &Raise,
    since: Date,
    place: &BaselinePlace,
    sides: &Sides<'_>,
) -> Result<Option<Date>, NotChecked> {
    let Some(repository) = sides.repository.as_ref().filter(|_| place.revision().is_some()) else {
        return Ok(None);
    };
    let commits = earlier::commits(check, repository, place, Some(since))?;
    let mut newer: Option<(Date, Old)> = None;
    for commit in commits {
        let snapshot = repository.snapshot(&commit, &earlier::label(&commit))?;
        let old = Old::read(&snapshot, check.boundary)?;
        if let Some((day, new)) = &newer {
            let found = check.boundary.kind.compare(&old.files, &new.files, &check.terms)?;
            if found.majors.iter().any(|other| other.line == raise.line) && *day > since {
                return Ok(Some(*day));
            }
        }
        newer = Some((commit.day, old));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_of_a_version_say_nothing() {
        assert!(same("2", "2.0") && same("2.0.0", "2") && same("0", "0.0"));
        assert!(!same("2", "2.1") && !same("20", "2"));
    }
}
