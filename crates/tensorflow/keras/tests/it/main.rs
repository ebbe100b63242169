//! Tests of the readers on files that real Keras wrote, and on any bytes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod hdf5;
mod hostile;

use std::path::Path;
use std::sync::Arc;

use unskew_source::{FileSource, Source};

/// A file of `tests/data`.
fn file(name: &str) -> Arc<dyn Source> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    Arc::new(FileSource::open(&path).unwrap())
}
