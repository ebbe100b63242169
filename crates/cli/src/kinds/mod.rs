//! The kinds of files that `unskew lint` and `unskew diff` compare: one line each.

use unskew_lint::kind::{Headers, Kind};

/// Every kind, in the order in which files are recognized.
pub const ALL: &[&dyn Kind] = &[&Headers];
