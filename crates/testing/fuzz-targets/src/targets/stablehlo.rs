//! StableHLO: portable artifacts and other MLIR, as bytecode and as text.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let source = source("f.stablehlo", bytes);
    if let Ok(Some(party)) = unskew_stablehlo::party(&source) {
        judge(&party);
    }
    // The program in it, as plug-ins read it.
    if let Ok(program) = unskew_stablehlo::program::Program::read(&*source) {
        assert!(program.functions.iter().all(|function| function.inputs.len() <= bytes.len()));
    }
    // Written anew, it can be written anew.
    let target = unskew_stablehlo::KNOWN;
    if let Ok(done) = unskew_stablehlo::rewrite::rewrite(&source, target, &Default::default()) {
        let again = std::sync::Arc::new(done.output);
        let again: std::sync::Arc<dyn unskew_source::Source> = again;
        assert!(unskew_stablehlo::rewrite::rewrite(&again, target, &Default::default()).is_ok());
    }
}
