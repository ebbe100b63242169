//! A TorchScript archive of 500 MB converted for another release, against copying the file.
//!
//! Both sides read from the page cache, write a new file, make it durable and remove it. The peer is
//! `std::fs::copy` and `sync_all`, which is the least that anything can do that makes a second file of that
//! size. A copy that was made durable is measured by the disk; so a second pair leaves that out on both sides
//! and says what our own work costs. `inspect` and `check` of 50 MB stand beside them.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a benchmark may fail")]

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use unskew_core::{Context, Party, check};
use unskew_large_files::{Weights, torchscript};
use unskew_source::{Assembly, ConvertedArtifact, FileSource, Source};
use unskew_tables::toml_as_json;
use unskew_torch::{ReleaseCalendar, TorchConvertOptions, TorchRuntime, convert, party};
use unskew_torch_schemas::OperatorHistory;

/// 205 square weights of this side are 500 MB, and 50 MB.
const SIDES: [usize; 2] = [781, 247];

fn data(name: &str) -> String {
    let folder = Path::new(env!("UNSKEW_ROOT")).join("crates/judging/releases/data/torch");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn runtime(version: &str) -> TorchRuntime {
    let calendar = Arc::<ReleaseCalendar>::new(
        serde_json::from_str(toml_as_json!("../../judging/releases/data/torch/releases.toml"))
            .unwrap(),
    );
    let history = Arc::new(OperatorHistory::from_text(data("operators.tsv")).unwrap());
    let release = calendar.first(|release| release.version.to_string() == version).unwrap();
    let operators = history.table(release.version).unwrap();
    TorchRuntime { release: release.clone(), operators, calendar: calendar.clone(), device: None }
}

fn source(path: &Path) -> Arc<dyn Source> {
    Arc::new(FileSource::open(path).unwrap())
}

/// What the file becomes; something is rewritten.
fn converted(path: &Path, to: &TorchRuntime) -> Arc<Assembly> {
    let (plan, output) =
        convert(&source(path), to, &TorchConvertOptions::default()).unwrap().unwrap();
    assert!(plan.is_possible() && !plan.changes_nothing(), "{plan:?}");
    let ConvertedArtifact::File(file) = output else { panic!("a folder") };
    file
}

fn judged(file: &Party, runtime: &Party) -> usize {
    check(file, runtime, &Context::for_tests()).findings.len()
}

fn archive_of_500_mb(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let (path, new) = (folder.path().join("archive.pt"), folder.path().join("new.pt"));
    torchscript::write(&path, SIDES[0], Weights::Noise).unwrap();
    assert!(path.metadata().unwrap().len() > 500_000_000);
    let oldest = runtime("1.4.0");
    let mut group = criterion.benchmark_group("archive of 500 MB");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10))
        .sampling_mode(SamplingMode::Flat);
    group.bench_function("convert, durable", |b| {
        b.iter(|| {
            ConvertedArtifact::File(converted(black_box(&path), &oldest)).write(&new).unwrap();
            std::fs::remove_file(&new).unwrap();
        });
    });
    group.bench_function("copy, durable", |b| {
        b.iter(|| {
            std::fs::copy(black_box(&path), &new).unwrap();
            File::options().write(true).open(&new).unwrap().sync_all().unwrap();
            std::fs::remove_file(&new).unwrap();
        });
    });
    group.bench_function("convert, in the cache", |b| {
        b.iter(|| {
            let file = converted(black_box(&path), &oldest);
            file.write(&mut File::create(&new).unwrap()).unwrap();
            std::fs::remove_file(&new).unwrap();
        });
    });
    group.bench_function("copy, in the cache", |b| {
        b.iter(|| {
            std::fs::copy(black_box(&path), &new).unwrap();
            std::fs::remove_file(&new).unwrap();
        });
    });
    group.bench_function("plan alone", |b| b.iter(|| converted(black_box(&path), &oldest).size()));
    group.finish();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or(" unknown");
    println!("peak memory of this process so far:{peak}");
}

fn archive_of_50_mb(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.pt");
    torchscript::write(&path, SIDES[1], Weights::Noise).unwrap();
    let newest = runtime("2.15.0").party();
    let mut group = criterion.benchmark_group("archive of 50 MB, read");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.bench_function("inspect", |b| {
        b.iter(|| party(&source(black_box(&path))).unwrap().unwrap().requires.len());
    });
    group.bench_function("check", |b| {
        b.iter(|| judged(&party(&source(black_box(&path))).unwrap().unwrap(), &newest));
    });
    group.finish();
}

criterion_group!(benches, archive_of_500_mb, archive_of_50_mb);
criterion_main!(benches);
