//! The configuration of an adapter.

use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let _ = unskew_peft::party(&source("adapter_config.json", bytes));
}
