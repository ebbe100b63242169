//! Any bytes are an artifact or an error.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use unskew_core::{Context, Party, Role, Version, check};
use unskew_source::{BytesSource, Source};

/// Real files, one of each format.
const FILES: [&str; 5] = [
    "add-0.9.0.stablehlo",
    "add-0.12.0.stablehlo",
    "several-1.7.0.stablehlo",
    "f4-1.22.0.stablehlo",
    "plain.mlirbc",
];

fn file(index: usize) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read(folder.join(FILES[index % FILES.len()])).unwrap()
}

/// Reads the bytes and judges what they are.
fn judge(bytes: Vec<u8>) {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("any.mlir", bytes));
    if let Ok(Some(party)) = unskew_stablehlo::party(&source) {
        for version in
            [Version::triple(0, 9, 0), Version::triple(1, 7, 8), Version::number(i64::MAX)]
        {
            let reader = Party::new("r", Role::Runtime, "reader");
            let reader = unskew_stablehlo::reader(reader, version);
            check(&party, &reader, &Context::for_tests());
        }
    }
}

/// The header of an artifact, and what is to follow.
fn artifact(producer: &str, rest: &[u8]) -> Vec<u8> {
    [b"ML\xefR\x0d", producer.as_bytes(), b"\0", rest].concat()
}

fn error(bytes: Vec<u8>) -> String {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("a.stablehlo", bytes));
    unskew_stablehlo::party(&source).unwrap_err().to_string()
}

#[test]
fn huge_numbers_are_refused_where_they_stand() {
    let huge = [0, 255, 255, 255, 255, 255, 255, 255, 255];
    let strings = artifact("StableHLO_v1.0.0", &[&[0][..], &huge].concat());
    assert!(error(strings).starts_with("a.stablehlo, byte 32: ends after"), "section");
    let count = artifact("StableHLO_v1.0.0", &[&[0, 19][..], &huge].concat());
    assert!(error(count).contains("18446744073709551615 texts in 0 bytes"));
    let aligned = artifact("StableHLO_v1.0.0", &[&[0x80, 3][..], &huge].concat());
    assert!(error(aligned).contains("byte"));
}

#[test]
fn a_producer_without_end_is_refused() {
    let long = artifact(&"x".repeat(1 << 20), &[]);
    assert!(error(long).contains("a text of more than 1024 bytes"));
}

#[test]
fn a_format_from_the_future_is_not_guessed_at() {
    let mut bytes = file(2);
    bytes[4] = 7 << 1 | 1;
    assert!(error(bytes).contains("MLIR bytecode of format 7; formats up to 6 are read"));
}

#[test]
fn every_shorter_file_is_refused() {
    for index in 0..FILES.len() {
        let whole = file(index);
        for len in 4..whole.len() {
            let source: Arc<dyn Source> = Arc::new(BytesSource::new("a", whole[..len].to_vec()));
            let read = unskew_stablehlo::party(&source);
            assert!(read.is_err() || sections_end_at(&whole, len), "{index} at {len}");
        }
    }
}

/// A file that is cut where a section ends lacks whole sections, some of which nobody reads.
fn sections_end_at(whole: &[u8], len: usize) -> bool {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("a", whole[..len].to_vec()));
    matches!(unskew_stablehlo::Bytecode::read(&*source), Ok(read) if !read.dialects.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_judged_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        judge(bytes);
    }

    #[test]
    fn any_bytes_behind_a_header_are_judged_or_refused(
        version in 0..8u8,
        rest in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut bytes = artifact("StableHLO_v1.10.0", &rest);
        bytes[4] = version << 1 | 1;
        judge(bytes);
    }

    #[test]
    fn a_changed_artifact_is_judged_or_refused(
        index in 0..FILES.len(),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = file(index);
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        judge(bytes);
    }
}

/// A text in which each name stands for twice what the one before it does.
fn doubled(first: &str, next: impl Fn(usize, usize) -> String, last: usize, rest: &str) -> String {
    let lines: String = (1..=last).map(|n| next(n, n - 1) + "\n").collect();
    format!("{first}\n{lines}{rest}")
}

#[test]
fn names_are_charged_for_what_they_stand_for() {
    let main = |n: usize| {
        format!("module {{ func.func @main(%a: !t{n}) -> !t{n} {{ return %a : !t{n} }} }}")
    };
    let tuple = |n, m| format!("!t{n} = tuple<!t{m}, !t{m}>");
    let of = |text: String| -> Arc<dyn Source> {
        Arc::new(BytesSource::new("a.mlir", text.into_bytes()))
    };
    let small = of(doubled("!t0 = f32", tuple, 8, &main(8)));
    assert!(unskew_stablehlo::parse::bytecode(&*small).is_ok());
    let texts = [
        doubled("!t0 = f32", tuple, 60, &main(60)),
        doubled("!t0 = f32", |n, m| format!("!t{n} = (!t{m}) -> !t{m}"), 60, &main(60)),
        doubled(
            "#a0 = 1",
            |n, m| format!("#a{n} = [#a{m}, #a{m}]"),
            60,
            "module attributes {x = #a60} {}",
        ),
        // One of attributes in types in attributes.
        doubled(
            "!t0 = f32",
            |n, m| format!("#e{n} = [!t{m}, !t{m}]\n!t{n} = tensor<4x!t{m}, #e{n}>"),
            60,
            &main(60),
        ),
        // A long text, that is named again and again.
        format!("#a = \"{}\"\n{}", "x".repeat(400_000), "#b = [#a, #a, #a, #a]\n".repeat(20_000)),
    ];
    for text in texts {
        let error = unskew_stablehlo::parse::bytecode(&*of(text)).err().unwrap();
        assert!(matches!(*error.problem, unskew_source::SourceProblem::Budget(_)), "{error}");
    }
}
