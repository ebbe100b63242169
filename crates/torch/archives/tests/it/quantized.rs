//! Whether real releases load and run quantized models: verdicts against what they did.

use std::collections::BTreeMap;
use std::io::Read;

use crate::corpus::{party, runtimes, verdict};
use unskew_core::{Finding, Party, Phase, aspect};

/// The files that the interpreter is tested with: quantized models that five releases wrote.
fn files() -> BTreeMap<String, Vec<u8>> {
    let packed = &include_bytes!("../../../interpreter/tests/data/quantized.tar.xz")[..];
    let mut archive = tar::Archive::new(liblzma::read::XzDecoder::new(packed));
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(name.trim_end_matches(".pt").to_owned(), bytes);
    }
    files
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
            let fails = verdict.first_failure() == Some(Phase::Load);
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
