//! What `unskew lint` does: one path from the configuration to what is to be said.
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
//! checked is a [`Failure`], and never a pass: a baseline that is not there, paths that match nothing, a
//! history that is cut off within the window.
//!
//! A finding has a [`fingerprint`]: a digest of its rule, its file, what it is about and what its message
//! says, without lines. It stays the same when lines move, and is another one when the change is another one.

mod accept;
mod earlier;
mod fingerprint;
mod majors;
mod past;
mod reader_first;
mod sides;
mod sunset;
mod weigh;

pub use fingerprint::fingerprint;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use unskew_core::{Date, Finding, Promise, Severity};

use crate::baseline::{BaselineError, Snapshot};
use crate::boundary::{Boundary, Config};
use crate::rules;
use sides::Sides;
use unskew_kinds::{Change, Comparison, Terms};
use unskew_source::{Files, NotRead};

/// What is to be linted.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The folder of `unskew.toml`.
    pub root: &'a Path,
    /// The name of that file in it.
    pub file: &'a str,
    /// What it says.
    pub config: &'a Config,
    /// The baseline that comes before those of the configuration.
    pub baseline: Option<&'a str>,
    /// The day of the question.
    pub as_of: Date,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What is to be said about each file, in the order of boundaries and paths.
    pub judged: Vec<Judged>,
    /// What could not be checked.
    pub failures: Vec<Failure>,
    /// How many boundaries were checked.
    pub checked: usize,
}

/// What is to be said about one file.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The boundary; empty for what is said about `unskew.toml`.
    pub boundary: String,
    /// The file, by its path below the root; empty for the boundary as a whole.
    pub file: String,
    /// What it was compared with: `git:main`.
    pub baseline: String,
    /// What the file was and is: `C header, PJRT_API 0.72`.
    pub origins: [String; 2],
    /// The findings, gravest first.
    pub findings: Vec<Finding>,
    /// Which promises are kept.
    pub promises: Vec<Promise>,
}

/// What could not be checked, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The file or the boundary.
    pub path: String,
    /// Why not.
    pub why: String,
}

/// Why a boundary could not be checked.
#[derive(Debug, thiserror::Error)]
enum NotChecked {
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error("{0}")]
    Read(#[from] NotRead),
    #[error(transparent)]
    Window(#[from] unskew_core::WindowError),
    #[error("{0}")]
    Other(String),
}

/// Checks every boundary of a configuration.
pub fn lint(request: &Request<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let mut sides = match Sides::of(request) {
        Ok(sides) => sides,
        Err(error) => {
            let path = request.root.display().to_string();
            outcome.failures.push(Failure { path, why: error.to_string() });
            return outcome;
        }
    };
    for boundary in &request.config.boundaries {
        match Check::of(request, boundary, &mut sides) {
            Ok(judged) => {
                outcome.checked += 1;
                outcome.judged.extend(judged);
            }
            Err(error) => outcome.failures.push(Failure {
                path: format!("{}:{}", request.file, boundary.line),
                why: format!("boundary {}: {error}", boundary.name),
            }),
        }
    }
    accept::accept(request, &mut outcome);
    outcome
}

/// One boundary while it is checked.
struct Check<'a> {
    request: &'a Request<'a>,
    boundary: &'a Boundary,
    terms: Terms<'a>,
    /// The files as they are.
    new: Files,
    /// What they are compared with.
    old: Old,
}

/// One earlier version of the files of a boundary.
struct Old {
    label: String,
    origin: String,
    files: Files,
}

impl Old {
    fn of(snapshot: &Snapshot, boundary: &Boundary) -> Result<Self, BaselineError> {
        let names: Vec<&str> = snapshot.names().filter(|name| boundary.paths.has(name)).collect();
        let files = snapshot.read(&names)?;
        Ok(Self { label: snapshot.label.clone(), origin: snapshot.origin.clone(), files })
    }
}

impl<'a> Check<'a> {
    fn of(
        request: &'a Request<'a>,
        boundary: &'a Boundary,
        sides: &mut Sides<'a>,
    ) -> Result<Vec<Judged>, NotChecked> {
        let days = sides.release_days()?;
        let terms = Terms {
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
        let (old, new) = (Old::of(&snapshot, boundary)?, sides.now(boundary)?);
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
        place: &crate::baseline::Place,
        snapshot: &Snapshot,
        sides: &Sides<'_>,
    ) -> Result<Vec<Judged>, NotChecked> {
        let past = past::of(place, sides)?;
        // What stands in the files is judged once, and not again beside every earlier version.
        let terms = Terms { past: Some(&*past), ..self.terms.clone() };
        let mut found = self.boundary.kind.compare(&self.old.files, &self.new, &terms)?;
        let mut changes = self.weighed(std::mem::take(&mut found.changes), &self.old);
        let mut promises = std::mem::take(&mut found.promises);
        let earlier = earlier::versions(self, place, sides)?;
        let mut known: BTreeSet<String> = changes.iter().map(fingerprint::identity).collect();
        for old in &earlier.versions {
            let more = self.weighed(self.compare(&old.files)?.changes, old);
            let counts = |change: &Change| {
                change.finding.severity > Severity::Note
                    || (weigh::is_unpromised(self.boundary, change)
                        && sunset::concerns(self.boundary, change))
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
        Ok(self.by_file(changes, promises, &found.origins))
    }

    fn compare(&self, old: &Files) -> Result<Comparison, NotRead> {
        self.boundary.kind.compare(old, &self.new, &self.terms)
    }

    /// What the boundary wants to hear of some changes since `old`, with its weights.
    fn weighed(&self, changes: Vec<Change>, old: &Old) -> Vec<Change> {
        let weighed = changes.into_iter().filter_map(|change| weigh::weigh(self.boundary, change));
        weighed.map(|change| weigh::since(change, old)).collect()
    }

    fn not_in_baseline(&self) -> Change {
        let (name, baseline) = (&self.boundary.name, &self.old.label);
        let paths = self.boundary.paths.patterns().join(", ");
        let finding = rules::NotInBaseline { boundary: name, baseline, paths: &paths }.finding();
        Change::new(finding, "", name.clone())
    }

    /// One entry for every file that has something to say; one for the boundary if none has.
    fn by_file(
        &self,
        changes: Vec<Change>,
        promises: Vec<(String, Promise)>,
        origins: &BTreeMap<String, [String; 2]>,
    ) -> Vec<Judged> {
        let mut files: BTreeMap<String, (Vec<Finding>, Vec<Promise>)> = BTreeMap::new();
        for change in changes {
            let mark = fingerprint(&change);
            let Change { mut finding, file, .. } = change;
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
            Judged {
                boundary: self.boundary.name.clone(),
                file,
                baseline: self.old.label.clone(),
                origins,
                findings,
                promises,
            }
        });
        judged.collect()
    }
}
