//! What the fuzz targets share.
//!
//! A target gives its bytes to the public entry point of one reader. Nothing may panic, overflow,
//! recurse without end or take more memory than a real file of that size would; what is read is
//! then judged, because a file that only just parses is where a verdict stumbles.
//!
//! ```text
//! cargo run --example seeds                        # fills corpus/ from the data of the tests
//! cargo +nightly fuzz run torch_records -- -max_total_time=600 -rss_limit_mb=2048
//! ```
#![forbid(unsafe_code)]

pub mod records;
pub mod sides;
pub mod stored;

use std::sync::{Arc, LazyLock};

use unskew_core::{Context, Party, check};
use unskew_source::{BytesSource, Source};

/// The bytes as a file of this name.
pub fn source(name: &str, bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, bytes))
}

/// Judges `party` against the first and the last release of each family, and the other way round.
pub fn judge(party: &Party) {
    static RELEASES: LazyLock<Vec<Arc<Party>>> = LazyLock::new(|| {
        const NAMES: [&str; 9] = [
            "torch@1.4",
            "torch@2.15",
            "tensorflow@1.15",
            "tensorflow@2.21",
            "jax@0.4",
            "jax@0.10",
            "onnxruntime@1.8",
            "onnxruntime@1.32",
            "onnx@1.23",
        ];
        NAMES.iter().filter_map(|name| Some(unskew_releases::find(name).ok()?.party())).collect()
    });
    let context = Context::for_tests();
    for release in RELEASES.iter() {
        let _ = check(party, release, &context);
        let _ = check(release, party, &context);
    }
}
