//! ONNX models, with external data.

use crate::{judge, source};
use unskew_onnx::NeighbourFile;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let beside = |name: &str| {
        let outside = name.len().is_multiple_of(2);
        Some(NeighbourFile { size: 64, link: outside, outside })
    };
    if let Ok(Some(party)) = unskew_onnx::party(&source("f.onnx", bytes)) {
        let party = unskew_onnx::with_external_data(party, Some(&beside));
        judge(&party);
    }
}
