//! Errors of a question that has no answer.

use std::path::PathBuf;

use unskew_artifact::OpenError;
use unskew_releases::NameError;

use crate::adapt::AdaptError;
use crate::progress::Interrupted;

/// Why a question has no answer. That two things do not work together is an answer, and no error.
#[derive(Debug, thiserror::Error)]
pub enum VerbError {
    /// A file could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No release has this name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Nothing is stated of the release of a runtime.
    #[error(transparent)]
    Stated(#[from] unskew_releases::vendor_docs::NotStated),
    /// A name that is neither a file nor a release.
    #[error("no such file, and no release either (those are named like torch@2.1): {name}{}", .meant.as_ref().map(|meant| format!("; did you mean {meant}?")).unwrap_or_default())]
    Neither {
        /// As the user wrote it.
        name: String,
        /// The name that was perhaps meant.
        meant: Option<String>,
    },
    /// Something was opened that has nothing in it.
    #[error("nothing to check")]
    Nothing,
    /// The database has no release of a family.
    #[error("the database has no release of this family")]
    NoRelease,
    /// The question makes no sense; the text says what can be asked instead.
    #[error("{0}")]
    Question(String),
    /// A result could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// Where it was to stand.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An input could not be found.
    #[error("no such file: {}", path.display())]
    NoFile {
        /// As the user wrote it.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The result of a conversion could not be read.
    #[error("the result cannot be read")]
    Result(#[source] OpenError),
    /// A plug-in cannot be adapted.
    #[error(transparent)]
    Adapt(#[from] AdaptError),
    /// The caller wanted no more of it.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
