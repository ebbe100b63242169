//! Any bytes are a configuration, something else, or an error.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_peft::party;
use unskew_source::{BytesSource, Source};

const WHOLE: &[u8] =
    br#"{"peft_type": "LORA", "r": 8, "target_modules": ["a"], "loftq_config": {}}"#;

fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
    Arc::new(BytesSource::new("adapter_config.json", bytes))
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(
        cut in 0_usize..80,
        bytes in proptest::collection::vec(any::<u8>(), 0..100),
        back in 0_usize..80,
    ) {
        let head = &WHOLE[..cut.min(WHOLE.len())];
        let tail = &WHOLE[back.min(WHOLE.len())..];
        let _ = party(&source([head, &bytes, tail].concat()));
    }
}

#[test]
fn what_is_nested_too_deep_is_an_error() {
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let text = format!("{{\"peft_type\": \"LORA\", \"a\": {deep}}}");
    let error = party(&source(text.into_bytes())).unwrap_err();
    assert!(error.to_string().contains("adapter_config.json"), "{error}");
}
