//! Reader first: what a writer uses must have been in its readers for the forward window.

use std::collections::BTreeMap;

use unskew_core::{Date, Places};

use super::check::Check;
use super::lint_result::NotChecked;
use super::sides::{Old, Sides};
use super::{apply_levels, earlier};
use crate::baseline::BaselinePlace;
use crate::rules;
use unskew_kinds::{Direction, FileChange, Level};
use unskew_source::Files;

/// What is to be said about writers that are ahead of their readers.
pub fn check(
    check: &Check<'_>,
    place: &BaselinePlace,
    sides: &Sides<'_>,
) -> Result<Vec<FileChange>, NotChecked> {
    let Some(reader_first) = &check.boundary.reader_first else { return Ok(Vec::new()) };
    let Some(window) = &check.boundary.forward else {
        let why = "reader-first needs a window: forward = \"2 weeks\"";
        return Err(NotChecked::Other(why.to_owned()));
    };
    let written = sides.files(|name| reader_first.writers.has(name))?;
    if written.is_empty() {
        let patterns = reader_first.writers.patterns().join(", ");
        return Err(NotChecked::Other(format!("no file of a writer matches: {patterns}")));
    }
    let used = items(check, &written)?;
    let day = window.start(check.request.as_of, check.terms.releases)?;
    let readers = readers(check, day, place, sides)?;
    let then = match readers.iter().find(|(from, _)| *from <= day) {
        Some((_, old)) => items(check, &old.files)?,
        None => BTreeMap::new(),
    };
    let mut found = Vec::new();
    for (item, at) in used.iter().filter(|(item, _)| !then.contains_key(*item)) {
        let mut first = None;
        for (from, old) in readers.iter().filter(|(from, _)| *from > day) {
            if items(check, &old.files)?.contains_key(item) {
                first = Some(*from);
            }
        }
        let due = window.end(first.unwrap_or(check.request.as_of), check.terms.releases)?;
        let due = due.map_or_else(|| "a later release".to_owned(), |due| due.to_string());
        let finding = rules::WriterBeforeReader { item, day: &day, window, due: &due }.finding();
        let file = at.rsplit_once(':').map_or(at.as_str(), |(file, _)| file);
        let change = FileChange::new(finding.at(Places::from_iter([at])), file, item.clone());
        found.push(change.on(Level::Promise).breaking(Direction::Forward));
    }
    Ok(found
        .into_iter()
        .filter_map(|change| apply_levels::apply_levels(check.boundary, change))
        .collect())
}

fn items(check: &Check<'_>, files: &Files) -> Result<BTreeMap<String, String>, NotChecked> {
    let kind = check.boundary.kind;
    kind.items(files, &check.terms)?.ok_or_else(|| {
        let title = kind.title();
        NotChecked::Other(format!(
            "reader-first is not for {title}: they name nothing that is used"
        ))
    })
}

/// The readers by the day from which they were in force, newest first, back to `day`.
fn readers(
    check: &Check<'_>,
    day: Date,
    place: &BaselinePlace,
    sides: &Sides<'_>,
) -> Result<Vec<(Date, Old)>, NotChecked> {
    let mut readers = Vec::new();
    if let Some(repository) = sides.repository.as_ref().filter(|_| place.revision().is_some()) {
        for commit in earlier::commits(check, repository, place, Some(day))? {
            let snapshot = repository.snapshot(&commit, &earlier::label(&commit))?;
            readers.push((commit.day, Old::read(&snapshot, check.boundary)?));
        }
        return Ok(readers);
    }
    for release in check.request.config.releases.iter().rev() {
        if let Some(text) = &release.baseline {
            let snapshot = BaselinePlace::parse(text, check.request.sources.folder())?
                .open(check.request.sources)?;
            readers.push((release.on, Old::read(&snapshot, check.boundary)?));
        }
    }
    if readers.iter().any(|(from, _)| *from <= day) {
        return Ok(readers);
    }
    Err(NotChecked::Other(format!(
        "nobody can tell what readers of {day} had: the baseline is in no repository, and no \
         [[release]] of that day or before has a baseline"
    )))
}
