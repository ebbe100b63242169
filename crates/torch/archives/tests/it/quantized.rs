//! Whether real releases load and run quantized models: verdicts against what they did.

use std::collections::BTreeMap;

use crate::corpus::{accepted, converted, party, record, runtime, runtimes, unpacked, verdict};
use unskew_core::{Finding, Party, Phase, aspect};

/// The files that the interpreter is tested with: quantized models that five releases wrote.
fn files() -> BTreeMap<String, Vec<u8>> {
    let files = unpacked(include_bytes!("../../../interpreter/tests/data/quantized.tar.xz"));
    let stem = |name: String| name.trim_end_matches(".pt").to_owned();
    files.into_iter().map(|(name, bytes)| (stem(name), bytes)).collect()
}

/// What a release did with a file: with each engine that failed, how.
fn failures<'t>(cell: &'t str, engines: &[&'t str]) -> BTreeMap<&'t str, &'t str> {
    match cell {
        "ok" => BTreeMap::new(),
        "load" | "run" => engines.iter().map(|engine| (*engine, cell)).collect(),
        some => some.split(' ').filter_map(|one| one.split_once(':')).collect(),
    }
}

#[test]
fn verdicts_say_what_each_engine_of_real_releases_did_with_quantized_models() {
    let (files, runtimes) = (files(), runtimes());
    let table = include_str!("../data/quantized.tsv");
    let mut rows = table.lines().filter(|line| !line.starts_with('#'));
    let releases: Vec<&Party> =
        rows.next().unwrap().split('\t').skip(1).map(|release| &runtimes[release]).collect();
    let engines: Vec<Vec<&str>> =
        rows.next().unwrap().split('\t').skip(1).map(|all| all.split(' ').collect()).collect();
    let (mut cells, mut unjudged, mut wrong) = (0, Vec::new(), Vec::new());
    for row in rows {
        let (path, row) = row.split_once('\t').unwrap();
        let file = party(path.rsplit('/').next().unwrap(), &files[path]);
        for ((release, engines), cell) in releases.iter().zip(&engines).zip(row.split('\t')) {
            let verdict = verdict(&file, release);
            let failures = failures(cell, engines);
            let fails = verdict.first_failure().is_some_and(|phase| phase != Phase::Silent);
            let open = verdict.unjudged.iter().find(|one| one.aspect == aspect::QUANTIZED);
            // With fbgemm single cells gave other numbers up to 1.7, and the file may be of both sides.
            let is_cell = path.contains("/cells");
            let is_known = |why: &str| is_cell && why.ends_with("gives other numbers since 1.8");
            if let Some(open) = open.filter(|open| !fails && !is_known(&open.reason)) {
                unjudged.push(format!("{path} in {}: {}", release.name, open.reason));
            }
            for engine in engines {
                let named = |finding: &&Finding| {
                    finding.rule.code == "PT305"
                        && finding.message.contains(&format!("the engine {engine} "))
                };
                let said = fails || verdict.findings.iter().any(|one| named(&one));
                cells += 1;
                if said != failures.contains_key(engine) {
                    let codes: Vec<&str> = verdict.findings.iter().map(|f| f.rule.code).collect();
                    wrong.push(format!(
                        "{path} in {} with {engine}: {cell}, said {codes:?}",
                        release.name
                    ));
                }
            }
        }
    }
    println!("agreement {}/{cells}", cells - wrong.len());
    assert!(
        cells > 5000 && wrong.is_empty(),
        "{} of {cells} disagree:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(unjudged.is_empty(), "{unjudged:#?}");
}

#[test]
fn lists_of_scales_become_tensors_for_every_later_release() {
    let files = files();
    for name in ["conv-fbgemm-pc", "conv-fbgemm-pc-traced", "conv3d-fbgemm-pc"] {
        let bytes = &files[&format!("1.4.0/{name}")];
        for release in ["1.5.1", "1.10.2", "2.15.0"] {
            let runtime = runtime(release);
            let before = verdict(&party(name, bytes), &runtime.party());
            assert_eq!(before.first_failure(), Some(Phase::Load), "{name} in {release}");
            let (plan, result) = converted(name, bytes, &runtime);
            assert!(plan.is_possible() && !plan.changes_nothing(), "{name}: {:?}", plan.blockers);
            accepted(name, &result, &runtime);
        }
        let (plan, _) = converted(name, bytes, &runtime("1.4.0"));
        assert!(plan.changes_nothing(), "{name}");
    }
}

#[test]
fn packed_convolutions_of_form_2_become_form_1_for_1_6() {
    let (files, runtime) = (files(), runtime("1.6.0"));
    for name in ["conv-fbgemm-pc-frozen", "conv-fbgemm-pt-frozen", "conv-qnnpack-pt-frozen"] {
        let bytes = &files[&format!("1.7.1/{name}")];
        let before = verdict(&party(name, bytes), &runtime.party());
        assert_eq!(before.first_failure(), Some(Phase::Load), "{name}");
        let (plan, result) = converted(name, bytes, &runtime);
        assert!(plan.is_possible() && !plan.changes_nothing(), "{name}: {:?}", plan.blockers);
        accepted(name, &result, &runtime);
    }
    // Packed weights among the constants have no form there.
    let bytes = &files["1.10.2/conv-fbgemm-pc-frozen"];
    let (_, result) = converted("net.pt", bytes, &runtime);
    let after = verdict(&party("net.pt", &result), &runtime.party());
    assert!(after.findings.iter().any(|one| one.rule.code == "PT304"), "{:?}", after.findings);
}

#[test]
fn an_attribute_that_no_state_sets_is_optional_for_releases_that_know_no_type_of_nothing() {
    let bytes = &files()["2.15.0/conv-fbgemm-pc"];
    let name = "code/__torch__/torch/ao/nn/quantized/modules/conv.py";
    assert!(record(bytes, name).unwrap().contains("_is_full_backward_hook : NoneType"));
    for release in ["1.7.1", "1.8.1"] {
        let (plan, result) = converted("net.pt", bytes, &runtime(release));
        assert!(plan.is_possible(), "{:?}", plan.blockers);
        let code = record(&result, name).unwrap();
        assert!(code.contains("_is_full_backward_hook : Optional[bool]"), "{code}");
    }
}
