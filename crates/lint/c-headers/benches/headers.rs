//! Pairs of headers from the files to the findings: one pair of the PJRT header, the pair with all its
//! extensions, and every header of the corpus beside the one before it.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_c_headers::change::{HeaderPolicy, compare};
use unskew_c_headers::contract::{HeaderContract, HeaderSource};

fn corpus() -> PathBuf {
    Path::new(env!("UNSKEW_ROOT")).join("corpus/headers")
}

fn headers(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    found
}

fn main_header(build: &str) -> PathBuf {
    let found = headers(&corpus().join(build)).into_iter();
    found.into_iter().find(|path| path.ends_with("pjrt_c_api.h")).unwrap()
}

fn read(paths: &[PathBuf]) -> HeaderContract {
    let texts: Vec<(String, Vec<u8>)> = paths
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    let sources: Vec<HeaderSource<'_>> =
        texts.iter().map(|(name, text)| HeaderSource { name, text }).collect();
    HeaderContract::read(&sources, "")
}

fn pair(old: &[PathBuf], new: &[PathBuf]) -> usize {
    let policy = HeaderPolicy::named("pjrt").unwrap();
    compare(&read(old), &read(new), policy, None).changes.len()
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("headers");
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    let (old, new) = ("tensorflow-cpu-2.19.0", "tensorflow-cpu-2.20.0");
    let one = [[main_header(old)], [main_header(new)]];
    group.bench_function("one pair", |b| b.iter(|| pair(black_box(&one[0]), black_box(&one[1]))));
    let folders = [old, new].map(|build| headers(&corpus().join(build)));
    group.bench_function("one pair with extensions", |b| {
        b.iter(|| pair(black_box(&folders[0]), black_box(&folders[1])));
    });
    let mut builds: Vec<PathBuf> =
        std::fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()).collect();
    builds.sort();
    let builds: Vec<Vec<PathBuf>> = builds.iter().map(|build| headers(build)).collect();
    group.bench_function(format!("history of {} builds", builds.len()), |b| {
        b.iter(|| builds.windows(2).map(|two| pair(&two[0], &two[1])).sum::<usize>());
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
