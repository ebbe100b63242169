//! A GGUF file.

use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let _ = unskew_gguf::party(&source("a.gguf", bytes));
}
