//! What older versions cost: reading what they wrote, and writing what they read, beside the current
//! version, in the same run.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark may")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use unskew_serdes::{FamilyVersion, read, write_as};
use unskew_serdes_benchmarks::old::{Before, Tagged};
use unskew_serdes_benchmarks::target::{Record, versions};
use unskew_serdes_benchmarks::{Stored, at, records};
use versionize::Versionize;

const COUNT: usize = 10_000;

fn serdes(c: &mut Criterion) {
    let plain: Vec<Tagged> = records(COUNT).iter().map(|spec| Tagged::of(spec, 0)).collect();
    let mut group = c.benchmark_group("unskew-serdes");
    group.throughput(Throughput::Elements(COUNT as u64));
    let mut out = Vec::with_capacity(4 << 20);
    let to = |version: FamilyVersion<Stored>, out: &mut Vec<u8>| {
        out.clear();
        write_as(black_box(&plain), version, unskew_serdes::FormatRecording::AsRequested, out).unwrap();
    };
    for (name, version) in [("current", at(1)), ("older", at(0))] {
        group.bench_function(format!("write, {name}"), |b| b.iter(|| to(version, &mut out)));
        to(version, &mut out);
        let bytes = out.clone();
        assert_eq!(read::<Stored, Vec<Tagged>>(&bytes).unwrap(), plain);
        group.bench_function(format!("read, {name}"), |b| {
            let read = || read::<Stored, Vec<Tagged>>(black_box(&bytes)).unwrap();
            b.iter_batched(|| (), |()| read(), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn revision(c: &mut Criterion) {
    let specs = records(COUNT);
    let before: Vec<Before> = specs.iter().map(Before::from).collect();
    let tagged: Vec<Tagged> = specs.iter().map(|spec| Tagged::of(spec, 0)).collect();
    let mut group = c.benchmark_group("revision");
    group.throughput(Throughput::Elements(COUNT as u64));
    let mut out = Vec::with_capacity(4 << 20);
    group.bench_function("write, current", |b| {
        b.iter(|| {
            out.clear();
            revision::SerializeRevisioned::serialize_revisioned(black_box(&tagged), &mut out)
                .unwrap();
        });
    });
    let current = revision::to_vec(&tagged).unwrap();
    let older = revision::to_vec(&before).unwrap();
    for (name, bytes) in [("current", current), ("older", older)] {
        let read = || revision::from_slice::<Vec<Tagged>>(black_box(&bytes)).unwrap();
        assert_eq!(read(), tagged);
        group.bench_function(format!("read, {name}"), |b| {
            b.iter_batched(|| (), |()| read(), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn versionize(c: &mut Criterion) {
    let records: Vec<Record> = records(COUNT).iter().map(Record::from).collect();
    let versions = versions();
    let mut group = c.benchmark_group("versionize");
    group.throughput(Throughput::Elements(COUNT as u64));
    let mut out = Vec::with_capacity(4 << 20);
    for (name, version) in [("current", 2), ("older", 1)] {
        group.bench_function(format!("write, {name}"), |b| {
            b.iter(|| {
                out.clear();
                black_box(&records).serialize(&mut out, &versions, version).unwrap();
            });
        });
        let bytes = out.clone();
        let read = || {
            Vec::<Record>::deserialize(&mut black_box(bytes.as_slice()), &versions, version)
                .unwrap()
        };
        assert_eq!(read(), records);
        group.bench_function(format!("read, {name}"), |b| {
            b.iter_batched(|| (), |()| read(), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, serdes, revision, versionize);
criterion_main!(benches);
