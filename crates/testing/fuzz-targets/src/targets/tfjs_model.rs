//! `model.json` of TensorFlow.js, judged by the first and the last release, with shards and without.

use std::sync::LazyLock;

use unskew_core::{Context, Party, check};
use crate::source;

static RELEASES: LazyLock<Vec<std::sync::Arc<Party>>> = LazyLock::new(|| {
    let names = ["tfjs@1.0", "tfjs@4.10", "tfjs@4.22"];
    names.iter().filter_map(|name| Some(unskew_releases::find(name).ok()?.party())).collect()
});

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(Some(party)) = unskew_tfjs::party(&source("model.json", bytes)) else { return };
    let today = Context::for_tests();
    for release in RELEASES.iter() {
        let _ = check(&party, release, &today);
    }
    // Each shard is the file itself, or is not there.
    let whole = unskew_tfjs::with_shards(party, &|path| {
        path.len().is_multiple_of(2).then(|| source(path, bytes))
    });
    for release in RELEASES.iter() {
        let _ = check(&whole, release, &today);
    }
}
