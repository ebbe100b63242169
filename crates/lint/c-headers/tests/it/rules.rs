//! Every rule has a pair of headers on which it fires, and a snapshot of every pair on which it does: what
//! one rule says of the fixtures of others is seen.
//!
//! A fixture is a folder `tests/fixtures/<CODE>-<name>` with `old.h` and `new.h`, or with two folders `old`
//! and `new`. `UNSKEW_BLESS=1 cargo test -p unskew-c-headers --test it rules` writes the snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::common::{self, diff_bytes};
use unskew_c_headers::change::Comparison;
use unskew_c_headers::rules::RULES;
use unskew_core::Severity;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// One side of a fixture: the names and texts of its headers.
fn side(fixture: &Path, name: &str) -> Vec<(String, Vec<u8>)> {
    let file = fixture.join(format!("{name}.h"));
    if file.exists() {
        return vec![("api.h".to_owned(), std::fs::read(file).unwrap())];
    }
    common::headers(&fixture.join(name))
}

fn view(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect()
}

fn fixtures() -> BTreeMap<String, Comparison> {
    let entries = std::fs::read_dir(tests().join("fixtures")).unwrap();
    let mut fixtures = BTreeMap::new();
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (old, new) = (side(&path, "old"), side(&path, "new"));
        fixtures.insert(name, diff_bytes(&view(&old), &view(&new), None));
    }
    fixtures
}

#[test]
fn every_rule_fires_on_its_fixture_and_nowhere_unseen() {
    let fixtures = fixtures();
    let bless = std::env::var_os("UNSKEW_BLESS").is_some();
    let folder = tests().join("snapshots");
    let mut wanted = BTreeSet::new();
    let mut stale = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.family() == "HD") {
        let own = format!("{}-{}", rule.code, rule.name);
        let mut text = String::new();
        let mut fired = false;
        for (name, comparison) in &fixtures {
            for change in comparison.changes.iter().filter(|c| c.finding.rule.code == rule.code) {
                let finding = &change.finding;
                fired |= *name == own;
                let (severity, message) = (finding.severity, &finding.message);
                writeln!(text, "{name}: {severity}, {}: {message}", change.class).unwrap();
                writeln!(text, "  at {}", finding.places).unwrap();
                if let Some(fix) = &finding.fix {
                    writeln!(text, "  fix: {fix}").unwrap();
                }
            }
        }
        assert!(fired, "{own} does not fire on its fixture");
        let path = folder.join(format!("{own}.txt"));
        wanted.insert(path.clone());
        if bless {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
            stale.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(stale.is_empty(), "stale snapshots:\n{}", stale.join("\n"));
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(wanted.contains(&path), "a snapshot of no rule: {}", path.display());
    }
    for name in fixtures.keys() {
        let known = RULES.iter().any(|rule| *name == format!("{}-{}", rule.code, rule.name));
        assert!(known, "a fixture of no rule: {name}");
    }
}

#[test]
fn a_header_beside_itself_has_no_change() {
    for entry in std::fs::read_dir(tests().join("fixtures")).unwrap() {
        let path = entry.unwrap().path();
        for name in ["old", "new"] {
            let files = side(&path, name);
            let comparison = diff_bytes(&view(&files), &view(&files), None);
            // What stands in the header, and is no change: sizes that are wrong already.
            let standing = ["HD002", "HD004", "HD007", "HD008"];
            let changed: Vec<_> = comparison
                .findings()
                .filter(|f| !standing.contains(&f.rule.code) || f.severity == Severity::Note)
                .collect();
            assert!(changed.is_empty(), "{}: {changed:?}", path.display());
        }
    }
}
