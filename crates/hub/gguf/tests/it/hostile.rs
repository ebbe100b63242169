//! Any bytes are a file, something else, or an error.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_gguf::{MAGIC, party};
use unskew_source::{BytesSource, Source};

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("a", [&MAGIC[..], &bytes].concat()));
        let is_cut = bytes.len() < 4;
        prop_assert_eq!(party(&source).is_err(), is_cut);
    }
}
