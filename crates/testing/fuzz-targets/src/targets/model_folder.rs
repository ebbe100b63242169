//! The configuration of a model folder, the files beside it, and an index of weights alone.

use crate::source;

/// Gives the bytes to the readers: as a configuration, and as each of the files beside one.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Some(party)) = unskew_transformers::party(&source("config.json", bytes)) {
        let _ = unskew_transformers::with_files(party, &|name| Some(source(name, bytes)));
    }
    let known = source("config.json", br#"{"model_type": "llama"}"#);
    if let Ok(Some(party)) = unskew_transformers::party(&known) {
        let _ = unskew_transformers::with_files(party, &|name| Some(source(name, bytes)));
    }
    let index = source("model.safetensors.index.json", bytes);
    if let Ok(Some(party)) = unskew_transformers::index_party(&index) {
        let _ = unskew_transformers::with_indexed_files(party, &|_| None);
    }
}
