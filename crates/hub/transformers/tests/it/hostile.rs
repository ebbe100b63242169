//! Any bytes are a file of a folder, something else, or an error.

use std::sync::Arc;

use proptest::prelude::*;
use unskew_source::{BytesSource, Source};
use unskew_transformers::{index_party, party, with_files, with_indexed_files};

fn source(name: &str, bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(BytesSource::new(name, bytes.to_vec()))
}

proptest! {
    #[test]
    fn any_bytes_beside_a_configuration_are_read_to_an_end(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        cut in 0_usize..120,
    ) {
        let whole = br#"{"model_type": "a", "rope_scaling": {"type": "b"}, "auto_map": {}, "architectures": ["c"]}"#;
        let _ = party(&source("config.json", &whole[..cut.min(whole.len())]));
        let folder = party(&source("config.json", whole)).unwrap().unwrap();
        let folder = with_files(folder, &|name| Some(source(name, &bytes)));
        prop_assert!(!folder.requires.is_empty());
    }
}

#[test]
fn a_configuration_that_is_nested_too_deep_is_an_error() {
    let text = format!(r#"{{"model_type": "a", "b": {}1{}}}"#, "[".repeat(1000), "]".repeat(1000));
    let error = party(&source("config.json", text.as_bytes())).unwrap_err();
    assert!(error.to_string().contains("config.json"), "{error}");
}

#[test]
fn an_index_that_names_files_elsewhere_finds_none_of_them() {
    let folder = party(&source("config.json", br#"{"model_type": "a"}"#)).unwrap().unwrap();
    let index =
        br#"{"weight_map": {"a": "../../etc/passwd", "b": "/etc/passwd", "c": "x.safetensors"}}"#;
    let asked = std::cell::RefCell::new(Vec::new());
    let folder = with_files(folder, &|name| {
        asked.borrow_mut().push(name.to_owned());
        (name == "model.safetensors.index.json").then(|| source(name, index))
    });
    assert!(asked.borrow().iter().all(|name| !name.contains('/')), "{asked:?}");
    let files = folder.capability::<unskew_transformers::ModelFolder>().unwrap().files.clone();
    assert_eq!(files.unwrap().weights.missing.count(), 3);
}

#[test]
fn an_index_alone_asks_for_no_file_elsewhere_and_not_for_endless_many() {
    let asked = std::cell::RefCell::new(Vec::new());
    let beside = |name: &str| {
        asked.borrow_mut().push(name.to_owned());
        None
    };
    let look = |text: &str| {
        asked.borrow_mut().clear();
        let index = source("model.safetensors.index.json", text.as_bytes());
        let party = index_party(&index).unwrap().unwrap();
        with_indexed_files(party, &beside)
    };
    let party = look(r#"{"weight_map": {"a": "../x.safetensors", "b": "y.safetensors", "c": 1}}"#);
    assert_eq!(*asked.borrow(), ["y.safetensors"]);
    assert_eq!(party.notes[0].rule.code, "HF011");
    let many: Vec<String> =
        (0..5000).map(|number| format!(r#""{number}": "{number}.bin""#)).collect();
    let party = look(&format!(r#"{{"weight_map": {{{}}}}}"#, many.join(",")));
    assert_eq!(asked.borrow().len(), 4096);
    assert_eq!(party.notes[0].rule.code, "HF011");
    let broken = source("a.index.json", b"{");
    assert!(index_party(&broken).is_err());
    assert!(index_party(&source("a.json", b"{")).unwrap().is_none());
}
