//! 10,000 records: written, read, and read where they lie, by each library in the same run.
//!
//! Prints bytes per record first. Writing goes into a buffer that is kept, where the library can; what
//! is read is dropped outside of the time.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark may")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use prost::Message;
use unskew_serdes::{default_version, read, read_into, view, write};
use unskew_serdes_benchmarks::message::Records;
use unskew_serdes_benchmarks::target::{Record, versions};
use unskew_serdes_benchmarks::{Spec, Stored, records};
use versionize::Versionize;

const COUNT: usize = 10_000;

fn written(specs: &Vec<Spec>) -> Vec<u8> {
    let mut out = Vec::new();
    write(specs, default_version::<Stored>(), &mut out).unwrap();
    out
}

fn versionized(records: &Vec<Record>) -> Vec<u8> {
    let mut out = Vec::new();
    records.serialize(&mut out, &versions(), 1).unwrap();
    out
}

fn sizes(specs: &Vec<Spec>) {
    let logical: usize = specs.iter().map(Spec::logical_bytes).sum();
    let targeted: Vec<Record> = specs.iter().map(Record::from).collect();
    for (name, bytes) in [
        ("contents", logical),
        ("unskew-serdes", written(specs).len()),
        ("bitcode", bitcode::encode(specs).len()),
        ("savefile", savefile::save_to_mem(0, specs).unwrap().len()),
        ("revision", revision::to_vec(specs).unwrap().len()),
        ("rkyv", rkyv::to_bytes::<rkyv::rancor::Error>(specs).unwrap().len()),
        ("versionize", versionized(&targeted).len()),
        ("prost", Records::from(specs.as_slice()).encoded_len()),
        ("postcard", postcard::to_stdvec(specs).unwrap().len()),
    ] {
        println!("{name}: {:.1} bytes a record", bytes as f64 / specs.len() as f64);
    }
}

fn writing(c: &mut Criterion) {
    let specs = records(COUNT);
    sizes(&specs);
    let targeted: Vec<Record> = specs.iter().map(Record::from).collect();
    let messages = Records::from(specs.as_slice());
    let mut group = c.benchmark_group("write");
    group.throughput(Throughput::Elements(COUNT as u64));
    let mut out = Vec::with_capacity(4 << 20);
    group.bench_function("unskew-serdes", |b| {
        b.iter(|| {
            out.clear();
            write(black_box(&specs), default_version::<Stored>(), &mut out).unwrap();
        });
    });
    let mut buffer = bitcode::Buffer::new();
    group.bench_function("bitcode", |b| {
        b.iter(|| black_box(buffer.encode(black_box(&specs)).len()))
    });
    group.bench_function("savefile", |b| {
        b.iter(|| {
            out.clear();
            savefile::save_noschema(&mut out, 0, black_box(&specs)).unwrap();
        });
    });
    group.bench_function("revision", |b| {
        b.iter(|| {
            out.clear();
            revision::SerializeRevisioned::serialize_revisioned(black_box(&specs), &mut out)
                .unwrap();
        });
    });
    group.bench_function("rkyv", |b| {
        let mut kept = rkyv::util::AlignedVec::<16>::with_capacity(4 << 20);
        b.iter(|| {
            kept.clear();
            let room = std::mem::take(&mut kept);
            kept = rkyv::api::high::to_bytes_in::<_, rkyv::rancor::Error>(black_box(&specs), room)
                .unwrap();
        });
    });
    let versions = versions();
    group.bench_function("versionize", |b| {
        b.iter(|| {
            out.clear();
            black_box(&targeted).serialize(&mut out, &versions, 1).unwrap();
        });
    });
    group.bench_function("prost", |b| {
        b.iter(|| {
            out.clear();
            black_box(&messages).encode(&mut out).unwrap();
        });
    });
    group.bench_function("postcard", |b| {
        b.iter(|| {
            let room = std::mem::take(&mut out);
            out = postcard::to_extend(black_box(&specs), {
                let mut room = room;
                room.clear();
                room
            })
            .unwrap();
        });
    });
    group.finish();
}

fn reading(c: &mut Criterion) {
    let specs = records(COUNT);
    let targeted: Vec<Record> = specs.iter().map(Record::from).collect();
    let mut group = c.benchmark_group("read");
    group.throughput(Throughput::Elements(COUNT as u64));
    let mut case = |name: &str, read: &dyn Fn() -> Vec<Spec>| {
        assert_eq!(read(), specs, "{name}");
        group.bench_function(name, |b| b.iter_batched(|| (), |()| read(), BatchSize::PerIteration));
    };
    case("clone, as a floor", &|| black_box(&specs).clone());
    let bytes = written(&specs);
    case("unskew-serdes", &|| read::<Stored, _>(black_box(&bytes)).unwrap());
    let bytes = bitcode::encode(&specs);
    case("bitcode", &|| bitcode::decode(black_box(&bytes)).unwrap());
    let mut bytes = Vec::new();
    savefile::save_noschema(&mut bytes, 0, &specs).unwrap();
    case("savefile", &|| savefile::load_noschema(&mut black_box(bytes.as_slice()), 0).unwrap());
    let bytes = revision::to_vec(&specs).unwrap();
    case("revision", &|| revision::from_slice(black_box(&bytes)).unwrap());
    let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(&specs).unwrap();
    case("rkyv, checked", &|| {
        rkyv::from_bytes::<_, rkyv::rancor::Error>(black_box(&bytes)).unwrap()
    });
    let bytes = postcard::to_stdvec(&specs).unwrap();
    case("postcard", &|| postcard::from_bytes(black_box(&bytes)).unwrap());

    let (versions, bytes) = (versions(), versionized(&targeted));
    group.bench_function("versionize", |b| {
        let read =
            || Vec::<Record>::deserialize(&mut black_box(bytes.as_slice()), &versions, 1).unwrap();
        assert_eq!(read(), targeted);
        b.iter_batched(|| (), |()| read(), BatchSize::PerIteration);
    });
    let messages = Records::from(specs.as_slice());
    let bytes = messages.encode_to_vec();
    group.bench_function("prost", |b| {
        let read = || Records::decode(black_box(bytes.as_slice())).unwrap();
        assert_eq!(read(), messages);
        b.iter_batched(|| (), |()| read(), BatchSize::PerIteration);
    });
    group.finish();
}

