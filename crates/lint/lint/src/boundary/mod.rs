//! `unskew.toml`: what is promised about which files, and to whom.
//!
//! A repository has one such file. Each `[[boundary]]` names files, says of what [kind](unskew_kinds::InterfaceKind) they are,
//! and holds them to a promise; a preset is the promise of a public document, and what a boundary says itself
//! comes before what its preset says.
//!
//! ```toml
//! baseline = "git:origin/main..."     # where this branch left main; --baseline comes before it
//!
//! [[boundary]]
//! name   = "device interface"
//! preset = "pjrt"                     # headers, 12 weeks forward, a major once a year with 4 weeks' notice
//! paths  = ["include/**/*.h"]
//!
//! [[boundary.scope]]                  # what is still experimental
//! paths = ["include/experimental/**"]
//! level = "off"
//!
//! [[accept]]                          # one finding, for some time
//! finding = "HD108-3f9ac2d01b7e"
//! reason  = "nobody has built against it; announced on the list"
//! until   = 2027-01-31
//! ```
//!
//! | key of a boundary | what it says |
//! | --- | --- |
//! | `name`, `preset`, `kind`, `paths`, `exclude` | which files of which kind |
//! | `baseline` | what they are compared with, where it is not the one of all boundaries |
//! | `policy` | which number a change raises, for kinds that have several policies |
//! | `direction` | `backward`, `forward` or `both`: which side may be the newer one |
//! | `forward`, `backward` | how long: `"12 weeks"`; of `"180 days or 1 release"` the longer one counts |
//! | `against` | `last`: the baseline alone; `window`: all revisions within the window; `all`: all there are |
//! | `level` | `off`, `wire`, `source`, `promise`, `all`: each has everything of those before it |
//! | `major` | how often a major number may be raised, and how long before it is announced |
//! | `announced`, `sunset` | majors and removals that were announced, with their days |
//! | `reader-first` | what writers use must have been in every reader for the forward window |
//! | `severity`, `scope` | weights of rules, and levels and weights of some of the paths |
//! | `options` | what only this kind knows |
//!
//! `[headers]` has options for all boundaries of C headers: `define`, macros that are defined when they are read, and
//! `version`, the macro whose number counts for all of them.
//!
//! [`LintConfig::from_toml`] reads the file; an error names line and column and what is allowed there.

mod braces;
mod config_text;
mod file;
mod preset;
mod read;

pub use config_text::LintConfigError;
pub use preset::presets;
pub use read::Known;

use std::collections::BTreeMap;

use glob::{MatchOptions, Pattern};
use serde::Deserialize;
use unskew_core::{Date, Severity, Window};

use unskew_kinds::{Direction, InterfaceKind, Level};

/// All that `unskew.toml` says, read and checked.
#[derive(Clone, Debug)]
pub struct LintConfig {
    /// What everything is compared with, unless a boundary says otherwise.
    pub baseline: Option<String>,
    /// The boundaries, in their order.
    pub boundaries: Vec<Boundary>,
    /// The findings that are accepted.
    pub acceptances: Vec<Acceptance>,
    /// The releases, for windows that count these.
    pub releases: Vec<DatedRelease>,
    /// The tags that are releases, as a pattern: `v*`.
    pub release_tags: Option<String>,
}

/// Files, and what is promised about them.
#[derive(Clone)]
pub struct Boundary {
    /// Its name, which is part of the fingerprints of its findings.
    pub name: String,
    /// The line on which it begins.
    pub line: usize,
    /// What its files are.
    pub kind: &'static dyn InterfaceKind,
    /// The files that belong to it.
    pub paths: Paths,
    /// What they are compared with, if not what all are.
    pub baseline: Option<String>,
    /// The promise in words, with the document in which it stands: that of the preset.
    pub promise: Option<PromiseText>,
    /// The policy that says which number a change raises.
    pub policy: Option<String>,
    /// Which side may be the newer one.
    pub direction: Direction,
    /// How much newer a writer may be than its reader.
    pub forward: Option<Window>,
    /// How much older a writer may be than its reader.
    pub backward: Option<Window>,
    /// How many of the earlier versions it is compared with.
    pub against: Against,
    /// How strict it is.
    pub level: Level,
    /// How often a major number may be raised.
    pub major: Option<Majors>,
    /// The majors that were announced.
    pub announced: Vec<AnnouncedMajor>,
    /// The removals that were announced.
    pub sunsets: Vec<AnnouncedRemoval>,
    /// Where its writers are.
    pub reader_first: Option<ReaderFirst>,
    /// What rules weigh here, by code.
    pub severity: BTreeMap<String, Weight>,
    /// What is otherwise for some of the paths; the last one that fits counts.
    pub scopes: Vec<PathScope>,
    /// What only its kind knows.
    pub options: toml::Table,
}

