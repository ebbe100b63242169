//! A TorchScript archive of 50 MB: what it needs of a release, against reading every record.
//!
//! The peer is the crate `zip`. What it read would still have to be understood: the crates that read
//! pickles stop at the persistent ids that every tensor of an archive has.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

#[path = "../../../xtask/src/bench/sparse.rs"]
mod sparse;
#[path = "../../../xtask/src/bench/torchscript.rs"]
mod torchscript;
#[path = "../../../xtask/src/bench/zip_file.rs"]
mod zip_file;

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_source::{FileSource, Source};

fn unskew(path: &Path) -> usize {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    unskew_torch::party(&source).unwrap().unwrap().requires.len()
}

fn zip(path: &Path) -> usize {
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let mut read = 0;
    for index in 0..archive.len() {
        let mut bytes = Vec::new();
        archive.by_index(index).unwrap().read_to_end(&mut bytes).unwrap();
        read += black_box(bytes).len();
    }
    read
}

fn archive_of_50_mb(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.pt");
    torchscript::write(&path, 247, sparse::Weights::Noise).unwrap();
    assert!(zip(&path) > 50_000_000);
    let mut group = criterion.benchmark_group("archive of 50 MB");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("unskew", |b| b.iter(|| unskew(black_box(&path))));
    group.bench_function("zip, every record", |b| b.iter(|| zip(black_box(&path))));
    group.finish();
}

criterion_group!(benches, archive_of_50_mb);
criterion_main!(benches);
