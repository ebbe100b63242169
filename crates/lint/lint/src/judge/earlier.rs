//! The versions before the baseline that a change is held against as well.
//!
//! A change that fits the last version may break one before it: an enumerator that was taken away and comes
//! back with another meaning, a field that was removed in one step and replaced in the next.

use unskew_core::{Date, Promise, PromiseState};

use super::check::Check;
use super::lint_result::NotChecked;
use super::sides::{Old, Sides};
use crate::baseline::{BaselinePlace, Commit, Repository};
use crate::boundary::{Against, Paths};

/// Earlier versions, newest first.
#[derive(Default)]
pub struct Earlier {
    pub versions: Vec<Old>,
    /// What is to be said about versions that could not be looked at.
    pub promise: Option<Promise>,
}

/// The versions that the boundary is to be held against, without the baseline itself.
pub fn versions(
    check: &Check<'_>,
    place: &BaselinePlace,
    sides: &Sides<'_>,
) -> Result<Earlier, NotChecked> {
    let since = match check.boundary.against {
        Against::Last => return Ok(Earlier::default()),
        Against::All => None,
        Against::Window => match window_start(check)? {
            Some(day) => Some(day),
            None => return Ok(Earlier::default()),
        },
    };
    let mut versions = released(check, place, since)?;
    let Some(repository) = sides.repository.as_ref().filter(|_| place.revision().is_some()) else {
        let promise = versions.is_empty().then(|| unknown(check, since));
        return Ok(Earlier { versions, promise });
    };
    let commits = commits(check, repository, place, since)?;
    for commit in commits.iter().skip(1) {
        let snapshot = repository.snapshot(commit, &label(commit))?;
        versions.push(Old::read(&snapshot, check.boundary)?);
    }
    versions.retain(|old| !old.files.is_empty());
    Ok(Earlier { versions, promise: None })
}

/// What a commit is called.
pub fn label(commit: &Commit) -> String {
    format!("git:{}", commit.hash.get(..12).unwrap_or(&commit.hash))
}

/// The first day of the longest window of the boundary; none if it has no window.
fn window_start(check: &Check<'_>) -> Result<Option<Date>, NotChecked> {
    let starts = check.boundary.windows();
    let starts: Vec<Date> = starts
        .map(|window| window.start(check.request.as_of, check.terms.releases))
        .collect::<Result<_, _>>()?;
    Ok(starts.into_iter().min())
}

/// The releases with files, newest first, as far as they are within the window.
fn released(
    check: &Check<'_>,
    place: &BaselinePlace,
    since: Option<Date>,
) -> Result<Vec<Old>, NotChecked> {
    let mut versions = Vec::new();
    for release in check.request.config.releases.iter().rev() {
        let within = since.is_none_or(|since| release.on >= since);
        let Some(text) = release.baseline.as_ref().filter(|text| within && **text != place.text)
        else {
            continue;
        };
        let snapshot = BaselinePlace::parse(text, check.request.sources.folder())?
            .open(check.request.sources)?;
        versions.push(Old::read(&snapshot, check.boundary)?);
    }
    Ok(versions)
}

/// The commits that changed the paths, newest first, from the baseline on back to the one that was in force
/// on `since`.
///
/// # Errors
/// If the repository was cloned without the commits of the window.
pub fn commits(
    check: &Check<'_>,
    repository: &Repository,
    place: &BaselinePlace,
    since: Option<Date>,
) -> Result<Vec<Commit>, NotChecked> {
    let from = place.commit(check.request.sources)?;
    let commits = repository.history(&from.hash, &folders(&check.boundary.paths), since)?;
    let reached = commits.last().zip(since).is_some_and(|(last, since)| last.day < since);
    if !reached && repository.is_shallow()? {
        let since = since.map_or_else(|| "the first commit".to_owned(), |day| day.to_string());
        return Err(NotChecked::Other(format!(
            "this clone has not all commits back to {since}; fetch them (actions/checkout: \
             fetch-depth: 0)"
        )));
    }
    Ok(commits)
}

/// The folders that patterns begin with, as far as no part of them is a pattern.
fn folders(paths: &Paths) -> Vec<String> {
    let folder = |pattern: &String| {
        let special = |part: &str| part.contains(['*', '?', '[', '{', '\\']);
        let parts: Vec<&str> = pattern.split('/').take_while(|part| !special(part)).collect();
        if parts.is_empty() { ".".to_owned() } else { format!(":(literal){}", parts.join("/")) }
    };
    paths.patterns().iter().map(folder).collect()
}

/// Nobody can tell what there was before.
fn unknown(check: &Check<'_>, since: Option<Date>) -> Promise {
    let promise = check.boundary.promise.as_ref();
    let within = since.map_or_else(String::new, |day| format!(" from {day} on"));
    Promise {
        policy: promise
            .map_or_else(|| check.boundary.name.clone(), |promise| promise.title.clone()),
        state: PromiseState::Unknown,
        window: None,
        from: since,
        until: None,
        statement: format!(
            "compared with {} alone: the versions{within} are in no repository and in no [[release]] \
             with a baseline",
            check.old.label
        ),
        reference: promise.map(|promise| promise.reference.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_commits_of_a_patterns_folder_are_looked_at() {
        let kinds: &[&'static dyn unskew_kinds::InterfaceKind] = &[&unskew_c_headers::Headers];
        let text = "[[boundary]]\nname='x'\nkind='headers'\npaths=['a/b/*.h', '{c,d}/*.h', 'e.h']";
        let known = crate::boundary::Known { kinds, is_rule: &|_| true };
        let config = crate::boundary::LintConfig::from_toml("x", text, known).unwrap();
        let found = folders(&config.boundaries[0].paths);
        assert_eq!(found, [":(literal)a/b", ".", ":(literal)e.h"]);
    }
}
