//! Any bytes are a file, something else, or an error; what decompresses to too much ends.

use proptest::prelude::*;
use unskew_scikit_learn::{SklearnFile, party};

use crate::files::{estimator, gzip, source, zlib};

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let estimator = estimator("sklearn.svm._classes", "SVC", "1.0.2");
        for start in [vec![], b"\x80\x04".to_vec(), estimator] {
            let whole = [start, bytes.clone()].concat();
            let _ = party(&source(&whole));
            let _ = party(&source(&zlib(&whole)));
        }
    }
}

#[test]
fn compressed_data_that_are_cut_are_an_error() {
    let mut whole = estimator("sklearn.svm._classes", "SVC", "1.0.2");
    whole.extend((0..4000_u32).flat_map(u32::to_le_bytes));
    for packed in [zlib(&whole), gzip(&whole)] {
        let cut = &packed[..packed.len() / 2];
        assert!(SklearnFile::read(&source(cut)).is_err());
    }
}

#[test]
fn a_bomb_is_refused_by_its_size() {
    let mut bomb = estimator("sklearn.svm._classes", "SVC", "1.0.2");
    bomb.resize(140 << 20, 0);
    let error = SklearnFile::read(&source(&zlib(&bomb))).unwrap_err().to_string();
    assert!(error.contains("over the budget"), "{error}");
}
