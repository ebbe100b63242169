//! Whether real releases load real files: verdicts against what nine of them did.
//!
//! `data/loads.tsv` was made by loading each file in each release, 1.4.0 to 1.12.1, in a process of its
//! own. It says nothing about answers, only about loading; `verdicts.rs` has those.

use std::path::Path;

use crate::corpus::{files, party, runtimes, verdict};
use unskew_core::{Party, Phase};

/// The bytes of a file of the table; none for one of a corpus that was not fetched.
fn bytes(files: &std::collections::BTreeMap<String, Vec<u8>>, path: &str) -> Option<Vec<u8>> {
    let root = Path::new(env!("UNSKEW_ROOT"));
    files.get(path).cloned().or_else(|| std::fs::read(root.join(path)).ok())
}

#[test]
fn verdicts_say_what_nine_real_releases_did_on_loading() {
    let (files, _) = files();
    let runtimes = runtimes();
    let table = include_str!("../data/loads.tsv");
    let mut rows = table.lines().filter(|line| !line.starts_with('#'));
    let releases: Vec<&Party> =
        rows.next().unwrap().split('\t').skip(1).map(|release| &runtimes[release]).collect();
    let (mut cells, mut skipped, mut wrong) = (0, 0, Vec::new());
    for row in rows {
        let mut row = row.split('\t');
        let path = row.next().unwrap();
        let Some(bytes) = bytes(&files, path) else {
            println!("skipped: {path} is not there; run cargo xtask corpus");
            skipped += 1;
            continue;
        };
        let file = party(path.rsplit('/').next().unwrap(), &bytes);
        for (release, outcome) in releases.iter().zip(row).filter(|(_, outcome)| *outcome != "-") {
            let verdict = verdict(&file, release);
            let loads = verdict.first_failure() != Some(Phase::Load);
            cells += 1;
            if loads != (outcome == "ok") {
                let codes: Vec<&str> = verdict.findings.iter().map(|f| f.rule.code).collect();
                wrong.push(format!("{path} in {}: {outcome}, said {codes:?}", release.name));
            }
        }
    }
    println!("agreement {}/{cells} loads", cells - wrong.len());
    assert!(skipped < 10, "only files of the corpus may be missing");
    assert!(wrong.is_empty(), "{} of {cells} disagree:\n{}", wrong.len(), wrong.join("\n"));
}
