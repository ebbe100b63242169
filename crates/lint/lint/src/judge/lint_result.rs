//! Request and result of a lint.

use unskew_core::{Date, Finding, Promise, Unjudged};
use unskew_source::NotRead;

use crate::baseline::{BaselineError, Sources};
use crate::boundary::LintConfig;

/// What is to be linted.
#[derive(Clone, Copy, Debug)]
pub struct LintRequest<'a> {
    /// The folder of `unskew.toml`, and where baselines are read from.
    pub sources: &'a Sources<'a>,
    /// The name of that file.
    pub file: &'a str,
    /// The content of that file.
    pub config: &'a LintConfig,
    /// The baseline that comes before those of the configuration.
    pub baseline: Option<&'a str>,
    /// The day of the question.
    pub as_of: Date,
}

/// Everything that a lint has to say.
#[derive(Clone, Debug, Default)]
pub struct LintResult {
    /// What is to be said about each file, in the order of boundaries and paths.
    pub judged: Vec<FileVerdict>,
    /// What could not be checked.
    pub failures: Vec<LintFailure>,
    /// How many boundaries were checked.
    pub checked: usize,
}

/// What is to be said about one file.
#[derive(Clone, Debug)]
pub struct FileVerdict {
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
    /// What was not judged.
    pub unjudged: Vec<Unjudged>,
}

/// What could not be checked, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFailure {
    /// The file or the boundary.
    pub path: String,
    /// Why it could not be checked.
    pub why: String,
}

/// Why a boundary could not be checked.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotChecked {
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error("{0}")]
    Read(#[from] NotRead),
    #[error(transparent)]
    Window(#[from] unskew_core::WindowError),
    #[error("{0}")]
    Other(String),
}
