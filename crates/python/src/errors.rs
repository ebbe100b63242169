//! The exceptions: one hierarchy, and the text that the command prints.

use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};
use unskew_artifact::OpenError;
use unskew_report::{Medium, error_lines, escaped};
use unskew_verbs::{VerbError, chain};

create_exception!(unskew, UnskewError, PyException, "Unskew could not do what was asked.");
create_exception!(
    unskew,
    ReadError,
    UnskewError,
    "A file is not there, cannot be read, or is broken; the text says where."
);
create_exception!(
    unskew,
    UnknownFormat,
    ReadError,
    "A file is of no kind that Unskew knows; the text says what was looked for."
);
create_exception!(
    unskew,
    ReleaseError,
    UnskewError,
    "A name is no release of the database; the text says which are near."
);
create_exception!(
    unskew,
    QuestionError,
    UnskewError,
    "A question that has no answer, such as whether two models work together; the text says what to ask instead."
);
create_exception!(
    unskew,
    ConversionError,
    UnskewError,
    "Nothing converts such a file for such a release."
);
create_exception!(unskew, AdaptError, UnskewError, "A plug-in cannot be adapted.");
create_exception!(unskew, WriteError, UnskewError, "A result could not be written.");

/// The exception for an error.
pub fn exception(error: VerbError) -> PyErr {
    let text = error_lines(&chain(&error)).join("\n");
    let text = escaped(&text, Medium::Terminal).into_owned();
    match error {
        VerbError::Open(OpenError::Unknown { .. } | OpenError::Nothing { .. }) => {
            UnknownFormat::new_err(text)
        }
        VerbError::Open(OpenError::NoConversion { .. }) => ConversionError::new_err(text),
        VerbError::Name(_) | VerbError::Stated(_) | VerbError::NoRelease => {
            ReleaseError::new_err(text)
        }
        VerbError::Open(_)
        | VerbError::Neither { .. }
        | VerbError::Nothing
        | VerbError::NoFile { .. }
        | VerbError::Result(_) => ReadError::new_err(text),
        VerbError::Question(_) => QuestionError::new_err(text),
        VerbError::Write { .. } => WriteError::new_err(text),
        VerbError::Adapt(_) => AdaptError::new_err(text),
        VerbError::Interrupted(_) => UnskewError::new_err(text),
    }
}
