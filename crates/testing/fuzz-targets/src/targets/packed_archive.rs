//! Models that were packed as a zip or a tar file, from their records.

use unskew_artifact::{Content, OpenOptions, ArtifactFile, open_content};
use crate::{records, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
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
}
