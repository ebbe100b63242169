//! Outcome of a check.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::host::Error;
use crate::sys::CallError;
use crate::sys::bindings::PJRT_Error_Code;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckOutcome {
    /// What was asked for was done; with what was seen.
    Pass(String),
    /// The plug-in does not have it, and says so.
    Unsupported {
        /// The function, by its name in C; empty if it is not one function.
        function: String,
        /// What the plug-in says, or since when there is such a function.
        said: String,
    },
    /// The plug-in answers something else than the interface says.
    Fail(String),
    /// The child process died.
    Crashed {
        /// The signal or exit code.
        cause: String,
        /// The last line that the plug-in wrote.
        said: String,
    },
    /// It had not ended when its time was up.
    NoEnd {
        /// The time, in seconds.
        seconds: u64,
    },
    /// It could not be made.
    NotRun(String),
    /// The plug-in says that it has no device to work with; with its words.
    NoDevice(String),
}

/// What a check found: `Err` is what ended it before its last step.
pub(crate) type Checked = Result<CheckOutcome, CheckOutcome>;

impl CheckOutcome {
    /// The word that stands for it in reports.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass(_) => "pass",
            Self::Unsupported { .. } => "unsupported",
            Self::Fail(_) => "fail",
            Self::Crashed { .. } => "crashed",
            Self::NoEnd { .. } => "no end",
            Self::NotRun(_) => "not run",
            Self::NoDevice(_) => "no device",
        }
    }

    /// Whether the plug-in is at fault.
    pub const fn is_fault(&self) -> bool {
        matches!(self, Self::Fail(_) | Self::Crashed { .. } | Self::NoEnd { .. })
    }

    /// What an error of setting up, or of making a client, tells. A plug-in that refuses to work without
    /// its device is in its right; whether it is that, its words say, and no code does: measured are
    /// INTERNAL, NOT_FOUND, UNAVAILABLE and FAILED_PRECONDITION.
    pub(crate) fn of_start(error: CallError) -> Self {
        match error.code() {
            PJRT_Error_Code::UNIMPLEMENTED | PJRT_Error_Code::INVALID_ARGUMENT => error.into(),
            _ => Self::NoDevice(error.to_string()),
        }
    }

    /// Pass if `good`, else a failure; either way with what was seen.
    pub(crate) fn expect(good: bool, seen: impl Into<String>) -> Self {
        if good { Self::Pass(seen.into()) } else { Self::Fail(seen.into()) }
    }
}

/// What a call answered, after the word of the outcome.
impl fmt::Display for CheckOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass(seen) => f.write_str(seen),
            Self::Unsupported { said, .. } => f.write_str(said),
            Self::Fail(cause) | Self::NotRun(cause) | Self::NoDevice(cause) => f.write_str(cause),
            Self::Crashed { cause, said } if said.is_empty() => f.write_str(cause),
            Self::Crashed { cause, said } => write!(f, "{cause}; last words: {said}"),
            Self::NoEnd { seconds } => write!(f, "no answer within {seconds} s"),
        }
    }
}

impl From<CallError> for CheckOutcome {
    fn from(error: CallError) -> Self {
        let said = error.to_string();
        match &error {
            CallError::Unimplemented { function, .. } => {
                Self::Unsupported { function: (*function).to_owned(), said }
            }
            CallError::Plugin { function, code, .. } if *code == PJRT_Error_Code::UNIMPLEMENTED => {
                Self::Unsupported { function: (*function).to_owned(), said }
            }
            CallError::Plugin { .. } => Self::Fail(said),
        }
    }
}

impl From<Error> for CheckOutcome {
    fn from(error: Error) -> Self {
        match error {
            Error::Call(error) => error.into(),
            Error::UnknownOption { .. } => {
                Self::Unsupported { function: String::new(), said: error.to_string() }
            }
            error => Self::Fail(error.to_string()),
        }
    }
}
