//! Kinds of files that a boundary may consist of: headers, registries of operators, formats, histories.
//!
//! An [`InterfaceKind`] reads the files of two sides and says what changed between them. It does not know about
//! baselines, acceptances or exit codes: `unskew lint` and `unskew diff` ask it the same question, and what
//! its [`FileChange`]s weigh in the end is for the judge in `unskew-lint` to say. The kinds themselves stand above: headers in
//! `unskew-c-headers`, protobuf files in `unskew-protobuf`, histories and locks in `unskew-lint`, operators in the command.
//!
//! A kind is plugged in by one line in the list of kinds of the command.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use unskew_core::{Date, Finding, Promise, Severity, Unjudged, Window};
use unskew_history::FileHistory;
use unskew_source::{Files, NotRead};

/// A kind of files that promises are made about.
pub trait InterfaceKind: Sync {
    /// The word for it in `unskew.toml`: `headers`.
    fn name(&self) -> &'static str;

    /// What its files are, for messages: `C headers`.
    fn title(&self) -> &'static str;

    /// Whether a file is of this kind, by its name and its first bytes. `unskew diff` asks this of files
    /// of which nobody says what they are; a boundary of `unskew lint` says it.
    fn recognizes(&self, name: &str, head: &[u8]) -> bool;

    /// Whether a file of this name is read with those of this kind beside which it lies, and is none by itself.
    fn accompanies(&self, _name: &str) -> bool {
        false
    }

    /// The keys of `[boundary.options]` that this kind knows.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// What changed between two sides, each the whole of the files of a boundary. A side may be empty.
    ///
    /// What could not be read in part is a finding, and the rest is judged.
    ///
    /// # Errors
    /// If a side could not be read at all, or an option has a value that it cannot have.
    fn compare(
        &self,
        old: &Files,
        new: &Files,
        terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead>;

    /// The things that the files define or use, each by its name with the place: operators, formats, fields.
    /// What a writer uses must have been in its readers for some time; see
    /// `ReaderFirst` in `unskew-lint`. None if the kind has no such things.
    ///
    /// # Errors
    /// If the files could not be read.
    fn items(
        &self,
        _files: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<Option<BTreeMap<String, String>>, NotRead> {
        Ok(None)
    }
}

/// The terms under which two sides are compared.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions<'a> {
    /// The day of the question; what depends on the day is not judged without one.
    pub as_of: Option<Date>,
    /// The name of the policy for kinds that have several: `pjrt`.
    pub policy: Option<&'a str>,
    /// How much newer a writer may be than its reader.
    pub forward: Option<&'a Window>,
    /// How much older a writer may be than its reader.
    pub backward: Option<&'a Window>,
    /// The days of releases, for windows that count these.
    pub releases: &'a [Date],
    /// The table `[boundary.options]`, if there is one.
    pub options: Option<&'a toml::Table>,
    /// What the files were before; none where nobody asks when something landed.
    pub past: Option<&'a dyn FileHistory>,
}

/// What a kind found.
#[derive(Clone, Debug, Default)]
pub struct FileComparison {
    /// What changed, each with the finding that says so.
    pub changes: Vec<FileChange>,
    /// What was promised, with the file in which the promise counts.
    pub promises: Vec<(String, Promise)>,
    /// What was not judged, with the file that has it.
    pub unjudged: Vec<(String, Unjudged)>,
    /// Every major number that was raised.
    pub majors: Vec<Raise>,
    /// What the sides are, by file on the new side: `C header, PJRT_API 0.72`. A file without an entry has
    /// the title of its kind.
    pub origins: BTreeMap<String, [String; 2]>,
}

/// A major number that was raised: a change that all others were to wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raise {
    /// The name of the version: `PJRT_API`.
    pub line: String,
    /// The file in which it stands.
    pub file: String,
    /// Where it stands: `path:line`, or the file alone.
    pub place: String,
    /// The version in the baseline.
    pub before: String,
    /// The version in the working tree.
    pub after: String,
}

/// One change. A change in several files is counted in the first.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// What changed, as an instance of its rule. Its places are `path:line` with paths below the root;
    /// places of the old side end with ` (before)`.
    pub finding: Finding,
    /// The path of the file in which it counts: on the new side, or on the old one if it is gone there.
    pub file: String,
    /// What changed, in a word that stays the same over time: `PJRT_Client_Create`, `aten::div.Tensor`.
    pub subject: String,
    /// From which level on it is reported.
    pub level: Level,
    /// Which direction it breaks; none for what is wrong in either, such as a number that was not raised.
    pub breaks: Option<Direction>,
}

impl FileChange {
    /// A change of what `subject` names, in `file`. It stands on [`Level::All`] if it is a note, and on
    /// [`Level::Promise`] otherwise.
    pub fn new(finding: Finding, file: impl Into<String>, subject: impl Into<String>) -> Self {
        let level = match finding.severity {
            Severity::Note => Level::All,
            _ => Level::Promise,
        };
        Self { finding, file: file.into(), subject: subject.into(), level, breaks: None }
    }

    /// With the level from which on it is reported; a note stays on [`Level::All`].
    #[must_use]
    pub fn on(mut self, level: Level) -> Self {
        if self.finding.severity != Severity::Note {
            self.level = level;
        }
        self
    }

    /// With the direction that it breaks.
    #[must_use]
    pub fn breaking(mut self, direction: Direction) -> Self {
        self.breaks = Some(direction);
        self
    }
}

/// How strict a boundary is: each level has everything of those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing: what is still experimental.
    Off,
    /// What was built, saved or sent before is misunderstood, or not read at all.
    Wire,
    /// What is built anew has to be edited first.
    Source,
    /// Numbers, dates and remarks are as the policy wants them.
    Promise,
    /// Whatever changed, harmless changes as well.
    All,
}

/// Which of two sides of different age is the newer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A new reader with an old writer: what was written before can still be read.
    Backward,
    /// An old reader with a new writer: what is written now can be read by who has not been updated.
    Forward,
    /// Both: neither side may be broken by the other's age.
    Both,
}

impl Direction {
    /// Whether what breaks `other` breaks this one.
    pub fn meets(self, other: Self) -> bool {
        self == other || self == Self::Both || other == Self::Both
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Backward => "backward",
            Self::Forward => "forward",
            Self::Both => "both",
        })
    }
}
