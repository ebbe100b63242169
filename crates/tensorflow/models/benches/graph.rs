//! A frozen graph of 100 MB: what it needs of a release, against a full decode of the message.
//!
//! The peer is what a Rust program would do otherwise: read the file and decode it with `prost`.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use prost::Message;
use unskew_core::{DataConsumer, Date};
use unskew_large_files::{Weights, graph};
use unskew_source::{FileSource, Source};
use unskew_tensorflow::convert::VersionOptions;
use unskew_tensorflow::{GraphConvertOptions, OpHistory, OpRegistry, TensorFlowRuntime};

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
    graph::write(&path, 110, Weights::Noise).unwrap();
    assert_eq!(prost(&path), 1127);
    let mut group = criterion.benchmark_group("graph of 100 MB");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("unskew", |b| b.iter(|| unskew(black_box(&path))));
    group.bench_function("prost", |b| b.iter(|| prost(black_box(&path))));
    group.finish();
}

/// The versions of a SavedModel of 210 MB cleared, which makes everything in it move: against copying the file.
fn saved_model_of_210_mb(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    graph::write_saved_model(folder.path(), 160, Weights::Noise).unwrap();
    let path = folder.path().join("saved_model.pb");
    assert!(path.metadata().unwrap().len() > 210_000_000);
    let out = folder.path().join("out");
    let mut group = criterion.benchmark_group("SavedModel of 210 MB");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.bench_function("unskew: what it needs", |b| b.iter(|| unskew(black_box(&path))));
    group.bench_function("unskew: converted", |b| b.iter(|| convert(black_box(&path), &out)));
    group.bench_function("copied", |b| b.iter(|| std::fs::copy(black_box(&path), &out).unwrap()));
    group.finish();
}

fn convert(path: &Path, out: &Path) {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    let versions = VersionOptions { clear: true, ..VersionOptions::default() };
    let options = GraphConvertOptions { versions, ..GraphConvertOptions::default() };
    let (plan, output) =
        unskew_tensorflow::convert(&source, &runtime(), &options).unwrap().unwrap();
    assert!(!plan.changes_nothing());
    output.write(out).unwrap();
}

/// A release that has the ops of the graph.
fn runtime() -> TensorFlowRuntime {
    let version = "1.15.0".parse().unwrap();
    let history = Arc::new(OpHistory::from_text(OPS).unwrap());
    TensorFlowRuntime {
        version,
        released: Date::constant(2019, 10, 14),
        graph_def: DataConsumer { version: 134, min_producer: 0 },
        checkpoint: DataConsumer { version: 1, min_producer: 0 },
        ops: OpRegistry::new(history, version, false),
        known: Arc::new([]),
        kernels: None,
        usage: unskew_tensorflow::RuntimeUsage::default(),
    }
}

const OPS: &str = "#releases\t1.15.0\n\
    BiasAdd(value: T, bias: T) -> (output: T) {T: type, data_format: string = \"NHWC\"}\t1.15.0\n\
    Const() -> (output: dtype) {value: tensor, dtype: type}\t1.15.0\n\
    Conv2D(input: T, filter: T) -> (output: T) {T: type, strides: list(int), padding: string, \
    data_format: string = \"NHWC\"}\t1.15.0\n\
    Identity(input: T) -> (output: T) {T: type}\t1.15.0\n\
    MatMul(a: T, b: T) -> (product: T) {T: type}\t1.15.0\n\
    Mean(input: T, axes: Tidx) -> (output: T) {keep_dims: bool = false, T: type, Tidx: type}\t1.15.0\n\
    Placeholder() -> (output: dtype) {dtype: type, shape: shape = ?}\t1.15.0\n\
    Relu(features: T) -> (activations: T) {T: type}\t1.15.0\n\
    Softmax(logits: T) -> (softmax: T) {T: type}\t1.15.0\n";

criterion_group!(benches, graph_of_100_mb, saved_model_of_210_mb);
criterion_main!(benches);
