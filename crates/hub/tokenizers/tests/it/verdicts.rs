//! What a release makes of a file.

use std::sync::Arc;

use unskew_core::{Context, Date, Verdict, check};
use unskew_source::{BytesSource, Source};
use unskew_tokenizers::{TokenizersNames, TokenizersRelease, party};

pub(crate) const NAMES: &str = "#releases\t0.14.1 0.15.2 0.19.1 0.20.0
BPE(model)\t0.14.1-
ByteLevel(normalizer)\t0.20.0-
Metaspace(pre_tokenizer)\t0.14.1-
Sequence(normalizer)\t0.14.1-
model.BPE(fails: dropout=0)\t0.14.1-0.19.1
model.BPE(fails: merges=pairs)\t0.14.1-0.19.1
model.BPE(field dropout)\t0.14.1-
model.BPE(field ignore_merges)\t0.19.1-
model.BPE(field merges)\t0.14.1-
model.BPE(field vocab)\t0.14.1-
model.BPE(ids: ignore_merges=true)\t0.14.1-0.15.2
model.BPE(value merges=pairs)\t0.14.1-
normalizer.ByteLevel(fails: any)\t0.14.1-0.19.1
normalizer.Other(fails: any)\t0.14.1-
normalizer.Sequence(field normalizers)\t0.14.1-
pre_tokenizer.Metaspace(fails: -add_prefix_space)\t0.14.1-0.15.2
pre_tokenizer.Metaspace(fails: -prepend_scheme & add_prefix_space=false)\t0.19.1-
pre_tokenizer.Metaspace(field add_prefix_space)\t0.14.1-
pre_tokenizer.Metaspace(field prepend_scheme)\t0.15.2-
pre_tokenizer.Metaspace(field replacement)\t0.14.1-
pre_tokenizer.Metaspace(field split)\t0.19.1-
pre_tokenizer.Metaspace(ids: split=false)\t0.14.1-0.15.2
pre_tokenizer.Metaspace(value prepend_scheme=always)\t0.14.1-
pre_tokenizer.Metaspace(value prepend_scheme=first)\t0.14.1-
pre_tokenizer.Metaspace(value prepend_scheme=never)\t0.14.1-
top(fails: +)\t0.14.1-
top(field added_tokens)\t0.14.1-
top(field model)\t0.14.1-
top(field normalizer)\t0.14.1-
top(field pre_tokenizer)\t0.14.1-
";

pub(crate) fn release(version: &str) -> TokenizersRelease {
    TokenizersRelease {
        version: version.parse().unwrap(),
        released: Date::constant(2026, 11, 1),
        names: Arc::new(TokenizersNames::from_text(NAMES).unwrap()),
    }
}

pub(crate) fn source(sections: &str) -> Arc<dyn Source> {
    let text = format!("{{\"added_tokens\": [], {sections}}}");
    Arc::new(BytesSource::new("tokenizer.json", text.into_bytes()))
}

fn verdict(sections: &str, version: &str) -> Verdict {
    let file = party(&source(sections)).unwrap().unwrap();
    let release = release(version);
    check(&file, &release.party(), &Context::on(release.released))
}

fn codes(sections: &str, version: &str) -> Vec<&'static str> {
    verdict(sections, version).findings.iter().map(|one| one.rule.code).collect()
}

#[test]
fn merges_as_pairs_are_read_from_the_release_on_that_writes_them() {
    let pairs = r#""model": {"type": "BPE", "vocab": {}, "merges": [["a", "b"]]}"#;
    assert_eq!(codes(pairs, "0.19.1"), ["TK002"]);
    assert!(codes(pairs, "0.20.0").is_empty());
    let finding = &verdict(pairs, "0.19.1").findings[0];
    assert!(finding.message.contains("merges as pairs"), "{}", finding.message);
    assert!(finding.symptom.as_deref().is_some_and(|text| text.ends_with("ModelWrapper")));
    assert_eq!(finding.fix.as_deref(), Some("Install tokenizers 0.20.0 or later."));
}

#[test]
fn a_component_is_judged_inside_of_a_sequence_and_one_that_no_release_has_is_unknown_to_all() {
    let inside = |kind: &str| {
        format!(
            r#""normalizer": {{"type": "Sequence", "normalizers": [{{"type": "{kind}"}}]}}, "model": {{"type": "BPE"}}"#
        )
    };
    assert_eq!(codes(&inside("ByteLevel"), "0.19.1"), ["TK001"]);
    assert!(codes(&inside("ByteLevel"), "0.20.0").is_empty());
    assert_eq!(codes(&inside("Tomorrow"), "0.20.0"), ["TK001"]);
}

#[test]
fn a_field_that_is_passed_over_gives_other_ids_only_where_it_says_something() {
    let merges = |value: &str| format!(r#""model": {{"type": "BPE", "ignore_merges": {value}}}"#);
    assert_eq!(codes(&merges("true"), "0.15.2"), ["TK003"]);
    assert!(codes(&merges("false"), "0.15.2").is_empty());
    assert!(codes(&merges("true"), "0.19.1").is_empty());
}

#[test]
fn a_field_that_no_release_has_is_not_judged_and_a_key_of_the_file_is_refused() {
    let field = r#""model": {"type": "BPE", "tomorrow": 1}"#;
    let found = verdict(field, "0.20.0");
    assert!(found.findings.is_empty());
    assert!(found.unjudged.iter().any(|one| one.reason.contains("tomorrow")));
    assert_eq!(codes(r#""model": {"type": "BPE"}, "tomorrow": 1"#, "0.20.0"), ["TK002"]);
}

#[test]
fn what_has_no_type_is_not_judged() {
    let found = verdict(r#""model": {"vocab": {}}"#, "0.20.0");
    assert!(found.findings.is_empty() && !found.unjudged.is_empty());
}
