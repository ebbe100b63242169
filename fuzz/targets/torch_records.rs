//! A PyTorch archive whose records are changed and whose checksums are right.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, records, source};

fuzz_target!(|bytes: &[u8]| {
    let Some(archive) = records::archive(&records::parse(bytes)) else { return };
    if let Ok(Some(party)) = unskew_torch::party(&source("f.pt", &archive)) {
        judge(&party);
    }
});
