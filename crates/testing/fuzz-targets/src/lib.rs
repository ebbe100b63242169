//! The bodies of the fuzz targets: one for each reader, and for what is made of what was read.
//!
//! A target gives its bytes to the public entry point of one reader. Nothing may panic, overflow, recurse without end or take
//! more memory than a real file of that size would; what is read is then judged, because a file that only just parses is where
//! a verdict stumbles.
//!
//! They are a crate of the workspace, so that whatever renames what they use changes them too. The program that a fuzzing engine
//! runs is in `fuzz/`, a workspace of its own: it chooses the target by its name from [`TARGETS`].
//!
//! ```
//! let name = "torch_file";
//! let (_, target) = unskew_fuzz_targets::TARGETS.iter().find(|(known, _)| *known == name).unwrap();
//! target(b"PK");
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::expect_used, reason = "a panic is what a target finds, and says by")]

pub mod records;
pub mod sides;
pub mod stored;
mod targets;

use std::sync::{Arc, LazyLock};

pub use targets::TARGETS;

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
        let found = |name: &&str| Some(unskew_releases::find(name).ok()?.party());
        NAMES.iter().filter_map(found).collect()
    });
    let context = Context::for_tests();
    for release in RELEASES.iter() {
        let _ = check(party, release, &context);
        let _ = check(release, party, &context);
    }
}