impl Boundary {
    /// The longest of the windows of its direction.
    pub fn windows(&self) -> impl Iterator<Item = &Window> {
        let backward = self.backward.iter().filter(|_| self.direction != Direction::Forward);
        let forward = self.forward.iter().filter(|_| self.direction != Direction::Backward);
        backward.chain(forward)
    }

    /// How strict it is for a path.
    pub fn level_of(&self, path: &str) -> Level {
        let scopes = self.scopes.iter().rev().filter(|scope| scope.paths.has(path));
        scopes.filter_map(|scope| scope.level).next().unwrap_or(self.level)
    }

    /// What a rule weighs for a path, if that is said.
    pub fn weight_of(&self, code: &str, path: &str) -> Option<Weight> {
        let scopes = self.scopes.iter().rev().filter(|scope| scope.paths.has(path));
        let scoped = scopes.filter_map(|scope| scope.severity.get(code)).next();
        scoped.or_else(|| self.severity.get(code)).copied()
    }
}

impl std::fmt::Debug for Boundary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Boundary")
            .field("name", &self.name)
            .field("kind", &self.kind.name())
            .field("paths", &self.paths.patterns)
            .finish_non_exhaustive()
    }
}

/// Files by patterns: `*` and `?` within a part of a path, `**` over parts, `{a,b}`, `[a-z]`.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    patterns: Vec<String>,
    wanted: Vec<Pattern>,
    unwanted: Vec<Pattern>,
}

/// A `*` stops at `/`.
const WITHIN_A_FOLDER: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl Paths {
    /// Whether a path is among them.
    pub fn has(&self, path: &str) -> bool {
        let any = |patterns: &[Pattern]| {
            patterns.iter().any(|pattern| pattern.matches_with(path, WITHIN_A_FOLDER))
        };
        any(&self.wanted) && !any(&self.unwanted)
    }

    /// The patterns, as they are written.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }
}

/// A promise in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromiseText {
    /// The name of the preset.
    pub preset: String,
    /// Whose promise it is.
    pub title: String,
    /// The promise in one sentence.
    pub text: String,
    /// The public document in which it stands.
    pub reference: String,
}

/// How many of the earlier versions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// The baseline, and nothing older.
    Last,
    /// The baseline, and every version that was in force within the window.
    Window,
    /// The baseline, and every version before it.
    All,
}

/// How often a major number may be raised, and how long before it is announced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Majors {
    /// The shortest time between two majors.
    pub at_most_every: Option<Window>,
    /// The shortest time between the announcement and the change.
    pub notice: Option<Window>,
}

/// A major version that was announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnouncedMajor {
    /// The version as the kind writes it: `1.0`.
    pub version: String,
    /// The day of the announcement.
    pub on: Date,
    /// The day on which it landed, if it has.
    pub landed: Option<Date>,
}

/// A removal that was announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnouncedRemoval {
    /// What is removed: the subject of its finding.
    pub what: String,
    /// The day of the announcement.
    pub announced: Date,
    /// The first day on which it may be gone.
    pub removed: Date,
    /// The line in `unskew.toml`.
    pub line: usize,
}

/// Reader first: a writer may use something new when every reader of the forward window has it.
///
/// It is the two-step change of the PyTorch RFC: the reader lands, the window passes, the writer switches.
/// The paths of the boundary are what readers know; the writers' paths are what they use.
#[derive(Clone, Debug)]
pub struct ReaderFirst {
    /// The files of those who write; those of the boundary are of those who read.
    pub writers: Paths,
}

/// A release that happened, with its day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatedRelease {
    /// Its number, as users know it.
    pub version: String,
    /// The day on which it was published.
    pub on: Date,
    /// Where its files are, if it is to be compared with.
    pub baseline: Option<String>,
}

/// What is otherwise for some of the paths of a boundary.
#[derive(Clone, Debug)]
pub struct PathScope {
    /// The paths for which this holds.
    pub paths: Paths,
    /// How strict it is there.
    pub level: Option<Level>,
    /// What rules weigh there.
    pub severity: BTreeMap<String, Weight>,
}

/// What a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// It counts as an error: `unskew lint` fails.
    Error,
    /// It counts as a warning: `--deny warning` fails.
    Warning,
    /// It counts as a note.
    Note,
    /// It is not reported.
    Off,
}

impl Weight {
    /// The severity; none for what is not reported.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Off => None,
        }
    }
}

/// One finding that is accepted for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// The fingerprint of the finding.
    pub finding: String,
    /// Why it is accepted; never empty.
    pub reason: String,
    /// The last day on which it is accepted.
    pub until: Date,
    /// The line in `unskew.toml`.
    pub line: usize,
}
