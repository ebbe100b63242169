//! Models that were packed as a zip or a tar file, from their records.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_artifact::{ArtifactFile, Content, OpenOptions, open_content};
use unskew_fuzz::{records, source};

fuzz_target!(|bytes: &[u8]| {
    let files = records::parse(bytes);
    for (name, file) in [("f.zip", records::archive(&files)), ("f.tar", records::tar(&files))] {
        let Some(file) = file else { continue };
        let part = ArtifactFile {
            name: name.to_owned(),
            source: source(name, &file),
            path: None,
            beside: None,
        };
        let _ = open_content(&Content::File(part), &OpenOptions::default());
    }
});
