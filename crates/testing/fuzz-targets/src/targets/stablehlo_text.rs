//! MLIR text of StableHLO programs: what is read is bytecode that has a text, which is read again.

use std::sync::Arc;

use crate::{judge, source};
use unskew_source::Source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let text = source("f.mlir", bytes);
    if let Ok(Some(party)) = unskew_stablehlo::party(&text) {
        judge(&party);
    }
    let Ok(made) = unskew_stablehlo::parse::bytecode(&*text) else { return };
    let made: Arc<dyn Source> = Arc::new(made);
    let mut out = Vec::new();
    if unskew_stablehlo::print::text(&made, &Default::default(), &mut out).is_ok() {
        let _ = unskew_stablehlo::parse::bytecode(&*source("f.mlir", &out));
    }
}
