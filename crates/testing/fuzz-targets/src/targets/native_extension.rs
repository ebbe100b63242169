//! Native extensions of PyTorch and TensorFlow, and pluggable devices: shared objects by what they import and export.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let file = source("_C.cpython-311-x86_64-linux-gnu.so", bytes);
    if let Ok(Some(party)) = unskew_extensions::party(&file) {
        judge(&party);
    }
    if let Ok(Some(party)) = unskew_stream_executor::party(&file) {
        judge(&party);
    }
}
