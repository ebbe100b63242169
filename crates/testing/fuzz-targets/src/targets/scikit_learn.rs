//! A model of scikit-learn.

use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let _ = unskew_scikit_learn::party(&source("a.joblib", bytes));
}
