//! Verdicts about real files, against what the real releases did with them.
//!
//! Every cell below was measured: the file was written by the release in whose folder it lies, then
//! loaded and run by the other, and the output compared with the writer's own.

use std::collections::BTreeMap;

use crate::corpus::{files, party, runtimes, split, verdict};
use unskew_core::{Finding, Party, Phase, Severity, Version};

/// What the release did with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Works,
    Refused,
    Crashes,
    /// Loads, runs, and gives another answer.
    Wrong,
}

/// What a verdict says, in the same words. A silent change of which it cannot be told whether it
/// concerns the file counts as said, because the finding says so.
fn said(findings: &[Finding]) -> Outcome {
    let errors = findings.iter().filter(|f| f.severity == Severity::Error);
    let first = errors.filter_map(|finding| finding.phase).min();
    let warned = findings.iter().any(|f| f.phase == Some(Phase::Silent));
    match first {
        Some(Phase::Load) => Outcome::Refused,
        Some(Phase::FirstUse) => Outcome::Crashes,
        Some(Phase::Silent) => Outcome::Wrong,
        None if warned => Outcome::Wrong,
        None => Outcome::Works,
    }
}

/// The measured outcome of a file on a release, where there is one.
fn measured(path: &str, runtime: &str) -> Option<Outcome> {
    let (writer, _, name, extension) = split(path);
    let reader: Version = runtime.parse().unwrap();
    let v = |major, minor| Version::pair(major, minor);
    let new_readers = ["1.13.1", "2.5.1", "2.9.1", "2.15.0"].contains(&runtime);
    if extension == "pt2" {
        let recent = ["2.9.1", "2.15.0"].contains(&runtime);
        let outcome = if writer < v(2, 6) { Outcome::Refused } else { Outcome::Works };
        return recent.then_some(outcome);
    }
    if runtime == "1.4.0" {
        let gelu = writer >= v(1, 12) && name.eq_ignore_ascii_case("gelu") && extension == "pt";
        return gelu.then_some(Outcome::Refused);
    }
    if !new_readers {
        return None;
    }
    if writer < v(1, 13) {
        return match (name, extension) {
            (_, "pt") if writer < v(1, 3) => Some(Outcome::Refused),
            (_, "ptl") if writer < v(1, 7) => Some(Outcome::Refused),
            ("qdiv", _) => Some(Outcome::Wrong),
            ("arange", "pt") if writer < v(1, 4) => Some(Outcome::Wrong),
            ("linspace" | "linspace_default" | "logspace_default", "ptl")
                if writer >= v(1, 10) && writer < v(1, 11) =>
            {
                Some(Outcome::Crashes)
            }
            (_, "pt") => Some(Outcome::Works),
            _ => None,
        };
    }
    // What 1.13 and later wrote loads everywhere, but for the net that calls interpolate.
    let lanczos = name == "Net" && writer >= v(2, 12) && reader < v(2, 12);
    match extension {
        "pt" => Some(if lanczos { Outcome::Refused } else { Outcome::Works }),
        "ptl" | "ff" if reader >= writer => Some(Outcome::Works),
        _ => None,
    }
}

#[test]
fn verdicts_agree_with_what_the_releases_did() {
    let (files, _) = files();
    let runtimes = runtimes();
    let (mut agreed, mut cells) = (0, 0);
    let mut by_outcome: BTreeMap<Outcome, usize> = BTreeMap::new();
    for (path, bytes) in &files {
        let file = party(path, bytes);
        for (name, runtime) in &runtimes {
            let Some(want) = measured(path, name) else { continue };
            let verdict = verdict(&file, runtime);
            let found = said(&verdict.findings);
            cells += 1;
            *by_outcome.entry(want).or_default() += 1;
            if found == want {
                agreed += 1;
            } else {
                println!("{path} on {name}: {want:?}, said {found:?}: {:?}", verdict.findings);
            }
        }
    }
    println!("agreement {agreed}/{cells} {by_outcome:?}");
    assert_eq!(agreed, cells);
    assert!(cells > 1000);
}

#[test]
fn every_release_loads_what_it_wrote_itself() {
    let (files, _) = files();
    let runtimes = runtimes();
    let mut cells = 0;
    for (path, bytes) in &files {
        let (_, release, ..) = split(path);
        let Some(runtime) = runtimes.get(release) else { continue };
        let verdict = verdict(&party(path, bytes), runtime);
        assert!(verdict.works(), "{path}: {:?}", verdict.findings);
        cells += 1;
    }
    println!("agreement {cells}/{cells}");
    assert!(cells > 600);
}

#[test]
fn the_mobile_net_of_2_15_misses_as_many_operators_as_were_measured() {
    let (files, _) = files();
    let runtimes = runtimes();
    let net = party("Net.ptl", &files["2.15.0/Net.ptl"]);
    let missing = |runtime: &Party| {
        let codes = ["OP001", "OP002"];
        verdict(&net, runtime).findings.iter().filter(|f| codes.contains(&f.rule.code)).count()
    };
    let measured = [
        ("1.4.0", 26),
        ("1.5.1", 15),
        ("1.7.1", 6),
        ("1.8.1", 6),
        ("1.9.1", 6),
        ("1.10.2", 6),
        ("1.11.0", 1),
        ("1.13.1", 1),
        ("2.5.1", 1),
        ("2.11.0", 1),
        ("2.12.1", 0),
        ("2.15.0", 0),
    ];
    let found: Vec<(&str, usize)> =
        measured.iter().map(|(name, _)| (*name, missing(&runtimes[*name]))).collect();
    println!("{found:?}");
    assert_eq!(found, measured);
}
