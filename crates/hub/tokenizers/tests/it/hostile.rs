//! Any bytes are a file, something else, or an error.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_source::{BytesSource, Source};
use unskew_tokenizers::party;

const WHOLE: &[u8] = br#"{"version": "1.0", "added_tokens": [{"id": 1, "content": "A", "normalized": true}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}, "pre_tokenizer": null,
    "model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]}}"#;

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("tokenizer.json", bytes))
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(
        cut in 0_usize..400,
        bytes in proptest::collection::vec(any::<u8>(), 0..100),
        back in 0_usize..400,
    ) {
        let head = &WHOLE[..cut.min(WHOLE.len())];
        let tail = &WHOLE[back.min(WHOLE.len())..];
        let _ = party(&source([head, &bytes, tail].concat()));
    }

    #[test]
    fn a_file_that_is_cut_is_an_error_or_something_else(cut in 0_usize..WHOLE.len()) {
        prop_assert!(!matches!(party(&source(WHOLE[..cut].to_vec())), Ok(Some(_))));
    }
}

#[test]
fn what_is_nested_too_deep_is_an_error() {
    let deep = |count: usize| format!("{}{}", "[".repeat(count), "]".repeat(count));
    for place in ["\"normalizer\":", "\"added_tokens\":", "\"model\":{\"xyz\":"] {
        let end = if place.ends_with("xyz\":") { "}}" } else { "}" };
        let text = format!(
            "{{\"version\":\"1.0\",\"added_tokens\":[],\"model\":{{}},{place}{}{end}",
            deep(5000)
        );
        let error = party(&source(text.into_bytes())).unwrap_err();
        assert!(error.to_string().contains("tokenizer.json"), "{error}");
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let mut bytes = br#"{"version":"1.0","added_tokens":[],"model":{"vocab":""#.to_vec();
    bytes.resize(65 << 20, b'a');
    let error = party(&source(bytes)).unwrap_err();
    assert!(error.to_string().contains("over the budget"), "{error}");
}
