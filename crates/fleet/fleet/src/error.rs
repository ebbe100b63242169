//! Errors of a fleet.

use std::path::PathBuf;

use unskew_artifact::OpenError;

use crate::store::StoreError;
use crate::{Digest, InspectionError, ProfileError};

/// Why something could not be done. That nothing fits a runtime is a decision, not an error.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The database was not to be had, or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A runtime profile could not be read.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// An artifact that cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An artifact that cannot be read, as a process says that read it.
    #[error("{0}")]
    Unreadable(String),
    /// An artifact that nobody could inspect.
    #[error(transparent)]
    Inspection(#[from] InspectionError),
    /// The object store that artifacts lie in.
    #[error(transparent)]
    Objects(#[from] unskew_objects::ObjectError),
    /// A file or folder of the fleet.
    #[error("cannot access {}", path.display())]
    Io {
        /// The file or folder that could not be read or written.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A name that is none.
    #[error(
        "no name for a model or a runtime (letters, digits and `. _ - @ + /`, at most 128): {0}"
    )]
    Name(String),
    /// A model that is not there.
    #[error("the fleet has no such model{}: {name}", near(known))]
    NoModel {
        /// The name asked for.
        name: String,
        /// Some that are there.
        known: Vec<String>,
    },
    /// A version that is not there.
    #[error("{model} has no version {number} published by then")]
    NoVersion {
        /// The name of the model.
        model: String,
        /// The version asked for.
        number: i64,
    },
    /// A runtime that is not there.
    #[error("the fleet has no such runtime{}: {name}", near(known))]
    NoRuntime {
        /// The name asked for.
        name: String,
        /// Some that are there.
        known: Vec<String>,
    },
    /// A stored artifact that is not there, or no longer what it was.
    #[error("the stored artifact {digest} is {what}")]
    Damaged {
        /// The content address of the artifact.
        digest: Digest,
        /// What is wrong with it.
        what: String,
    },
    /// Bytes that are not those of the digest that was announced for them.
    #[error("announced was {announced}, and {found} has come: {name}")]
    Differs {
        /// The name of the file.
        name: String,
        /// What it should be.
        announced: Digest,
        /// The digest of the bytes that came.
        found: Digest,
    },
    /// A path in a folder that leads out of it, or is none.
    #[error("a folder with a file of this name is not stored: {0}")]
    Path(String),
    /// An answer that was wanted only if it is kept, and is not.
    #[error("not every version was checked for the runtime yet")]
    NotAsked,
    /// A what-if that is none.
    #[error("{0}")]
    WhatIf(String),
}

fn near(known: &[String]) -> String {
    match known {
        [] => " (it has none yet)".to_owned(),
        names => format!(" (it has {})", names.join(", ")),
    }
}

/// An error with its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}
