//! Errors of a registry.

use std::io;

/// What could not be done, and with what in which registry.
#[derive(Debug, thiserror::Error)]
#[error("{uri}: {cause}")]
pub struct RegistryError {
    /// The registry, model or file, as a URI.
    pub uri: String,
    /// Why it could not be done.
    pub cause: RegistryErrorCause,
}

/// Why something could not be done with a registry.
#[derive(Debug, thiserror::Error)]
pub enum RegistryErrorCause {
    /// The URI names nothing in a registry.
    #[error("{0}")]
    Invalid(String),
    /// There is nothing of that name.
    #[error("not there: {0}")]
    Missing(String),
    /// The registry does not let this caller do it.
    #[error("the registry refuses: {said}; {fix}")]
    Denied {
        /// What the registry answered.
        said: String,
        /// Where the credentials come from.
        fix: &'static str,
    },
    /// It is of a form that is not read.
    #[error("{0}")]
    Unsupported(String),
    /// The registry did not answer, or not in a way that makes sense.
    #[error("{0}")]
    Failed(String),
}

impl RegistryError {
    pub(crate) fn new(uri: impl Into<String>, cause: RegistryErrorCause) -> Self {
        Self { uri: uri.into(), cause }
    }

    pub(crate) fn failed(uri: impl Into<String>, said: impl ToString) -> Self {
        Self::new(uri, RegistryErrorCause::Failed(one_line(&said.to_string())))
    }

    /// Whether there is nothing of that name.
    pub fn is_missing(&self) -> bool {
        matches!(self.cause, RegistryErrorCause::Missing(_))
    }
}

impl From<RegistryError> for io::Error {
    fn from(error: RegistryError) -> Self {
        let kind = match error.cause {
            RegistryErrorCause::Invalid(_) => io::ErrorKind::InvalidInput,
            RegistryErrorCause::Missing(_) => io::ErrorKind::NotFound,
            RegistryErrorCause::Denied { .. } => io::ErrorKind::PermissionDenied,
            RegistryErrorCause::Unsupported(_) => io::ErrorKind::Unsupported,
            RegistryErrorCause::Failed(_) => io::ErrorKind::Other,
        };
        Self::new(kind, error.to_string())
    }
}

/// A text on one line and not endless, as messages of servers may be neither.
pub(crate) fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// An error with all its causes, the outermost first, each said once.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_said = cause.to_string();
        if !said.contains(&cause_said) {
            said = format!("{said}: {cause_said}");
        }
        next = cause.source();
    }
    said
}
