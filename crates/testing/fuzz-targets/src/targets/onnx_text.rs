//! ONNX models as text.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Some(party)) = unskew_onnx::party(&source("f.onnxtxt", bytes)) {
        judge(&party);
    }
}
