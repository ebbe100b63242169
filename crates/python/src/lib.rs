//! Unskew as a Python module: `unskew._native`, on which the package `unskew` is made.
//!
//! # The path of the data
//!
//! ```text
//! Python value ─▶ input ─▶ verbs (a thread without Python's lock) ─▶ Report ─▶ JSON ─▶ frozen dataclasses
//! ```
//!
//! What is judged, and how, stands in `unskew-verbs`, which the command uses too; what a result says as JSON, in
//! `unskew-report`. This crate adds only what Python needs, and the classes that people see are made of the JSON, in
//! Python. So `to_dict()` is the document that the command prints, and nothing is said twice.
//!
//! | module | subject |
//! | --- | --- |
//! | `input` | a path, a name, bytes or a file object as something to open |
//! | `work` | a thread for the work, while the caller waits for signals and tells of progress |
//! | `errors` | the exceptions |
//! | `report` | a report, a matrix: their JSON and their texts |
//! | `verbs` | `check`, `inspect`, `matrix`, `convert`, `adapt` |
//! | `facts` | the database of releases, the rules |
//!
//! # What it promises
//!
//! * One binary for every CPython since 3.9: the stable ABI of 3.9 (`abi3`).
//! * Python's lock is not held while Unskew works. Ctrl-C ends the call at once; what was begun ends at its next step.
//! * Nothing is printed, and no clock is read: the day on which promises are judged is an argument.
//!
//! # What it refuses
//!
//! * A file object that cannot seek, and one in text mode.
//! * To run a plug-in in this process. What has to run one starts the command `unskew`, whose path the caller gives,
//!   in its sandbox; without one, plug-ins are only read, and the result says so.
//! * A result without an answer is an exception; two things that do not work together are no exception.
//!
//! The watchdog of the command, which ends a process that takes too much memory, is not here: it would end Python. The
//! budgets of the readers hold all the same.
#![forbid(unsafe_code)]

mod errors;
mod facts;
mod input;
mod report;
mod verbs;
mod work;

use pyo3::prelude::*;

/// What `unskew` is made on; see `unskew/_native.pyi`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::errors::{
        AdaptError, ConversionError, QuestionError, ReadError, ReleaseError, UnknownFormat,
        UnskewError, WriteError,
    };
    #[pymodule_export]
    use super::facts::{
        adapter_name, explain_text, is_error_text, operators, release, releases, rule, rules,
    };
    #[pymodule_export]
    use super::report::{Matrix, Report, shown, shown_lines};
    #[pymodule_export]
    use super::verbs::{adapt, check, convert, inspect, matrix};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
