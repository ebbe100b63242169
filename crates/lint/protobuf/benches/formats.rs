//! A hundred protobuf files beside their next state, from their texts to the findings.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_core::Date;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_protobuf::Protobuf;
use unskew_source::Files;

const FILES: usize = 100;
const MESSAGES: usize = 8;
const FIELDS: usize = 10;

/// Protobuf files of some 120 lines each, as large together as those of XLA. The next state has one change in
/// every file, of every kind in turn.
fn protobufs(next: bool) -> Files {
    let types =
        ["int32", "string", "repeated int64", "bytes", "map<string, int64>", "bool", "double"];
    let file = |file: usize| {
        let mut text = format!("syntax = \"proto3\";\n\npackage made.p{file};\n");
        for message in 0..MESSAGES {
            write!(text, "\n// Says what the thing is made of.\nmessage Thing{message} {{\n")
                .unwrap();
            for field in 1..=FIELDS {
                let changed = next && message == 3 && field == 1 + file % FIELDS;
                let ty = types[(file + field) % types.len()];
                match (changed, file % 4) {
                    (true, 0) => continue,
                    (true, 1) => writeln!(text, "  sint64 part_{field} = {field};").unwrap(),
                    (true, 2) => writeln!(text, "  {ty} renamed_{field} = {field};").unwrap(),
                    _ => writeln!(text, "  {ty} part_{field} = {field};  // A part.").unwrap(),
                }
            }
            let inside = (message + 1) % MESSAGES;
            write!(text, "  repeated Thing{inside} inside = 20;\n}}\n").unwrap();
        }
        (format!("made/p{file}.proto"), text)
    };
    (0..FILES).map(file).collect()
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("formats");
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    let terms =
        CompareOptions { as_of: Some(Date::constant(2026, 6, 1)), ..CompareOptions::default() };
    let (old, new) = (protobufs(false), protobufs(true));
    let lines: usize =
        new.iter().map(|(_, text)| text.iter().filter(|b| **b == b'\n').count()).sum();
    group.bench_function(format!("{FILES} protobuf files, {lines} lines"), |b| {
        b.iter(|| {
            Protobuf.compare(black_box(&old), black_box(&new), &terms).unwrap().changes.len()
        });
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
