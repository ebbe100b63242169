//! Answers of the verbs of Unskew, as values: for the command, for the Python package, for programs.
//!
//! | function | question | answer |
//! | --- | --- | --- |
//! | [`inspect()`] | what is this, and which versions does it carry? | a [`Report`](unskew_report::Report) with a look at each part |
//! | [`check()`] | do these two work together? | a [`Report`](unskew_report::Report) with a verdict for each pair |
//! | [`matrix()`] | which of many work with which? | a [`Grid`] of verdicts |
//! | [`convert()`] | what does this release accept instead? | a [`Report`](unskew_report::Report) with the plan, and a file |
//! | [`env()`], [`lock()`] | what in this environment breaks at import? | an [`EnvironmentAnswer`] with pins that fix it |
//! | [`explain_text()`] | what does this error mean, and what is to be run next? | an [`Explanation`] |
//! | [`adapt()`] | what does this host accept instead of the plug-in? | an [`Adapted`] plug-in in a folder |
//!
//! A name is a release (`torch@2.1`), a range or a family of releases, a path, or a URI of an object store; [`side()`]
//! says what stands behind one. Nothing here prints, reads arguments or looks at a clock: the caller gives the day
//! in a [`Context`](unskew_core::Context).
//!
//! ```
//! use unskew_core::{Context, Date};
//! use unskew_verbs::{OpenOptions, check};
//!
//! let today = Context::on(Date::constant(2026, 11, 1));
//! let file = tempfile::Builder::new().suffix(".pt").tempfile().unwrap();
//! std::fs::write(file.path(), "no model").unwrap();
//! let error = check(file.path().as_os_str(), &["torch@2.1".into()], &OpenOptions::default(), today).unwrap_err();
//! assert!(error.to_string().contains("not a kind of file that Unskew knows"), "{error}");
//! ```
#![forbid(unsafe_code)]

pub mod adapt;
mod check;
mod conversion_hint;
mod convert;
mod environment_text;
mod environments;
mod error;
mod explain;
mod fetch;
mod grid;
mod index;
mod inspect;
mod matrix;
mod parallel;
pub mod progress;
mod rules;
mod same_role;
mod shell;
mod sides;

pub use adapt::{Adapted, adapt};
pub use check::{check, check_sides};
pub use convert::{ConvertRequest, conversion_target, convert};
pub use environments::{EnvironmentAnswer, EnvironmentHost, env, labels, lock, locks_at};
pub use error::VerbError;
pub use explain::{
    ErrorCause, ErrorMatch, Explanation, FindingHere, KnownError, NextStep, NextVerb, explain_text,
    is_error_text,
};
pub use fetch::Fetched;
pub use grid::{Cell, Grid, GridReason, GridRow};
pub use index::{WheelIndex, index_url};
pub use inspect::inspect;
pub use matrix::{columns, judge, matrix, rows};
pub use rules::rule;
pub use sides::{
    ResolvedParty, ResolvedSide, artifact_side, is_release, neither, of_artifact, options,
    packages_looked_up, side,
};
pub use unskew_artifact::{OpenOptions, RunPolicy, TargetName};
pub use unskew_cuda::{ComputeCapability, DriverVersion};
pub use unskew_environments::{GpuHost, LockTarget, System};
pub use unskew_extensions::Machine;

/// An error and its causes, each on a line; a cause that its error repeats is left out.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(cause) = next {
        let said = cause.to_string();
        if text.is_empty() {
            text = said;
        } else if !text.contains(&said) {
            text.push_str("\n  cause: ");
            text.push_str(&said);
        }
        next = cause.source();
    }
    text
}
