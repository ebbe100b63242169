//! ONNX models as text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(party)) = unskew_onnx::party(&source("f.onnxtxt", bytes)) {
        judge(&party);
    }
});
