//! Any PyTorch file as it is: archives, pickles, flatbuffers, safetensors.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(party)) = unskew_torch::party(&source("f.pt", bytes)) {
        judge(&party);
    }
});
