//! Formats whose versions are only shown: TensorFlow Lite.

use unskew_artifact::{ArtifactFile, Content, OpenOptions, open_content};

use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let name = "f.tflite";
    let mut file = bytes.to_vec();
    file.resize(file.len().max(8), 0);
    // What says that it is one.
    file[4..8].copy_from_slice(b"TFL3");
    let part = ArtifactFile {
        name: name.to_owned(),
        source: source(name, &file),
        path: None,
        beside: None,
    };
    let _ = open_content(&Content::File(part), &OpenOptions::default());
}
