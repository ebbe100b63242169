//! Pickles that are longer than what PyTorch reads of them.

use std::sync::Arc;

use unskew_artifact::{ArtifactFile, Content, OpenOptions, open_content};
use unskew_core::{Context, Date, Verdict, check};
use unskew_releases::named_parties;
use unskew_source::BytesSource;

/// A pickle with two megabytes of numbers in front of a class.
fn pickle(tail: &[u8]) -> Vec<u8> {
    let numbers = vec![7; 2 << 20];
    let head = [b"\x80\x04B".as_slice(), &u32::try_from(numbers.len()).unwrap().to_le_bytes()];
    [&head.concat(), &numbers, tail].concat()
}

fn judged(bytes: Vec<u8>, release: &str) -> Verdict {
    let (name, source) = ("a.pkl".to_owned(), Arc::new(BytesSource::new("a.pkl", bytes)));
    let file = ArtifactFile { name, source, path: None, beside: None };
    let artifact = open_content(&Content::File(file), &OpenOptions::default()).unwrap();
    let (_, release) = named_parties::select(release).unwrap().unwrap().remove(0);
    check(&artifact.pieces[0].party, &release, &Context::on(Date::constant(2026, 11, 30)))
}

#[test]
fn classes_behind_the_numbers_are_judged() {
    let bytes = pickle(b"cpandas.core.indexes.numeric\nInt64Index\n\x86.");
    let verdict = judged(bytes.clone(), "pandas@2.0");
    assert_eq!(verdict.findings[0].rule.code, "CN001");
    assert!(judged(bytes, "pandas@1.5").findings.is_empty());
}

#[test]
fn a_pickle_that_breaks_behind_them_is_not_judged() {
    let verdict = judged(pickle(b"cpandas.core.frame\n"), "pandas@2.0");
    let reasons: Vec<&str> = verdict.unjudged.iter().map(|one| one.reason.as_str()).collect();
    assert!(
        reasons.iter().any(|one| one.contains("the classes that the file looks up")),
        "{reasons:?}"
    );
}
