//! `tokenizer.json`.

use std::sync::Arc;

use unskew_core::Date;
use unskew_tokenizers::{TokenizersNames, TokenizersRelease};

use crate::source;

/// A few rows, one for each kind of condition.
const NAMES: &str = "#releases\t0.19.1 0.20.0
BPE(model)\t0.19.1-
Metaspace(decoder)\t0.19.1-
decoder.Metaspace(fails: -add_prefix_space)\t0.19.1
decoder.Other(fails: any)\t0.19.1-
model.BPE(fails: merges=pairs)\t0.19.1
model.BPE(field merges)\t0.19.1-
model.BPE(value merges=pairs)\t0.19.1-
";

/// Gives the bytes to the reader, and converts what is read for a release that reads no pairs.
pub(crate) fn run(bytes: &[u8]) {
    let source = source("tokenizer.json", bytes);
    let read = unskew_tokenizers::party(&source);
    let (Ok(Some(_)), Ok(names)) = (read, TokenizersNames::from_text(NAMES)) else { return };
    let release = TokenizersRelease {
        version: unskew_core::Version::triple(0, 19, 1),
        released: Date::constant(2024, 4, 17),
        names: Arc::new(names),
    };
    let _ = unskew_tokenizers::convert(&source, &release);
}
