//! Errors of opening a path.

use std::path::PathBuf;

use unskew_source::ReadError;

/// What can be converted, for messages.
const CONVERTIBLE: &str = "PyTorch files are converted for torch, TensorFlow's for tensorflow, \
    StableHLO and jax.export files for jax; a PJRT plug-in is adapted with `unskew adapt`";

/// Names of members, for the end of a message.
fn listed(there: &[String]) -> String {
    match there {
        [] => String::new(),
        names => format!("; it has {}", names.join(", ")),
    }
}

/// Why a path could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path, or something in it, could not be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// As the user wrote it.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A boundary recognized the file, and could not read it.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An object in a store could not be read.
    #[cfg(feature = "cloud")]
    #[error(transparent)]
    Object(#[from] unskew_objects::ObjectError),
    /// A URI of an object store, and this build reads none.
    #[error(
        "{uri}: this build of Unskew reads no object stores; build it with `--features cloud`, or copy the file here"
    )]
    NoStores {
        /// As the user wrote it.
        uri: String,
    },
    /// No boundary recognized the file.
    #[error("{path}: {}", .instead.map_or_else(|| format!("not a kind of file that Unskew knows; it knows {looked_for}"), str::to_owned))]
    Unknown {
        /// As the user wrote it.
        path: String,
        /// What it is instead and what to do, if it is one of the usual mistakes: a page of HTML, a compressed file.
        instead: Option<&'static str>,
        /// What it could have been.
        looked_for: String,
    },
    /// A folder or a wheel in which nothing was recognized.
    #[error(
        "{path}: nothing to check in this {container} of {}; Unskew knows {looked_for}",
        match files { 1 => "1 file".to_owned(), many => format!("{many} files") }
    )]
    Nothing {
        /// As the user wrote it.
        path: String,
        /// The word for messages: `folder` or `wheel`.
        container: &'static str,
        /// How many files it has.
        files: usize,
        /// What it could have been.
        looked_for: String,
    },
    /// A wheel without the member that a path names.
    #[error("{wheel}: no member `{member}` in this wheel{}", listed(.there))]
    NoMember {
        /// As the user wrote it.
        wheel: String,
        /// The name that was looked for.
        member: String,
        /// The first members of kinds that are known.
        there: Vec<String>,
    },
    /// A folder or a wheel with more in it than is looked at.
    #[error("{path}: more than {limit} files or folders; name a folder further down")]
    TooMany {
        /// As the user wrote it.
        path: String,
        /// The limit of the budget.
        limit: usize,
    },
    /// Nothing here converts such a file for such a release.
    #[error("{path}: nothing that can be converted for {release}; {CONVERTIBLE}")]
    NoConversion {
        /// As the user wrote it.
        path: String,
        /// The target release as the user wrote it.
        release: String,
    },
    /// A plug-in could not be asked.
    #[error("{path}: the plug-in could not be asked: {reason}")]
    Probe {
        /// As the user wrote it.
        path: String,
        /// What the child process that loaded the plug-in reported.
        reason: String,
    },
}
