//! Locks as a kind of files.

use std::collections::{BTreeMap, BTreeSet};

use super::lock::{SerdesLock, difference};
use crate::rules;
use unskew_history::Chronicle;
use unskew_kinds::{CompareOptions, Direction, FileChange, FileComparison, InterfaceKind, Level};
use unskew_source::{Files, NotRead};

/// Locks of `unskew-serdes`, as its derive writes them: see the guide to versions of serialized types.
///
/// Options: `history`, the path of the dated history of the family, which says which versions there are and from
/// which on they are read; `current`, the newest version that this code writes, where the history knows newer ones
/// of others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serdes;

impl InterfaceKind for Serdes {
    fn name(&self) -> &'static str {
        "serdes"
    }

    fn title(&self) -> &'static str {
        "locks of serialized types"
    }

    fn recognizes(&self, name: &str, head: &[u8]) -> bool {
        name.ends_with(".lock") && head.starts_with(b"# What each type looks like at each version")
    }

    fn options(&self) -> &'static [&'static str] {
        &["history", "current"]
    }

    fn compare(
        &self,
        old: &Files,
        new: &Files,
        terms: &CompareOptions<'_>,
    ) -> Result<FileComparison, NotRead> {
        old.check_sizes().and_then(|()| new.check_sizes())?;
        let path = terms.options.and_then(|options| options.get("history"));
        let path = path.map(|value| {
            value
                .as_str()
                .ok_or_else(|| NotRead::new("", format!("the option `history` is a path: {value}")))
        });
        let path = path.transpose()?;
        let history = path.map(|path| history(path, new)).transpose()?;
        let current = current(terms)?;
        let mut found = FileComparison::default();
        let one = old.len() == 1 && new.len() == 1;
        for (name, bytes) in new.iter().filter(|(name, _)| Some(*name) != path) {
            let is = SerdesLock::read(&String::from_utf8_lossy(bytes));
            for (line, what) in &is.problems {
                let finding = rules::LockNotRead { what }.finding();
                let finding = finding.at([format!("{name}:{line}")].into_iter().collect());
                found.changes.push(FileChange::new(finding, name, what.as_str()));
            }
            let before =
                old.get(name).or_else(|| old.iter().next().filter(|_| one).map(|(_, b)| b));
            let was = before.map(|bytes| SerdesLock::read(&String::from_utf8_lossy(bytes)));
            let (was, history) = (was.as_ref(), history.as_ref());
            let judged = Judged { name, is: &is, was, history, current };
            judged.known(&mut found.changes);
            judged.compare(&mut found.changes);
        }
        Ok(found)
    }

    fn items(
        &self,
        files: &Files,
        _terms: &CompareOptions<'_>,
    ) -> Result<Option<BTreeMap<String, String>>, NotRead> {
        let mut items = BTreeMap::new();
        for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".lock")) {
            for ((of, version), line) in SerdesLock::read(&String::from_utf8_lossy(bytes)).lines {
                items.insert(format!("{of} {version}"), format!("{name}:{}", line.line));
            }
        }
        Ok(Some(items))
    }
}

/// The newest version that this code writes, if that is said.
fn current(terms: &CompareOptions<'_>) -> Result<Option<u32>, NotRead> {
    let value = terms.options.and_then(|options| options.get("current"));
    let number = |value: &toml::Value| value.as_integer().and_then(|n| u32::try_from(n).ok());
    let wrong = |value: &toml::Value| {
        NotRead::new("", format!("the option `current` is the number of a version: {value}"))
    };
    value.map(|value| number(value).ok_or_else(|| wrong(value))).transpose()
}

fn history(path: &str, files: &Files) -> Result<Chronicle, NotRead> {
    let bytes = files.get(path).ok_or_else(|| {
        NotRead::new(
            path,
            "no such file; the option `history` names one of the files of the boundary",
        )
    })?;
    Chronicle::read(path, bytes).ok_or_else(|| NotRead::new(path, "no dated history"))
}

