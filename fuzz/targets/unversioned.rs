//! Formats whose versions are only shown: GGUF, TensorFlow Lite, weights of Keras.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_artifact::{ArtifactFile, Content, OpenOptions, open_content};
use unskew_fuzz::source;

fuzz_target!(|bytes: &[u8]| {
    for (name, magic, at) in [("f.gguf", &b"GGUF"[..], 0), ("f.tflite", &b"TFL3"[..], 4)] {
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
});
