//! ONNX models as ONNX Runtime's own flatbuffers, `.ort`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    let mut file = bytes.to_vec();
    file.resize(file.len().max(8), 0);
    file[4..8].copy_from_slice(b"ORTM");
    if let Ok(Some(party)) = unskew_onnx::party(&source("f.ort", &file)) {
        judge(&party);
    }
});
