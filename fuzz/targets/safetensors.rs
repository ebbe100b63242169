//! safetensors: the header, behind its length.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|header: &[u8]| {
    let tensors = [0; 64];
    let file = [&(header.len() as u64).to_le_bytes(), header, &tensors].concat();
    if let Ok(Some(party)) = unskew_torch::party(&source("f.safetensors", &file)) {
        judge(&party);
    }
});
