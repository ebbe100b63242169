//! The code of a TorchScript archive: which operators it calls, how, and where.
//!
//! When a file is read its code becomes a [`ScriptProgram`], and [`written`] says which operators it names. Which
//! overload a call means is found when the operators of a release are at hand: [`typed`] groups the calls
//! that mean the same. A runtime resolves *every* call when it loads a file, also in a branch that can never
//! be taken, so nothing is left out; what lies in a branch, and what can never run, is marked as such.

mod callable;
mod constants;
mod element;
mod result_reads;
pub(crate) mod type_names;
mod typed;
mod written;

pub use callable::Callable;
pub(crate) use callable::builtins;
pub(crate) use constants::types as constant_types;
pub(crate) use element::ElementClass;
pub(crate) use typed::{FUNCTIONS, TypedUse, elements, typed};
pub(crate) use written::{classes, written};

use unskew_script::typing::ScriptProgram;

/// Whether one of the records has the line `op_version_set = N`, which files of version 1 have.
pub(crate) fn has_op_version_set(program: &ScriptProgram) -> bool {
    let mut lines = program.records().iter().flat_map(|record| &record.module.body);
    lines.any(|statement| {
        matches!(statement, unskew_script::Statement::Assign { target, .. }
            if target.path().as_deref() == Some("op_version_set"))
    })
}
