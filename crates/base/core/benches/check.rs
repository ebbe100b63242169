//! One verdict: two parties, a version that must lie in a range, and a hundred axes beside it.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_core::{
    Axis, Clash, Context, Finding, Need, Party, Phase, Provision, Requirement, Role, Rule,
    RuleText, Severity, Version, VersionRange, check,
};

static TOO_NEW: Rule = Rule {
    code: "XX001",
    name: "too-new",
    since: "0.1",
    severity: Severity::Error,
    phase: Some(Phase::Load),
    summary: "The file is newer than its reader.",
    reference: RuleText::plain(""),
    what: RuleText::plain(""),
    why: RuleText::plain(""),
    fix: "",
    error_texts: RuleText::plain(""),
    fires: RuleText::plain(""),
    silent: RuleText::plain(""),
};

fn file(axes: u32) -> Party {
    (0..axes).fold(Party::new("net", Role::Artifact, "archive"), |party, axis| {
        let version = VersionRange::exactly(Version::number(i64::from(axis % 12)));
        party.provide(Provision::new(Axis::new(format!("axis.{axis}")), version))
    })
}

fn runtime(axes: u32) -> Party {
    (0..axes).fold(Party::new("runtime 1.0", Role::Runtime, "release"), |party, axis| {
        let range = VersionRange::between(Version::number(1), Version::number(10));
        party.require(Requirement::new(
            Axis::new(format!("axis.{axis}")),
            Need::Within(range),
            |clash: &Clash<'_>| Finding::new(&TOO_NEW, format!("version {}, max 10", clash.found)),
        ))
    })
}

fn verdicts(criterion: &mut Criterion) {
    let context = Context::for_tests();
    let mut group = criterion.benchmark_group("check");
    group.sample_size(20);
    for axes in [1, 100] {
        let (file, runtime) = (file(axes), runtime(axes));
        group.bench_function(format!("{axes} axes"), |b| {
            b.iter(|| check(black_box(&file), black_box(&runtime), &context));
        });
    }
    group.finish();
}

criterion_group!(benches, verdicts);
criterion_main!(benches);
