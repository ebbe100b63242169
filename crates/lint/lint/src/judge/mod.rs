//! Path of `unskew lint` from the configuration to what is to be said.
//!
//! ```text
//! unskew.toml --> Boundary --> baseline, earlier versions --+
//!                                                           +--> Kind::compare --> Change
//!                          --> working tree ----------------+                        |
//!                                                                                    v
//!  findings and promises, by file <-- acceptances <-- level, direction, weight <-- windows
//! ```
//!
//! [`lint`] walks it for every boundary. Nothing here knows a kind, prints, or asks a clock. What could not be
//! checked is a [`LintFailure`], and never a pass: a baseline that is not there, paths that match nothing, a
//! history that is cut off within the window.
//!
//! A finding has a [`fingerprint`]: a digest of its rule, its file, what it is about and what its message
//! says, without lines. It stays the same when lines move, and is another one when the change is another one.

mod accept;
mod apply_levels;
mod check;
mod earlier;
mod fingerprint;
mod lint_result;
mod majors;
mod past;
mod reader_first;
mod sides;
mod sunset;

pub use fingerprint::fingerprint;
pub use lint_result::{FileVerdict, LintFailure, LintRequest, LintResult};

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use unskew_core::{Finding, Promise, Severity, Unjudged};

use crate::baseline::Snapshot;
use crate::boundary::Boundary;
use crate::rules;
use check::Check;
use lint_result::NotChecked;
use sides::{Old, Sides};
use unskew_kinds::{CompareOptions, FileChange};
use unskew_source::Files;

/// Checks every boundary of a configuration.
pub fn lint(request: &LintRequest<'_>) -> LintResult {
    let mut outcome = LintResult::default();
    let mut sides = match Sides::open_working_tree(request) {
        Ok(sides) => sides,
        Err(error) => {
            let folder = request.sources.folder();
            // The current folder has no name of its own.
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let path = folder.display().to_string();
            outcome.failures.push(LintFailure { path, why: error.to_string() });
            return outcome;
        }
    };
    for boundary in &request.config.boundaries {
        match Check::verdicts_of(request, boundary, &mut sides) {
            Ok(judged) => {
                outcome.checked += 1;
                outcome.judged.extend(judged);
            }
            Err(error) => outcome.failures.push(LintFailure {
                path: format!("{}:{}", request.file, boundary.line),
                why: format!("boundary {}: {error}", boundary.name),
            }),
        }
    }
    accept::accept(request, &mut outcome);
    outcome
}

impl<'a> Check<'a> {
    fn verdicts_of(
        request: &'a LintRequest<'a>,
        boundary: &'a Boundary,
        sides: &mut Sides<'a>,
    ) -> Result<Vec<FileVerdict>, NotChecked> {
        let days = sides.release_days()?;
        let terms = CompareOptions {
            as_of: Some(request.as_of),
            policy: boundary.policy.as_deref(),
            forward: boundary.forward.as_ref(),
            backward: boundary.backward.as_ref(),
            releases: &days,
            options: Some(&boundary.options),
            past: None,
        };
        let place = sides.baseline(boundary)?;
        let snapshot = sides.open(&place)?;
        let (old, new) = (Old::read(&snapshot, boundary)?, sides.now(boundary)?);
        let patterns = boundary.paths.patterns().join(", ");
        if old.files.is_empty() && new.is_empty() {
            let why = format!("no file here and none in {} matches: {patterns}", snapshot.label);
            return Err(NotChecked::Other(why));
        }
        // A revision may come before a boundary does; a folder or a package was named for its files.
        if old.files.is_empty() && place.revision().is_none() {
            let why = format!("no file in {} matches: {patterns}", snapshot.label);
            return Err(NotChecked::Other(why));
        }
        let check = Check { request, boundary, terms, new, old };
        check.judge(&place, &snapshot, sides)
    }

