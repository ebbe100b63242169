//! Images of containers: a tar file with a layer from the records, judged as the environment in it.

use std::sync::LazyLock;

use tempfile::TempDir;
use unskew_core::Context;
use unskew_environments::{Image, judge};
use crate::records;

/// The most files of one input: writing them is what takes time.
const FILES: usize = 30;

const MANIFEST: &[u8] = br#"[{"Config":"config.json","RepoTags":["f:1"],"Layers":["layer.tar"]}]"#;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a folder"));
    let files: Vec<_> = records::parse(bytes).into_iter().take(FILES).collect();
    let Some(layer) = records::tar(&files) else { return };
    // The layer as it is made of records, and the bytes themselves.
    for layer in [&layer[..], bytes] {
        let all = [("manifest.json", MANIFEST), ("config.json", b"{}"), ("layer.tar", layer)];
        let all: Vec<_> = all.into_iter().map(|(name, file)| (name.to_owned(), file)).collect();
        let Some(image) = records::tar(&all) else { return };
        let path = FOLDER.path().join("image.tar");
        if std::fs::write(&path, image).is_err() {
            return;
        }
        let Ok(image) = Image::open(&path) else { continue };
        if let Ok(environment) = image.environment() {
            let _ = judge(&environment, &Context::for_tests());
        }
    }
}
