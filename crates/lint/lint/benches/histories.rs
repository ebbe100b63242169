//! A dated history of a hundred versions, from its text to the findings.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_core::Date;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_lint::Histories;
use unskew_source::Files;

fn history() -> Files {
    let day =
        |at: i64| Date::constant(2020, 1, 1).checked_add(jiff::Span::new().days(at * 9)).unwrap();
    let mut text = "axis = \"made\"\ntitle = \"made\"\nwindow = \"12 weeks\"\n".to_owned();
    for version in 0..100 {
        write!(
            text,
            "\n[[version]]\nnumber = {version}\nlanded = {}\nchange = \"x\"\n",
            day(version)
        )
        .unwrap();
    }
    [("made.history.toml", text)].into_iter().collect()
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("formats");
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    let terms =
        CompareOptions { as_of: Some(Date::constant(2026, 6, 1)), ..CompareOptions::default() };
    let dated = history();
    group.bench_function("a history of 100 versions", |b| {
        b.iter(|| {
            Histories.compare(black_box(&dated), black_box(&dated), &terms).unwrap().changes.len()
        });
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
