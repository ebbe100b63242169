//! The operator tables of two releases, from their texts to what changed between them.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_core::Version;
use unskew_torch_schemas::{OperatorTable, diff, diff_findings};

/// The schemas of a release, one a line.
fn operators(release: Version) -> String {
    let rows = unskew_releases::torch::rows();
    let row = rows.iter().find(|row| row.version == release).unwrap();
    let runtime = unskew_releases::torch::runtime(row).unwrap();
    runtime.operators.texts().map(|text| format!("{text}\n")).collect()
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("formats");
    group.sample_size(20).measurement_time(Duration::from_secs(4));
    let tables = [Version::triple(2, 0, 1), Version::triple(2, 1, 2)].map(operators);
    let count = tables[1].lines().count();
    group.bench_function(format!("two operator tables, {count} schemas"), |b| {
        b.iter(|| {
            let [old, new] =
                tables.each_ref().map(|text| OperatorTable::read("ops", text).unwrap().unwrap());
            diff_findings(&diff(black_box(&old), black_box(&new))).len()
        });
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
