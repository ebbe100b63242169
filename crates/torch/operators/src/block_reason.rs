//! Reasons why a call has no exact form in a release.

use std::fmt;

use unskew_core::Version;
use unskew_torch_schemas::Misfit;

/// Why a call has no exact form in a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockReason {
    /// The result changed in a release, and it is not known whether the file was written before.
    WriterUnknown {
        /// The first release with the new result.
        changed_in: Version,
    },
    /// There is a form for some values of an argument, and this one is another.
    Value {
        /// What must hold, as an expression of the arguments.
        needs: String,
        /// The value that the call gives; none if it is known only when the program runs.
        given: Option<String>,
    },
    /// The change has no form for this release.
    NoForm {
        /// The change, in words.
        change: String,
        /// Why it is so, in one sentence.
        why: Option<String>,
    },
    /// The release has the operator, and it does not take the call.
    Misfit(Misfit),
    /// The release does not have the operator.
    Unknown {
        /// The nearest release that has one of its name.
        nearest: Option<Version>,
    },
}

impl fmt::Display for BlockReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WriterUnknown { changed_in } => {
                write!(
                    f,
                    "its result changed in {changed_in}, and the file does not show whether it is older"
                )
            }
            Self::Value { needs, given: Some(given) } => {
                write!(f, "exact only if {needs}; it is {given}")
            }
            Self::Value { needs, given: None } => {
                write!(f, "exact only if {needs}; the value is known only when the program runs")
            }
            Self::NoForm { change, why: Some(why) } => write!(f, "{change}: {why}"),
            Self::NoForm { change, why: None } => write!(f, "{change}, and nothing older is exact"),
            Self::Misfit(misfit) => write!(f, "{misfit}"),
            Self::Unknown { nearest: Some(nearest) } => write!(f, "not there; {nearest} has it"),
            Self::Unknown { nearest: None } => f.write_str("no known release has it"),
        }
    }
}
