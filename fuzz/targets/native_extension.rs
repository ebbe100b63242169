//! Native extensions of PyTorch and TensorFlow, and pluggable devices: shared objects by what they import and export.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    let file = source("_C.cpython-311-x86_64-linux-gnu.so", bytes);
    if let Ok(Some(party)) = unskew_extensions::party(&file) {
        judge(&party);
    }
    if let Ok(Some(party)) = unskew_stream_executor::party(&file) {
        judge(&party);
    }
});
