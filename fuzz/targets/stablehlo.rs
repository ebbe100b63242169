//! StableHLO: portable artifacts and other MLIR, as bytecode and as text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(party)) = unskew_stablehlo::party(&source("f.stablehlo", bytes)) {
        judge(&party);
    }
});