/// A lock with what it is held against.
struct Judged<'a> {
    name: &'a str,
    is: &'a SerdesLock,
    was: Option<&'a SerdesLock>,
    history: Option<&'a Chronicle>,
    /// The newest version that is written here.
    current: Option<u32>,
}

impl Judged<'_> {
    fn add(
        &self,
        changes: &mut Vec<FileChange>,
        subject: String,
        finding: unskew_core::Finding,
        line: usize,
    ) {
        let place = if line == 0 { self.name.to_owned() } else { format!("{}:{line}", self.name) };
        let finding = finding.at([place].into_iter().collect());
        changes.push(FileChange::new(finding, self.name, subject).on(Level::Wire));
    }

    fn minimum(&self) -> i64 {
        self.history.and_then(Chronicle::minimum).map_or(0, unskew_core::Version::major)
    }

    /// The versions of the lock, held against those of the history.
    fn known(&self, changes: &mut Vec<FileChange>) {
        let Some(history) = self.history else { return };
        let versions: BTreeSet<i64> =
            history.steps.iter().map(|step| step.version.major()).collect();
        let mut told = BTreeSet::new();
        for ((of, version), line) in &self.is.lines {
            if !versions.contains(&i64::from(*version)) && told.insert(*version) {
                let rule = rules::VersionNotInHistory { version, history: &history.file };
                self.add(changes, format!("{of} {version}"), rule.finding(), line.line);
            }
        }
        let known = versions.last().and_then(|newest| u32::try_from(*newest).ok());
        let newest = known.map(|known| self.current.map_or(known, |current| current.min(known)));
        if let (Some(newest), Some(last)) = (newest, self.is.last())
            && last < newest
        {
            let rule = rules::NewestNotLocked { version: &newest, last: &last };
            self.add(changes, format!("version {newest}"), rule.finding(), 0);
        }
    }

    fn compare(&self, changes: &mut Vec<FileChange>) {
        let Some(was) = self.was else { return };
        for ((of, version), before) in &was.lines {
            let subject = format!("{of} {version}");
            match self.is.lines.get(&(of.clone(), *version)) {
                Some(after) if after.text == before.text => {}
                Some(after) => {
                    let next = was.last().unwrap_or(*version).saturating_add(1);
                    let how = difference(&before.text, &after.text);
                    let rule =
                        rules::LockedFormatChanged { name: of, version, how: &how, next: &next };
                    self.add(changes, subject, rule.finding(), after.line);
                }
                None if i64::from(*version) < self.minimum() => {}
                None => {
                    let rule = rules::LockedFormatRemoved { name: of, version };
                    self.add(changes, subject, rule.finding(), 0);
                    if let Some(change) = changes.last_mut() {
                        change.breaks = Some(Direction::Backward);
                    }
                }
            }
        }
        let last = was.last().unwrap_or(0);
        for ((of, version), line) in &self.is.lines {
            if was.lines.contains_key(&(of.clone(), *version)) {
                continue;
            }
            let subject = format!("{of} {version}");
            match was.newest(of) {
                // A type that did not exist cannot have been in a version that is out.
                None if *version <= last && self.was.is_some_and(|was| !was.lines.is_empty()) => {
                    let rule = rules::TypeInOldVersion { name: of, version, last: &last };
                    self.add(changes, subject, rule.finding(), line.line);
                }
                before => self.came(changes, (of, *version, line), before),
            }
        }
    }

    /// A version of a type that is new, and how it differs from the one before.
    fn came(
        &self,
        changes: &mut Vec<FileChange>,
        (of, version, line): (&String, u32, &super::Line),
        before: Option<u32>,
    ) {
        let before = before.and_then(|at| self.was?.lines.get(&(of.clone(), at)));
        let how = match before {
            Some(before) if before.text == line.text => return,
            Some(before) => difference(&before.text, &line.text),
            None => "is new".to_owned(),
        };
        let rule = rules::FormatOfNewVersion { name: of, version: &version, how: &how };
        self.add(changes, format!("{of} {version}"), rule.finding(), line.line);
    }
}
