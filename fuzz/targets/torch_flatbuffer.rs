//! Mobile flatbuffers and ExecuTorch programs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    for magic in [b"PTMF", b"ET12"] {
        let mut file = bytes.to_vec();
        file.resize(file.len().max(8), 0);
        file[4..8].copy_from_slice(magic);
        if let Ok(Some(party)) = unskew_torch::party(&source("f.ff", &file)) {
            judge(&party);
        }
    }
});
