//! GraphDefs, MetaGraphDefs and SavedModels as bytes.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Some(party)) = unskew_tensorflow::party(&source("f.pb", bytes)) {
        judge(&party);
    }
}
