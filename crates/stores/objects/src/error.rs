//! Errors of an object.

use std::io;

/// What could not be done, and with which object.
#[derive(Debug, thiserror::Error)]
#[error("{uri}: {cause}")]
pub struct ObjectError {
    /// The object or place, as a URI.
    pub uri: String,
    /// Why it could not be done.
    pub cause: ObjectErrorCause,
}

/// Why something could not be done with an object.
#[derive(Debug, thiserror::Error)]
pub enum ObjectErrorCause {
    /// There is no such object.
    #[error("no such object")]
    Missing,
    /// There is one already, and it was to be new.
    #[error("there is such an object already")]
    Exists,
    /// The store does not let this caller do it.
    #[error("the store refuses: {0}; check the credentials ({1})")]
    Denied(String, &'static str),
    /// The object is no longer what it was when it was opened.
    #[error("changed while it was read; read it again from the start")]
    Changed,
    /// The URI cannot name an object.
    #[error("{0}")]
    Invalid(String),
    /// The store cannot do this.
    #[error("{0}")]
    Unsupported(String),
    /// It is larger than what is taken into memory.
    #[error("has {size} bytes; more than {limit} are not read into memory")]
    TooLarge {
        /// The size of the object in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The store did not answer, or not in a way that makes sense.
    #[error("{0}")]
    Failed(String),
}

impl ObjectError {
    pub(crate) fn new(uri: &str, cause: ObjectErrorCause) -> Self {
        Self { uri: uri.to_owned(), cause }
    }

    pub(crate) fn io(uri: &str, error: io::Error) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::NotFound => ObjectErrorCause::Missing,
            _ => ObjectErrorCause::Failed(error.to_string()),
        };
        Self::new(uri, cause)
    }

    /// What the crate below says, in our words.
    pub(crate) fn of_store(uri: &str, error: object_store::Error) -> Self {
        use object_store::Error;
        let denied = |error: &dyn std::error::Error| {
            ObjectErrorCause::Denied(deepest(error), settings_of(uri))
        };
        let cause = match &error {
            Error::NotFound { .. } => ObjectErrorCause::Missing,
            Error::AlreadyExists { .. } => ObjectErrorCause::Exists,
            Error::Precondition { .. } | Error::NotModified { .. } => ObjectErrorCause::Changed,
            Error::PermissionDenied { source, .. } | Error::Unauthenticated { source, .. } => {
                denied(&**source)
            }
            Error::InvalidPath { source } => ObjectErrorCause::Invalid(source.to_string()),
            Error::NotSupported { source } => {
                ObjectErrorCause::Unsupported(without_ranges(deepest(&**source)))
            }
            Error::NotImplemented { operation, .. } => {
                ObjectErrorCause::Unsupported(format!("this store cannot do it: {operation}"))
            }
            other => match deepest(other) {
                said if said.contains(NO_RANGES[0]) => {
                    ObjectErrorCause::Unsupported(without_ranges(said))
                }
                said => ObjectErrorCause::Failed(said),
            },
        };
        Self::new(uri, cause)
    }

    /// Whether the object is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self.cause, ObjectErrorCause::Missing)
    }
}

impl From<ObjectError> for io::Error {
    /// Without the URI, because whoever reads a source names it.
    fn from(error: ObjectError) -> Self {
        let kind = match error.cause {
            ObjectErrorCause::Missing => io::ErrorKind::NotFound,
            ObjectErrorCause::Exists => io::ErrorKind::AlreadyExists,
            ObjectErrorCause::Denied(..) => io::ErrorKind::PermissionDenied,
            ObjectErrorCause::Invalid(_) => io::ErrorKind::InvalidInput,
            ObjectErrorCause::Unsupported(_) => io::ErrorKind::Unsupported,
            ObjectErrorCause::Changed
            | ObjectErrorCause::TooLarge { .. }
            | ObjectErrorCause::Failed(_) => io::ErrorKind::Other,
        };
        Self::new(kind, error.cause)
    }
}

/// Where the credentials of a store come from, for messages.
fn settings_of(uri: &str) -> &'static str {
    match uri.split(':').next() {
        Some("s3" | "s3a") => {
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket"
        }
        Some("gs") => "GOOGLE_SERVICE_ACCOUNT, or GOOGLE_SKIP_SIGNATURE=true for a public bucket",
        Some("az" | "azure" | "abfs" | "abfss") => {
            "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY"
        }
        Some("hf") => "HF_TOKEN, or `hf auth login`",
        _ => "the server wants some that cannot be given here",
    }
}

/// What clients say of a store, and of a web server, that knows no ranges and would send all of an object each time.
const NO_RANGES: [&str; 2] = ["non-partial response", "Range request not supported"];

fn without_ranges(said: String) -> String {
    match NO_RANGES.iter().any(|words| said.contains(words)) {
        true => "the server does not answer ranges; copy the file first".to_owned(),
        false => said,
    }
}

/// The last cause of a chain, on one line and not endless: those before only repeat where it happened.
fn deepest(error: &dyn std::error::Error) -> String {
    const LONGEST: usize = 300;
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        said = cause.to_string();
        next = cause.source();
    }
    let mut line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > LONGEST {
        line = line.chars().take(LONGEST).chain("...".chars()).collect();
    }
    line
}
