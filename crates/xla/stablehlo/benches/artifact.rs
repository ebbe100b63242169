//! A portable artifact: its version and what it uses, against reading its bytes alone.
//!
//! No other reader of these artifacts is written in Rust, so the peer is the floor: opening the file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_source::{FileSource, Source};

fn unskew(path: &Path) -> usize {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    unskew_stablehlo::party(&source).unwrap().unwrap().provides.len()
}

fn artifact(criterion: &mut Criterion) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let path = data.join("add-1.17.0.stablehlo");
    let mut group = criterion.benchmark_group("StableHLO artifact");
    group.sample_size(20);
    group.bench_function("unskew", |b| b.iter(|| unskew(black_box(&path))));
    group.bench_function("reading the file", |b| b.iter(|| std::fs::read(black_box(&path))));
    group.finish();
}

criterion_group!(benches, artifact);
criterion_main!(benches);