    fn judge(
        &self,
        place: &crate::baseline::BaselinePlace,
        snapshot: &Snapshot,
        sides: &Sides<'_>,
    ) -> Result<Vec<FileVerdict>, NotChecked> {
        let past = past::history_of(place, sides)?;
        // What stands in the files is judged once, and not again beside every earlier version.
        let terms = CompareOptions { past: Some(&*past), ..self.terms.clone() };
        let mut found = self.boundary.kind.compare(&self.old.files, &self.new, &terms)?;
        let mut changes = self.weighed(std::mem::take(&mut found.changes), &self.old);
        let mut promises = std::mem::take(&mut found.promises);
        let earlier = earlier::versions(self, place, sides)?;
        let mut known: BTreeSet<String> = changes.iter().map(fingerprint::identity).collect();
        for old in &earlier.versions {
            let more = self.weighed(self.compare(&old.files)?.changes, old);
            let counts = |change: &FileChange| {
                change.finding.severity > Severity::Note
                    || (apply_levels::is_unpromised(self.boundary, change)
                        && apply_levels::is_of_sunset(self.boundary, change))
            };
            let graver = more.into_iter().filter(counts);
            changes.extend(graver.filter(|change| known.insert(fingerprint::identity(change))));
        }
        promises.extend(earlier.promise.map(|promise| (String::new(), promise)));
        changes.extend(majors::check(self, &found.majors, place, sides)?);
        changes.extend(reader_first::check(self, place, sides)?);
        sunset::check(self, snapshot, &mut changes)?;
        if self.old.files.is_empty() {
            changes.push(self.not_in_baseline());
        }
        Ok(self.by_file(changes, promises, found.unjudged, &found.origins))
    }

    fn not_in_baseline(&self) -> FileChange {
        let (name, baseline) = (&self.boundary.name, &self.old.label);
        let paths = self.boundary.paths.patterns().join(", ");
        let finding = rules::NotInBaseline { boundary: name, baseline, paths: &paths }.finding();
        FileChange::new(finding, "", name.clone())
    }

    /// One entry for every file that has something to say; one for the boundary if none has.
    fn by_file(
        &self,
        changes: Vec<FileChange>,
        promises: Vec<(String, Promise)>,
        unjudged: Vec<(String, Unjudged)>,
        origins: &BTreeMap<String, [String; 2]>,
    ) -> Vec<FileVerdict> {
        let mut not_judged: BTreeMap<String, Vec<Unjudged>> = BTreeMap::new();
        for (file, one) in unjudged {
            not_judged.entry(file).or_default().push(one);
        }
        let mut files: BTreeMap<String, (Vec<Finding>, Vec<Promise>)> = BTreeMap::new();
        for file in not_judged.keys() {
            files.entry(file.clone()).or_default();
        }
        for change in changes {
            let mark = fingerprint(&change);
            let FileChange { mut finding, file, .. } = change;
            finding.fingerprint = Some(mark);
            files.entry(file).or_default().0.push(finding);
        }
        for (file, promise) in promises {
            files.entry(file).or_default().1.push(promise);
        }
        if files.is_empty() {
            files.entry(String::new()).or_default();
        }
        let judged = files.into_iter().map(|(file, (mut findings, promises))| {
            findings.sort_by_cached_key(Finding::gravity);
            let whole = |files: &Files| format!("{} {}", files.len(), self.boundary.kind.title());
            let origins = match origins.get(&file) {
                Some(origins) => origins.clone(),
                None if file.is_empty() => [whole(&self.old.files), whole(&self.new)],
                None => [self.boundary.kind.title(), self.boundary.kind.title()].map(str::to_owned),
            };
            let unjudged = not_judged.remove(&file).unwrap_or_default();
            FileVerdict {
                boundary: self.boundary.name.clone(),
                file,
                baseline: self.old.label.clone(),
                origins,
                findings,
                promises,
                unjudged,
            }
        });
        judged.collect()
    }
}
