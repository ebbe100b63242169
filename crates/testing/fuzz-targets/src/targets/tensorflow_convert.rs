//! Any bytes as a graph that is converted for an old release: the result is read again, and needs nothing more.

use std::sync::Arc;

use unskew_source::{BytesSource, ConvertedArtifact, Source};
use unskew_tensorflow::{GraphConvertOptions, convert};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(release) = unskew_releases::find("tensorflowGraphConvertOptions1.4.1") else { return };
    let Some(runtime) = unskew_releases::tensorflow::runtime_of(release) else { return };
    let file: Arc<dyn Source> = Arc::new(BytesSource::new("graph.pb", bytes));
    let options = GraphConvertOptions::default();
    let Ok(Some((_, ConvertedArtifact::File(once)))) = convert(&file, &runtime, &options) else { return };
    let once: Arc<dyn Source> = once;
    if let Ok(Some((again, _))) = convert(&once, &runtime, &options) {
        assert!(again.changes_nothing(), "{:?}", again.rewrites);
    }
}
