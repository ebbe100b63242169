//! A frozen graph of 100 MB: what it needs of a release, against a full decode of the message.
//!
//! The peer is what a Rust program would do otherwise: read the file and decode it with `prost`.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

#[path = "../../../xtask/src/bench/graph.rs"]
mod graph;
#[allow(dead_code, reason = "archives use the rest")]
#[path = "../../../xtask/src/bench/sparse.rs"]
mod sparse;

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use prost::Message;
use unskew_source::{FileSource, Source};

/// The part of TensorFlow's messages that the graph uses.
#[derive(Clone, PartialEq, Message)]
struct GraphDef {
    #[prost(message, repeated, tag = "1")]
    node: Vec<NodeDef>,
}

#[derive(Clone, PartialEq, Message)]
struct NodeDef {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    op: String,
    #[prost(string, repeated, tag = "3")]
    input: Vec<String>,
    #[prost(map = "string, message", tag = "5")]
    attr: HashMap<String, AttrValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AttrValue {
    #[prost(bytes = "vec", optional, tag = "2")]
    s: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "3")]
    i: Option<i64>,
    #[prost(bool, optional, tag = "5")]
    b: Option<bool>,
    #[prost(int32, optional, tag = "6")]
    dtype: Option<i32>,
    #[prost(message, optional, tag = "8")]
    tensor: Option<TensorProto>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorProto {
    #[prost(int32, tag = "1")]
    dtype: i32,
    #[prost(bytes = "vec", tag = "4")]
    content: Vec<u8>,
}

fn unskew(path: &Path) -> usize {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    unskew_tensorflow::party(&source).unwrap().unwrap().requires.len()
}

fn prost(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap();
    GraphDef::decode(&*bytes).unwrap().node.len()
}

fn graph_of_100_mb(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.pb");
    graph::write(&path, 110, sparse::Weights::Noise).unwrap();
    assert_eq!(prost(&path), 1127);
    let mut group = criterion.benchmark_group("graph of 100 MB");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("unskew", |b| b.iter(|| unskew(black_box(&path))));
    group.bench_function("prost", |b| b.iter(|| prost(black_box(&path))));
    group.finish();
}

criterion_group!(benches, graph_of_100_mb);
criterion_main!(benches);
