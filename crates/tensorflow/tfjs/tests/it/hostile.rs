//! Any bytes are a model, something else, or an error.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_source::{BytesSource, Source};
use unskew_tfjs::{judge, party};

use crate::models::tfjs;

fn read(bytes: Vec<u8>) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("model.json", bytes));
    let Ok(Some(party)) = party(&source) else { return };
    let model = party.capability::<unskew_tfjs::TfjsModel>().unwrap();
    judge(model, &tfjs("4.22.0"));
}

#[test]
fn a_model_cut_anywhere_or_with_another_byte_does_no_harm() {
    let whole = std::fs::read("tests/data/dense-layers/model.json").unwrap();
    for at in 0..whole.len() {
        read(whole[..at].to_vec());
        for value in [b'"', b'{', b'0', 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            read(bytes);
        }
    }
}

#[test]
fn what_is_nested_deeply_has_an_end() {
    for open in ["[", "{\"class_name\": \"Dense\", \"config\": "] {
        let text =
            r#"{"format": "layers-model", "modelTopology": "#.to_owned() + &open.repeat(100_000);
        read(text.into());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read([&b"{\"modelTopology\": "[..], &bytes].concat());
    }

    #[test]
    fn any_shapes_and_types_are_counted(
        shape in proptest::collection::vec(any::<u64>(), 0..5),
        dtype in "[a-z]{0,4}[0-9]{0,2}",
    ) {
        let weight = format!(r#"{{"name": "w", "shape": {shape:?}, "dtype": "{dtype}"}}"#);
        let text = format!(
            r#"{{"modelTopology": {{"node": []}}, "weightsManifest": [{{"paths": [], "weights": [{weight}]}}]}}"#
        );
        read(text.into());
    }
}
