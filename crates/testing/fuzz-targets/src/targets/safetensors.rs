//! safetensors: the header, behind its length.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(header: &[u8]) {
    let tensors = [0; 64];
    let file = [&(header.len() as u64).to_le_bytes(), header, &tensors].concat();
    if let Ok(Some(party)) = unskew_torch::party(&source("f.safetensors", &file)) {
        judge(&party);
    }
}
