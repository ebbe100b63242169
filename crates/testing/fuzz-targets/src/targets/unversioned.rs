//! Formats whose versions are only shown: TensorFlow Lite, HDF5 without a model of Keras.

use unskew_artifact::{Content, OpenOptions, ArtifactFile, open_content};
use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    for (name, magic, at) in [("f.tflite", &b"TFL3"[..], 4)] {
        let mut file = bytes.to_vec();
        file.resize(file.len().max(8), 0);
        file[at..at + magic.len()].copy_from_slice(magic);
        let part = ArtifactFile {
            name: name.to_owned(),
            source: source(name, &file),
            path: None,
            beside: None,
        };
        let _ = open_content(&Content::File(part), &OpenOptions::default());
    }
}
