//! The day on which oracles judge.

use unskew_core::Context;

/// Judges as on one day, so that what a command finds does not change with the day of its run.
#[must_use]
pub fn today() -> Context {
    Context::for_tests()
}
