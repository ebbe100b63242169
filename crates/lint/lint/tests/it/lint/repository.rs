//! Repositories that tests make, with commits of chosen days.

use std::path::Path;
use std::process::Command;

use unskew_c_headers::Headers;
use unskew_core::Date;
use unskew_kinds::{CompareOptions, Direction, FileChange, FileComparison, InterfaceKind, Level};
use unskew_lint::{
    Histories, Known, LintConfig, LintConfigError, LintRequest, LintResult, Sources, lint,
};
use unskew_source::{Files, NotRead};

/// A kind of files that are lists of names, one a line: the smallest that there can be. A name that is gone
/// breaks those who wrote it; one that is new breaks readers that do not have it.
pub struct Names;

impl Names {
    fn set(files: &Files) -> std::collections::BTreeMap<String, String> {
        let lines = |(file, bytes): (&str, &[u8])| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let file = file.to_owned();
            let names: Vec<String> = text.lines().map(str::to_owned).collect();
            names
                .into_iter()
                .enumerate()
                .map(move |(at, name)| (name, format!("{file}:{}", at + 1)))
        };
        files.iter().flat_map(lines).collect()
    }
}

impl InterfaceKind for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn title(&self) -> &'static str {
        "lists of names"
    }

    fn recognizes(&self, name: &str, _head: &[u8]) -> bool {
        name.ends_with(".names")
    }

    fn options(&self) -> &'static [&'static str] {
        &["case"]
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        _: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        let (old, new) = (Self::set(old), Self::set(new));
        let mut found = FileComparison::default();
        let mut add = |name: &str, at: &str, direction| {
            let finding = unskew_c_headers::rules::FunctionGone { name: &name }.finding();
            let file = at.split(':').next().unwrap();
            let change = FileChange::new(finding, file, name).on(Level::Wire).breaking(direction);
            found.changes.push(change);
        };
        for (name, at) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
            add(name, at, Direction::Backward);
        }
        for (name, at) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            add(name, at, Direction::Forward);
        }
        Ok(found)
    }

    fn items(
        &self,
        files: &Files,
        _: &CompareOptions<'_>,
    ) -> Result<Option<std::collections::BTreeMap<String, String>>, NotRead> {
        Ok(Some(Self::set(files)))
    }
}

pub const KINDS: &[&dyn InterfaceKind] = &[&Headers, &Names, &Histories];

/// The configuration in the text of an `unskew.toml`.
pub fn config(text: &str) -> Result<LintConfig, LintConfigError> {
    let rules =
        [unskew_lint::rules::RULES, unskew_c_headers::rules::RULES, unskew_history::rules::RULES];
    let is_rule = |code: &str| rules.iter().copied().flatten().any(|rule| rule.code == code);
    LintConfig::from_toml("unskew.toml", text, Known { kinds: KINDS, is_rule: &is_rule })
}

pub fn day(text: &str) -> Date {
    text.parse().unwrap()
}

/// Lints the working tree of a folder.
pub fn lint_at(folder: &Path, config: &LintConfig, as_of: &str) -> LintResult {
    let sources = Sources::new(folder, None);
    let (file, baseline, as_of) = ("unskew.toml", None, day(as_of));
    lint(&LintRequest { sources: &sources, file, config, baseline, as_of })
}

pub struct Repository(pub tempfile::TempDir);

impl Repository {
    pub fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        made.git(&["init", "--quiet", "--initial-branch=main"], "2026-01-01");
        made
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn git(&self, arguments: &[&str], day: &str) -> String {
        let mut git = Command::new("git");
        git.current_dir(self.path()).args(arguments);
        for (name, value) in [("NAME", "a"), ("EMAIL", "a@example.org")] {
            git.env(format!("GIT_AUTHOR_{name}"), value);
            git.env(format!("GIT_COMMITTER_{name}"), value);
        }
        let noon = format!("{day}T12:00:00Z");
        git.env("GIT_AUTHOR_DATE", &noon).env("GIT_COMMITTER_DATE", &noon);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        git.env_remove("GIT_DIR").env_remove("GIT_INDEX_FILE").env_remove("GIT_WORK_TREE");
        let ran = git.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "git {arguments:?}: {said}");
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    pub fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes a file and commits it on a day.
    pub fn commit(&self, file: &str, text: &str, day: &str) -> String {
        self.write(file, text);
        self.git(&["add", "--all"], day);
        self.git(&["commit", "--quiet", "--message", file], day);
        self.git(&["rev-parse", "HEAD"], day)
    }

    /// Lints the working tree.
    pub fn lint(&self, promises: &str, as_of: &str) -> LintResult {
        let config = config(promises).unwrap_or_else(|error| panic!("{error}"));
        lint_at(self.path(), &config, as_of)
    }
}

/// The codes of the findings that count, in order.
pub fn codes(outcome: &LintResult) -> Vec<&'static str> {
    assert!(outcome.failures.is_empty(), "{:?}", outcome.failures);
    let findings = outcome.judged.iter().flat_map(|judged| &judged.findings);
    findings.filter(|finding| finding.accepted.is_none()).map(|f| f.rule.code).collect()
}

/// The first finding of a rule.
pub fn finding<'a>(outcome: &'a LintResult, code: &str) -> &'a unskew_core::Finding {
    let mut findings = outcome.judged.iter().flat_map(|judged| &judged.findings);
    findings.find(|finding| finding.rule.code == code).unwrap_or_else(|| panic!("no {code}"))
}
