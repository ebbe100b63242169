//! StableHLO: portable artifacts and other MLIR, as bytecode and as text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::{judge, source};

fuzz_target!(|bytes: &[u8]| {
    let source = source("f.stablehlo", bytes);
    if let Ok(Some(party)) = unskew_stablehlo::party(&source) {
        judge(&party);
    }
    // The program in it, as plug-ins read it.
    if let Ok(program) = unskew_stablehlo::program::Program::read(&*source) {
        assert!(program.functions.iter().all(|function| function.inputs.len() <= bytes.len()));
    }
});
