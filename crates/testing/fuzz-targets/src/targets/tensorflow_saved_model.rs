//! Any bytes as the graphs of a SavedModel with a fingerprint, converted for an old release as a folder: what comes
//! out is converted again, and then needs nothing more.

use std::sync::Arc;

use unskew_source::{BytesSource, ConvertedArtifact, Source};
use unskew_tensorflow::convert::VersionOptions;
use unskew_tensorflow::{GraphConvertOptions, convert_saved_model};

/// A fingerprint of no folder: the hashes of whatever is there are computed to find that out.
const FINGERPRINT: [u8; 4] = [0x08, 1, 0x10, 1];

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(release) = unskew_releases::find("tensorflowGraphConvertOptions1.15.0") else { return };
    let Some(runtime) = unskew_releases::tensorflow::runtime_of(release) else { return };
    let file = |name: &str, bytes: &[u8]| -> (String, Arc<dyn Source>) {
        (name.to_owned(), Arc::new(BytesSource::new(name, bytes.to_vec())))
    };
    let folder = [file("saved_model.pb", bytes), file("fingerprint.pb", &FINGERPRINT)];
    let versions = VersionOptions { producer: Some(7), ..VersionOptions::default() };
    let options = GraphConvertOptions { versions, ..GraphConvertOptions::default() };
    let Ok(Some((_, ConvertedArtifact::Folder(once)))) = convert_saved_model(&folder, &runtime, &options)
    else {
        return;
    };
    let once: Vec<(String, Arc<dyn Source>)> =
        once.into_iter().map(|(path, file)| (path, file as Arc<dyn Source>)).collect();
    if let Ok(Some((again, _))) = convert_saved_model(&once, &runtime, &options) {
        assert!(again.changes_nothing(), "{:?}", again.rewrites);
    }
}
