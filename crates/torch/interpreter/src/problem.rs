//! Problems of a program that runs.

/// Why a program could not go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunProblem {
    /// The interpreter does not have the operator.
    #[error("the interpreter has no operator of this name: {0}")]
    UnknownOperator(String),
    /// The release has no such operator.
    #[error("PyTorch {release} has no operator that takes this call: {operator}({given})")]
    NotInRelease {
        /// The release that was to be played.
        release: String,
        /// The operator that it does not have.
        operator: String,
        /// The types of what it was given.
        given: String,
    },
    /// No overload takes these arguments.
    #[error("no overload of {operator} takes these arguments: {operator}({given})")]
    NoOverload {
        /// The operator that was called.
        operator: String,
        /// The types of what it was given.
        given: String,
    },
    /// The program raised an exception.
    #[error("the program raised {class}: {message}")]
    Raised {
        /// The class of the exception: `builtins.ValueError`.
        class: String,
        /// The message of the exception.
        message: String,
    },
    /// An operator refuses what it was given, as the operator of PyTorch does.
    #[error("{0}")]
    Refused(String),
    /// The program takes more than it may.
    #[error("the program is over its budget of {limit} {what}")]
    Limit {
        /// What ran out, such as steps or bytes.
        what: &'static str,
        /// The limit, in the unit of what ran out.
        limit: u64,
    },
    /// Something that the interpreter does not do.
    #[error("the interpreter does not have this: {0}")]
    Unsupported(String),
    /// The program makes no sense: a name without a value, a function that is not there.
    #[error("{0}")]
    Malformed(String),
}

/// Why a program could not go on, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{problem}", .place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default())]
pub struct RunError {
    /// The file with line and column, if it is known: `code/__torch__.py:5:12`.
    pub place: Option<String>,
    /// What went wrong at that place.
    pub problem: RunProblem,
}

impl From<RunProblem> for RunError {
    fn from(problem: RunProblem) -> Self {
        Self { place: None, problem }
    }
}

pub(crate) fn refused<T>(what: impl Into<String>) -> Result<T, RunProblem> {
    Err(RunProblem::Refused(what.into()))
}

pub(crate) fn malformed<T>(what: impl Into<String>) -> Result<T, RunProblem> {
    Err(RunProblem::Malformed(what.into()))
}

pub(crate) fn unsupported<T>(what: impl Into<String>) -> Result<T, RunProblem> {
    Err(RunProblem::Unsupported(what.into()))
}
