//! ONNX models as ONNX Runtime's own flatbuffers, `.ort`.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let mut file = bytes.to_vec();
    file.resize(file.len().max(8), 0);
    file[4..8].copy_from_slice(b"ORTM");
    if let Ok(Some(party)) = unskew_onnx::party(&source("f.ort", &file)) {
        judge(&party);
    }
}
