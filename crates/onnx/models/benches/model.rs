//! A model of 2,000 nodes: read and judged with 2 GB of weights in another file, and converted with 256 MB in itself.
//!
//! No other converter of ONNX models is written in Rust, so the peer of a conversion is the floor: copying the file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_core::{Date, Version};
use unskew_onnx::{KernelTypeTable, ModelReader, OnnxRelease, OnnxTarget, OpSchemas};
use unskew_source::{FileSource, Source};

#[path = "../tests/it/proto.rs"]
#[allow(dead_code, reason = "tests use more of it")]
mod proto;

const NODES: usize = 2000;

/// Two of three nodes change between opsets 18 and 11.
fn nodes() -> Vec<Vec<u8>> {
    (0..NODES)
        .map(|at| {
            let (from, to) = (format!("v{at}"), format!("v{}", at + 1));
            match at % 3 {
                0 => proto::node("Softmax", &[&from], &[&to], &[proto::int("axis", 1)]),
                1 => proto::node("ReduceMean", &[&from], &[&to], &[proto::int("keepdims", 1)]),
                _ => proto::node("Add", &[&from, &from], &[&to], &[]),
            }
        })
        .collect()
}

/// A value of type float and four dimensions.
fn value(name: &str) -> Vec<u8> {
    let dims: Vec<u8> = (0..4).flat_map(|_| proto::bytes(1, proto::number(1, 8))).collect();
    let tensor = [proto::number(1, 1), proto::bytes(2, dims)].concat();
    [proto::bytes(1, name), proto::bytes(2, proto::bytes(1, tensor))].concat()
}

fn write(path: &Path, weights: &[u8]) {
    let last = value(&format!("v{NODES}"));
    let graph = proto::body(&nodes(), &[value("v0")], &[last]);
    let graph = [graph, proto::bytes(5, weights)].concat();
    fs::write(path, proto::model(18, &graph, &[])).unwrap();
}

/// The table of this name that the database of releases has.
fn table(name: &str) -> &'static str {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../judging/releases/data");
    fs::read_to_string(data.join(name)).unwrap().leak()
}

fn files(folder: &Path) -> (PathBuf, PathBuf) {
    let (outside, inside) = (folder.join("outside.onnx"), folder.join("inside.onnx"));
    let size = 2_i64 << 30;
    let entry = |key: &str, value: &str| {
        proto::bytes(13, [proto::bytes(1, key), proto::bytes(2, value)].concat())
    };
    let head = [proto::number(1, size / 4), proto::number(2, 1), proto::bytes(8, "w")].concat();
    let far = [head, entry("location", "weights.bin"), proto::number(14, 1)].concat();
    write(&outside, &far);
    File::create(folder.join("weights.bin")).unwrap().set_len(size as u64).unwrap();
    let near = 256_usize << 20;
    let head =
        [proto::number(1, near as i64 / 4), proto::number(2, 1), proto::bytes(8, "w")].concat();
    write(&inside, &[head, proto::bytes(9, vec![1; near])].concat());
    (outside, inside)
}

fn open(path: &Path) -> Arc<dyn Source> {
    Arc::new(FileSource::open(path).unwrap())
}

fn model(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let (outside, inside) = files(folder.path());
    let schemas = Arc::new(OpSchemas::from_text(table("onnx/operators.tsv")).unwrap());
    let runtime = OnnxRelease {
        reader: ModelReader::OnnxRuntime,
        version: "1.16.3".parse::<Version>().unwrap(),
        released: Date::constant(2023, 11, 20),
        ir: 9,
        opsets: vec![(Box::default(), 19)],
        ort_format: None,
        schemas: schemas.clone(),
        own: Arc::new(OpSchemas::from_text(table("onnxruntime/operators.tsv")).unwrap()),
        cuda: None,
        kernels: Some(Arc::new(
            KernelTypeTable::from_text(table("onnxruntime/kernels.tsv")).unwrap(),
        )),
    };
    let goal = OnnxTarget {
        name: "onnx-opset@11".to_owned(),
        opsets: vec![(Box::default(), 11)],
        at_most: false,
        own_opset: None,
        ir: None,
        runtime: None,
        schemas,
    };
    let mut group = criterion.benchmark_group("ONNX model");
    group.sample_size(10);
    group.bench_function("read and judged, 2 GB outside", |b| {
        b.iter(|| {
            let model = unskew_onnx::read_model(&*open(black_box(&outside))).unwrap().unwrap();
            unskew_onnx::judge(&model, &runtime).findings.len()
        });
    });
    let to = folder.path().join("out.onnx");
    group.bench_function("convert, 256 MB inside", |b| {
        b.iter(|| {
            let (plan, output) =
                unskew_onnx::convert(&open(black_box(&inside)), &goal).unwrap().unwrap();
            assert!(plan.is_possible());
            output.write(&to).unwrap();
        });
    });
    group.bench_function("copy of 256 MB", |b| {
        b.iter(|| {
            let mut from = File::open(black_box(&inside)).unwrap();
            let mut to = File::create(&to).unwrap();
            std::io::copy(&mut from, &mut to).unwrap()
        });
    });
    group.finish();
}

criterion_group!(benches, model);
criterion_main!(benches);
