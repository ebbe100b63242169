//! Every rule about formats and histories has a fixture on which it fires, and a snapshot of every fixture on
//! which it does: what one rule says of the fixtures of others is seen.
//!
//! A fixture is a folder `tests/fixtures/<CODE>-<name>` with the files `old.*` and `new.*`, or folders of
//! these names; the old side may be missing. `terms.toml` says what differs from the terms below, and `past/DAY.*`
//! are the states of the file in a repository.
//! With `UNSKEW_BLESS=1` the snapshots are written.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use unskew_core::{Date, Finding, Rule, Window};
use unskew_history::{Past, Reach, State};
use unskew_kinds::{Change, Kind, Terms};
use unskew_source::{Files, NotRead};

/// The day on which fixtures are judged.
const TODAY: Date = Date::constant(2026, 6, 1);

/// The rules of some families, and the folder in which their fixtures and snapshots are.
#[derive(Clone, Debug)]
pub struct Suite {
    /// `tests` of a crate, with the folders `fixtures` and `snapshots`.
    pub tests: PathBuf,
    /// The rules that are to have a fixture.
    pub rules: Vec<&'static Rule>,
    /// The kind of files that a family, `HI`, is about.
    pub kind: fn(&str) -> Option<&'static dyn Kind>,
}

/// One side of a fixture: a file that is called `format` with the ending it has, or the files of a folder.
fn side(fixture: &Path, name: &str) -> Files {
    let mut files = Files::default();
    let folder = fixture.join(name);
    if folder.is_dir() {
        let mut open = vec![folder.clone()];
        while let Some(next) = open.pop() {
            for entry in std::fs::read_dir(&next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let below = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
                    files.insert(below, std::fs::read(&path).unwrap());
                }
            }
        }
    }
    for entry in std::fs::read_dir(fixture).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.file_stem().unwrap() == name {
            let ending = path.extension().unwrap().to_string_lossy();
            files.insert(format!("format.{ending}"), std::fs::read(&path).unwrap());
        }
    }
    files
}

struct Fixture {
    name: String,
    old: Files,
    new: Files,
    terms: toml::Table,
    past: Vec<State>,
}

/// The states of the file of a fixture.
#[derive(Debug)]
struct Stated<'a>(&'a [State]);

impl Past for Stated<'_> {
    fn walk(
        &self,
        _: &str,
        visit: &mut dyn FnMut(State) -> ControlFlow<()>,
    ) -> Result<Reach, NotRead> {
        let _ = self.0.iter().rev().try_for_each(|state| visit(state.clone()));
        Ok(Reach::Whole)
    }
}

/// The states, oldest first: `past/2026-03-02.md`.
fn past(fixture: &Path) -> Vec<State> {
    let entries = std::fs::read_dir(fixture.join("past")).into_iter().flatten();
    let state = |path: PathBuf| {
        let day: Date = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        State { day, label: format!("commit of {day}"), bytes: std::fs::read(path).unwrap() }
    };
    let mut states: Vec<State> = entries.map(|entry| state(entry.unwrap().path())).collect();
    states.sort_by_key(|state| state.day);
    states
}

impl Fixture {
    fn judge(&self, suite: &Suite, old: &Files) -> Vec<Change> {
        let options = self.terms.get("options").and_then(toml::Value::as_table);
        let forward: Option<Window> =
            self.terms.get("forward").map(|text| text.as_str().unwrap().parse().unwrap());
        let past = Stated(&self.past);
        let terms = Terms {
            as_of: Some(TODAY),
            forward: forward.as_ref(),
            options,
            past: (!self.past.is_empty()).then_some(&past),
            ..Terms::default()
        };
        let kind = self.name.get(..2).and_then(suite.kind);
        let kind = kind.unwrap_or_else(|| panic!("a fixture of no kind: {}", self.name));
        kind.compare(old, &self.new, &terms).unwrap().changes
    }
}

fn fixtures(suite: &Suite) -> Vec<Fixture> {
    let mut all: Vec<Fixture> = std::fs::read_dir(suite.tests.join("fixtures"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let terms = std::fs::read_to_string(path.join("terms.toml")).unwrap_or_default();
            Fixture {
                name: path.file_name().unwrap().to_string_lossy().into_owned(),
                old: side(&path, "old"),
                new: side(&path, "new"),
                terms: toml::from_str(&terms).unwrap(),
                past: past(&path),
            }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn shown(fixture: &str, finding: &Finding, text: &mut String) {
    writeln!(text, "{fixture}: {}: {}", finding.severity, finding.message).unwrap();
    writeln!(text, "  at {}", finding.places).unwrap();
    if let Some(fix) = &finding.fix {
        writeln!(text, "  fix: {}", fix.replace('\n', "\n        ")).unwrap();
    }
}

/// Every rule fires on its fixture, and on no other unseen.
///
/// # Panics
/// If one does not, or a snapshot is not what the rules say.
pub fn every_rule_fires_on_its_fixture_and_nowhere_unseen(suite: &Suite) {
    let fixtures = fixtures(suite);
    let judged = |fixture: &'_ Fixture| fixture.judge(suite, &fixture.old);
    let found: BTreeMap<&str, Vec<Change>> =
        fixtures.iter().map(|fixture| (&*fixture.name, judged(fixture))).collect();
    let bless = std::env::var_os("UNSKEW_BLESS").is_some();
    let folder = suite.tests.join("snapshots");
    let (mut wanted, mut stale, mut silent) = (BTreeSet::new(), Vec::new(), Vec::new());
    for rule in &suite.rules {
        let own = format!("{}-{}", rule.code, rule.name);
        let mut text = String::new();
        for (name, changes) in &found {
            let of_rule = changes.iter().filter(|change| change.finding.rule.code == rule.code);
            for change in of_rule {
                shown(name, &change.finding, &mut text);
            }
        }
        if !text.lines().any(|line| line.starts_with(&format!("{own}: "))) {
            silent.push(own.clone());
        }
        let path = folder.join(format!("{own}.txt"));
        wanted.insert(path.clone());
        if bless {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &text).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
            stale.push(format!("{}:\n{text}", path.display()));
        }
    }
    assert!(silent.is_empty(), "rules that do not fire on their fixtures: {silent:?}");
    assert!(stale.is_empty(), "stale snapshots:\n{}", stale.join("\n"));
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(wanted.contains(&path), "a snapshot of no rule: {}", path.display());
    }
    for fixture in &fixtures {
        let known =
            suite.rules.iter().any(|rule| fixture.name == format!("{}-{}", rule.code, rule.name));
        assert!(known, "a fixture of no rule: {}", fixture.name);
    }
}

/// A side that is compared with itself has what it has alone, and no change.
///
/// # Panics
/// If it has one.
pub fn what_is_beside_itself_has_no_change(suite: &Suite) {
    for fixture in fixtures(suite) {
        let same = fixture.judge(suite, &fixture.new);
        let alone = fixture.judge(suite, &Files::default());
        let codes = |changes: &[Change]| -> Vec<&str> {
            changes.iter().map(|change| change.finding.rule.code).collect()
        };
        assert_eq!(codes(&same), codes(&alone), "{}", fixture.name);
    }
}
