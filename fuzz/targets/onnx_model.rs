//! ONNX models and files of the format `.ort`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(party)) = unskew_onnx::party(&source("f.onnx", bytes)) {
        let party = unskew_onnx::with_external_data(party, Some(&|_| Some(64)));
        judge(&party);
    }
});
