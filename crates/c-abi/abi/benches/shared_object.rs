//! A large shared object: its symbols by ranges, against reading the whole file first.
//!
//! The peer is the crate `object` on bytes in memory, which is how it is mostly used. The object is a
//! plug-in of the corpus; without the corpus it is this program itself.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use object::Object;
use unskew_abi::SharedObject;
use unskew_source::{FileSource, Source};

fn unskew(path: &Path) -> usize {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    let object = SharedObject::read(&source).unwrap().unwrap();
    object.exports.len() + object.imports.len()
}

fn whole(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    let object = object::File::parse(&*bytes).unwrap();
    object.exports().unwrap().count() + object.imports().unwrap().count()
}

fn plugin() -> PathBuf {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus/xla-cpu-pjrt-0.0.1.so");
    if corpus.exists() { corpus } else { std::env::current_exe().unwrap() }
}

fn shared_object(criterion: &mut Criterion) {
    let path = plugin();
    let mut group = criterion.benchmark_group("symbols of a plug-in");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("unskew", |b| b.iter(|| unskew(black_box(&path))));
    group.bench_function("object, whole file", |b| b.iter(|| whole(black_box(&path))));
    group.finish();
}

criterion_group!(benches, shared_object);
criterion_main!(benches);
