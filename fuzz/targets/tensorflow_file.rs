//! GraphDefs, MetaGraphDefs and SavedModels as bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(party)) = unskew_tensorflow::party(&source("f.pb", bytes)) {
        judge(&party);
    }
});
