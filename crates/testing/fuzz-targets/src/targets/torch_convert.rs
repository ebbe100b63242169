//! Any PyTorch file, converted for the newest release and for one of 2023.

use crate::source;
use unskew_source::{ConvertedArtifact, SourceExt};
use unskew_torch::TorchConvertOptions;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    for name in ["torch@2.15", "torch@2.1"] {
        let Ok(release) = unskew_releases::find(name) else { continue };
        let Some(runtime) = unskew_releases::torch::runtime(release.row()) else { continue };
        let converted = unskew_torch::convert(
            &source("f.pt", bytes),
            &runtime,
            &TorchConvertOptions::default(),
        );
        if let Ok(Some((plan, ConvertedArtifact::File(output)))) = converted
            && plan.is_possible()
        {
            // What is planned without a blocker is a file that can be read.
            let result = output.all().unwrap_or_default();
            assert!(unskew_torch::read(&source("result.pt", &result)).is_ok());
        }
    }
}
