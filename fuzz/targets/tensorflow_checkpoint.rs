//! The tables that checkpoints are.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    let _ = unskew_tensorflow::read::checkpoint(&*source("f.index", bytes));
    if let Ok(Some(party)) = unskew_tensorflow::party(&source("f.index", bytes)) {
        judge(&party);
    }
});
