//! Any PyTorch file as it is: archives, pickles, flatbuffers, safetensors.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Some(party)) = unskew_torch::party(&source("f.pt", bytes)) {
        judge(&party);
    }
}
