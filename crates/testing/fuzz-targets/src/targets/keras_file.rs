//! Files of Keras, HDF5 or archives, and what is converted of them.

use std::sync::LazyLock;

use unskew_core::Version;
use crate::{judge, source};
use unskew_keras::{KerasRelease, KerasConvertOptions};
use unskew_source::{ConvertedArtifact, SourceExt as _};

/// One that reads no archives, the last of Keras 2, and the newest.
static RELEASES: LazyLock<Vec<KerasRelease>> = LazyLock::new(|| {
    let of = |version| unskew_releases::keras::of_tensorflow(version);
    [Version::triple(2, 4, 4), Version::triple(2, 15, 1), Version::triple(2, 21, 0)]
        .into_iter()
        .filter_map(of)
        .collect()
});

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let name = if bytes.starts_with(b"PK") { "f.keras" } else { "f.h5" };
    let file = source(name, bytes);
    if let Ok(Some(party)) = unskew_keras::party(&file) {
        judge(&party);
    }
    for keras in RELEASES.iter() {
        let options = KerasConvertOptions { uncompiled: true };
        let made = unskew_keras::convert(&file, keras, options);
        if let Ok(Some((plan, ConvertedArtifact::File(new)))) = made
            && plan.is_possible()
        {
            // What is written is read again.
            if let Ok(new) = new.all() {
                assert!(unskew_keras::party(&source(name, &new)).is_ok());
            }
        }
    }
}