/// Reading over what is there: the same records in the other order, so that no text or list finds the room
/// of its own.
fn reading_over(c: &mut Criterion) {
    let specs = records(COUNT);
    let turned: Vec<Spec> = specs.iter().rev().cloned().collect();
    let mut group = c.benchmark_group("read over");
    group.throughput(Throughput::Elements(COUNT as u64));
    let (ours, theirs) = ([written(&specs), written(&turned)], [&specs, &turned]);
    let mut kept: Vec<Spec> = Vec::new();
    for (bytes, specs) in ours.iter().zip(theirs) {
        read_into::<Stored, _>(bytes, &mut kept).unwrap();
        assert_eq!(&kept, specs);
    }
    let mut turn = ours.iter().cycle();
    group.bench_function("unskew-serdes", |b| {
        b.iter(|| read_into::<Stored, _>(black_box(turn.next().unwrap()), &mut kept).unwrap());
    });
    let messages = theirs.map(|specs| Records::from(specs.as_slice()).encode_to_vec());
    let mut kept = Records::default();
    let mut turn = messages.iter().cycle();
    group.bench_function("prost", |b| {
        b.iter(|| {
            kept.clear();
            kept.merge(black_box(turn.next().unwrap()).as_slice()).unwrap();
        });
    });
    group.finish();
}

fn viewing(c: &mut Criterion) {
    let specs = records(COUNT);
    let mut group = c.benchmark_group("view");
    group.throughput(Throughput::Elements(COUNT as u64));
    let bytes = written(&specs);
    group.bench_function("unskew-serdes", |b| {
        b.iter(|| black_box(view::<Stored, Vec<Spec>>(black_box(&bytes)).unwrap().len()));
    });
    let bytes = rkyv::to_bytes::<rkyv::rancor::Error>(&specs).unwrap();
    group.bench_function("rkyv, checked", |b| {
        b.iter(|| {
            let seen =
                rkyv::access::<rkyv::Archived<Vec<Spec>>, rkyv::rancor::Error>(black_box(&bytes));
            black_box(seen.unwrap().len())
        });
    });
    group.finish();
}

fn one(c: &mut Criterion) {
    let specs = records(COUNT);
    // One that is as long as the average.
    let spec = specs.iter().find(|spec| spec.logical_bytes() == 164).unwrap_or(&specs[0]);
    let mut out = Vec::with_capacity(4096);
    write(spec, default_version::<Stored>(), &mut out).unwrap();
    let (ours, theirs) = (out.clone(), revision::to_vec(spec).unwrap());
    let message = unskew_serdes_benchmarks::message::Record::from(spec);
    let prosts = message.encode_to_vec();
    let mut group = c.benchmark_group("one record");
    group.bench_function("unskew-serdes, write", |b| {
        b.iter(|| {
            out.clear();
            write(black_box(spec), default_version::<Stored>(), &mut out).unwrap();
        });
    });
    group.bench_function("revision, write", |b| {
        b.iter(|| {
            out.clear();
            revision::SerializeRevisioned::serialize_revisioned(black_box(spec), &mut out).unwrap();
        });
    });
    group.bench_function("prost, write", |b| {
        b.iter(|| {
            out.clear();
            black_box(&message).encode(&mut out).unwrap();
        });
    });
    group.bench_function("unskew-serdes, read", |b| {
        b.iter_with_large_drop(|| read::<Stored, Spec>(black_box(&ours)).unwrap());
    });
    let mut kept = spec.clone();
    group.bench_function("unskew-serdes, read over", |b| {
        b.iter(|| read_into::<Stored, Spec>(black_box(&ours), &mut kept).unwrap());
    });
    group.bench_function("unskew-serdes, view", |b| {
        b.iter(|| view::<Stored, Spec>(black_box(&ours)).unwrap());
    });
    group.bench_function("revision, read", |b| {
        b.iter_with_large_drop(|| revision::from_slice::<Spec>(black_box(&theirs)).unwrap());
    });
    group.bench_function("prost, read", |b| {
        b.iter_with_large_drop(|| {
            unskew_serdes_benchmarks::message::Record::decode(black_box(prosts.as_slice())).unwrap()
        });
    });
    group.finish();
}

criterion_group!(benches, writing, reading, reading_over, viewing, one);
criterion_main!(benches);
