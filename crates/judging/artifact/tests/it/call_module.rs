//! Programs of StableHLO in graphs of TensorFlow.

use std::path::Path;
use std::sync::Arc;

use unskew_artifact::{ArtifactFile, Content, OpenOptions, open_content};
use unskew_core::{Context, Date, Outcome, Phase, Verdict, check};
use unskew_source::BytesSource;

/// A field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        field.push(length as u8 & 0x7f | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    [&field, bytes].concat()
}

fn attr(key: &str, value: &[u8]) -> Vec<u8> {
    field(5, &[field(1, key.as_bytes()), field(2, value)].concat())
}

/// A graph of one `XlaCallModule` of this version, with a program inside.
fn graph(version: u8, program: &[u8]) -> Vec<u8> {
    let node = [
        field(1, b"f"),
        field(2, b"XlaCallModule"),
        attr("version", &[3 << 3, version]),
        attr("module", &field(2, program)),
        attr("Sout", &field(1, b"")),
        attr("Tout", &field(1, b"")),
        attr("Tin", &field(1, b"")),
    ];
    [field(1, &node.concat()), field(4, &[1 << 3, 0xca, 0x0f])].concat()
}

fn judged(version: u8, program: &[u8], release: &str) -> Verdict {
    let source = Arc::new(BytesSource::new("graph.pb", graph(version, program)));
    let file = ArtifactFile { name: "graph.pb".to_owned(), source, path: None, beside: None };
    let artifact = open_content(&Content::File(file), &OpenOptions::default()).unwrap();
    let runtime = unskew_releases::find(release).unwrap().party();
    check(&artifact.pieces[0].party, &runtime, &Context::on(Date::constant(2026, 11, 1)))
}

fn codes(verdict: &Verdict) -> Vec<&str> {
    verdict.findings.iter().map(|finding| finding.rule.code).collect()
}

/// Real releases did the same with SavedModels of one function, of 2.13.1 to 2.21.0.
#[test]
fn a_program_in_a_graph_is_read_by_the_releases_that_read_its_stablehlo_and_its_version() {
    let folder = Path::new(env!("UNSKEW_ROOT")).join("crates/xla/stablehlo/tests/data");
    let program = std::fs::read(folder.join("exp-1.9.0.stablehlo")).unwrap();
    assert_eq!(codes(&judged(9, &program, "tensorflow@2.21")), [""; 0]);
    for (version, release, expected) in [
        (10, "tensorflow@2.19", &["TF316"][..]),
        (3, "tensorflow@2.21", &["TF316"]),
        (9, "tensorflow@2.16", &["SH001"]),
        (9, "tensorflow@2.15", &["SH001", "TF316"]),
    ] {
        let verdict = judged(version, &program, release);
        assert_eq!(verdict.outcome, Outcome::Incompatible, "{version} {release}");
        assert_eq!(verdict.first_failure(), Some(Phase::FirstUse));
        assert_eq!(codes(&verdict), expected, "{version} {release}");
    }
}

#[test]
fn a_program_that_cannot_be_seen_and_a_release_that_was_not_measured_are_not_judged() {
    for (program, release) in [(&b"module {}"[..], "tensorflow@2.19"), (b"", "tensorflow@2.12")] {
        let verdict = judged(9, program, release);
        let open = |one: &unskew_core::Unjudged| one.reason.contains("XlaCallModule");
        assert!(verdict.unjudged.iter().any(open), "{release}: {:?}", verdict.unjudged);
    }
}
