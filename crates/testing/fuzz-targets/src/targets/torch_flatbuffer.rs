//! Mobile flatbuffers and ExecuTorch programs.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    for magic in [b"PTMF", b"ET12"] {
        let mut file = bytes.to_vec();
        file.resize(file.len().max(8), 0);
        file[4..8].copy_from_slice(magic);
        if let Ok(Some(party)) = unskew_torch::party(&source("f.ff", &file)) {
            judge(&party);
        }
    }
}
