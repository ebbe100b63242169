//! Pairs of files with what real protobuf 3.20.3 and 6.33.6 did with bytes of the other state: the verdicts say the same.
//!
//! `cargo lab proto-differential --file` puts a pair here, made as small as it gets, when a verdict does not hold.

use std::fs;
use std::path::Path;

use unskew_core::Severity;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_protobuf::Protobuf;
use unskew_source::Files;

/// Errors that say that bytes are read as something else.
const ABOUT_BYTES: [&str; 5] = ["PB101", "PB201", "PB202", "PB203", "PB305"];

/// The gravest finding about a pair, and whether one of them is an error about bytes.
fn said(folder: &Path) -> (Option<Severity>, bool) {
    let side = |name: &str| {
        Files::from_iter([("m.proto", fs::read_to_string(folder.join(name)).unwrap())])
    };
    let found =
        Protobuf.compare(&side("old.proto"), &side("new.proto"), &CompareOptions::default());
    let found = found.unwrap();
    let findings = || found.changes.iter().map(|change| &change.finding);
    let about =
        findings().any(|it| it.severity == Severity::Error && ABOUT_BYTES.contains(&it.rule.code));
    (findings().map(|it| it.severity).max(), about)
}

#[test]
fn a_verdict_says_what_real_runtimes_did_with_the_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let pair = entry.unwrap().path();
        let truth = fs::read_to_string(pair.join("truth")).unwrap();
        let (most, about) = said(&pair);
        match truth.as_str() {
            "backward true\nforward true\n" | "backward true\nforward false\n" => {
                assert_eq!(most, Some(Severity::Error), "{}", pair.display());
            }
            "backward false\nforward true\n" => {
                assert!(most >= Some(Severity::Warning), "{}", pair.display());
            }
            "backward false\nforward false\n" => assert!(!about, "{}", pair.display()),
            other => panic!("{}: {other}", pair.display()),
        }
        count += 1;
    }
    assert!(count >= 6, "{count}");
}
