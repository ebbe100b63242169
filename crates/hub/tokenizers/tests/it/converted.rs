//! A file made anew for a release says the same, or is not made.

use unskew_source::{ConvertedArtifact, Source, SourceExt as _};
use unskew_tokenizers::convert;

use crate::verdicts::{release, source};

/// What comes of the file for a release; none where something stands in the way.
fn converted(sections: &str, version: &str) -> Option<String> {
    let (plan, output) = convert(&source(sections), &release(version)).unwrap().unwrap();
    let ConvertedArtifact::File(output) = output else { panic!("a folder") };
    let source: &dyn Source = &*output;
    plan.is_possible().then(|| String::from_utf8(source.all().unwrap()).unwrap())
}

#[test]
fn pairs_become_texts_and_all_else_stays_as_it_is() {
    let file = r#""normalizer":  null, "model": {"type":"BPE", "vocab": {"é": 1},"merges": [["a", "b"], ["c", "d"]]}"#;
    let made = converted(file, "0.19.1").unwrap();
    assert!(made.contains(r#""normalizer":  null"#), "{made}");
    assert!(made.contains(r#""merges":["a b","c d"]"#), "{made}");
    assert!(made.contains(r#""vocab":{"é": 1}"#), "{made}");
    assert_eq!(converted(&file.replace("\"d\"", "\" \""), "0.19.1"), None);
}

#[test]
fn what_a_release_reads_is_not_changed() {
    let made = converted(r#""model": {"type": "BPE", "merges": [["a", "b"]]}"#, "0.20.0").unwrap();
    assert!(made.contains(r#"[["a", "b"]]"#));
}

#[test]
fn both_fields_of_metaspace_say_the_same() {
    let file = |fields: &str| {
        format!(
            r#""pre_tokenizer": {{"type": "Metaspace", "replacement": "_", {fields}}}, "model": {{"type": "BPE"}}"#
        )
    };
    let made = converted(&file(r#""prepend_scheme": "always", "split": true"#), "0.15.2").unwrap();
    assert!(made.contains(r#""add_prefix_space":true"#), "{made}");
    let made = converted(&file(r#""add_prefix_space": false"#), "0.20.0").unwrap();
    assert!(made.contains(r#""prepend_scheme":"never""#), "{made}");
    assert_eq!(converted(&file(r#""prepend_scheme": "first""#), "0.14.1"), None);
    assert_eq!(converted(&file(r#""prepend_scheme": "always", "split": false"#), "0.15.2"), None);
}

#[test]
fn what_is_ignored_stands_in_the_way() {
    assert_eq!(converted(r#""model": {"type": "BPE", "ignore_merges": true}"#, "0.15.2"), None);
}
