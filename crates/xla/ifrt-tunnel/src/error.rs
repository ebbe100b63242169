//! Errors of either end.

use std::io;
use std::path::PathBuf;

/// Why a tunnel cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum TunnelError {
    /// A file that is needed cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file has not what it should have.
    #[error("{}: {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// A certificate and a key that do not belong together, or that TLS does not take.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// There are no roots to check a certificate by.
    #[error("the system has no root certificates: {0}; name a file with --ca")]
    NoRoots(String),
    /// A name that is no host and port.
    #[error("{0}: not HOST:PORT")]
    Name(String),
    /// The other machine does not answer, or not as a gate does.
    #[error("{server}: {what}")]
    Server {
        /// Its name: `HOST:PORT`.
        server: String,
        /// What it said or did.
        what: String,
    },
    /// No sockets or threads.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl TunnelError {
    pub(crate) fn content(path: &std::path::Path, what: impl Into<String>) -> Self {
        Self::Content { path: path.to_owned(), what: what.into() }
    }
}
