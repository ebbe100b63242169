//! Problems of the installation of a package.

use std::fmt;

use unskew_source::{ReadError, SourceProblem};

/// What is wrong with the installation of a package: it is said, and what it leaves open is not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallProblem {
    /// There is no readable `METADATA`, or pip left it behind (`~orch-2.1.0.dist-info`).
    Unfinished(String),
    /// There is no readable `RECORD`, so its files are not known.
    NoRecord(String),
    /// Files that `RECORD` lists are not there.
    Missing(Vec<String>),
    /// Files that have another size than `RECORD` says. They are judged as they are.
    OtherSize(Vec<String>),
    /// Shared objects beside its own that no `RECORD` lists.
    NotRecorded(Vec<String>),
    /// It is installed from a folder that was not read.
    Editable(String),
    /// A file of it cannot be read.
    Unreadable(String),
    /// A file of it is larger than what is read. Nothing is wrong with it.
    OverBudget(String),
    /// More than one version of it is installed.
    Twice(Vec<String>),
}

impl InstallProblem {
    /// Why a file was not read.
    pub(crate) fn from_read(error: &ReadError) -> Self {
        match *error.problem {
            SourceProblem::TooLarge { .. } | SourceProblem::Budget(_) => {
                Self::OverBudget(error.to_string())
            }
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

impl fmt::Display for InstallProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| match names {
            [first, rest @ ..] if !rest.is_empty() => format!("{first} and {} more", rest.len()),
            names => names.join(", "),
        };
        match self {
            Self::Unfinished(why) => write!(f, "half-installed: {why}"),
            Self::NoRecord(why) => write!(f, "its files are not known: {why}"),
            Self::Missing(names) => {
                write!(f, "RECORD lists files that are not there: {}", list(names))
            }
            Self::OtherSize(names) => {
                write!(f, "files of another size than RECORD says: {}", list(names))
            }
            Self::NotRecorded(names) => {
                write!(f, "shared objects that no RECORD lists: {}", list(names))
            }
            Self::Editable(from) => {
                write!(f, "an editable install, whose folder was not read: {from}")
            }
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::OverBudget(why) => write!(f, "not read: {why}"),
            Self::Twice(versions) => write!(f, "installed more than once: {}", versions.join(", ")),
        }
    }
}
