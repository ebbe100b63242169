//! The configuration of a model folder, and the files beside it.

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
}
