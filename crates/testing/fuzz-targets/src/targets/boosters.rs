//! Models of XGBoost, LightGBM and CatBoost.

use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let _ = unskew_boosters::party(&source("a.ubj", bytes));
}
