//! The op registries of all releases as one sorted text.
//!
//! Thirty-nine registries hold 54,000 ops, of which 3,600 are distinct. Each stands on one line with
//! the runs of releases that have it. The lines are sorted, so a name is found by halving the text,
//! with nothing read or built before; what was found is parsed once and kept.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, PoisonError, RwLock};

use unskew_core::Version;
use unskew_ops::Runs;

use crate::{OpDef, OpTextError};

/// What the first line begins with, before the releases.
const HEADER: &str = "#releases\t";

/// One op as some releases define it.
#[derive(Debug)]
pub struct Definition {
    /// The op.
    pub op: OpDef,
    /// The releases that define it so.
    pub runs: Runs,
}

/// Why a text is no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpHistoryError {
    /// The first line does not say which releases there are.
    #[error("a history of ops begins with a line \"#releases<TAB>1.15.0 2.0.4 ...\"")]
    NoReleases,
    /// A line is no row.
    #[error("history of ops, line {line}: a row is \"op<TAB>runs\"")]
    Row {
        /// The line, counted from 1.
        line: usize,
    },
    /// The lines are out of order, so names could not be found.
    #[error("history of ops, line {0}: out of order")]
    Unsorted(usize),
    /// A row's op cannot be parsed, or is not written in the one form.
    #[error("history of ops, line {line}: {error}")]
    Op {
        /// The line, counted from 1.
        line: usize,
        /// The cause.
        error: OpTextError,
    },
}

/// What a registry changed, against the release before it in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistryChange {
    /// Definitions that the release has and its predecessor had not.
    pub added: Vec<String>,
    /// Definitions that its predecessor had and the release has not.
    pub removed: Vec<String>,
}

/// The op registries of all releases.
///
/// ```
/// use unskew_tensorflow::OpHistory;
/// let history = OpHistory::from_text(
///     "#releases\t1.4.1 1.15.0\n\
///      Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type}\t1.4.1\n\
///      Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type, Truncate: bool = false}\t1.15.0-\n",
/// ).unwrap();
/// assert_eq!(history.named("Cast").len(), 2);
/// assert!(history.named("Cas").is_empty());
/// ```
#[derive(Debug)]
pub struct OpHistory {
    text: Cow<'static, str>,
    releases: Vec<Version>,
    parsed: RwLock<HashMap<String, Arc<[Definition]>>>,
}

impl OpHistory {
    /// A history from its text: a first line with the releases, then rows `op<TAB>runs` in the order
    /// of their bytes. Only the first line is read.
    ///
    /// # Errors
    /// If the first line does not name the releases.
    pub fn from_text(text: impl Into<Cow<'static, str>>) -> Result<Self, OpHistoryError> {
        let text = text.into();
        let header = text.lines().next().and_then(|line| line.strip_prefix(HEADER));
        let header = header.ok_or(OpHistoryError::NoReleases)?;
        let releases: Result<Vec<Version>, _> = header.split(' ').map(str::parse).collect();
        let releases = releases.map_err(|_| OpHistoryError::NoReleases)?;
        Ok(Self { text, releases, parsed: RwLock::default() })
    }

    /// All releases, oldest first.
    pub fn releases(&self) -> &[Version] {
        &self.releases
    }

    /// Every row: the op and the runs, as they are written.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.lines().skip(1).filter_map(|line| line.split_once('\t'))
    }

    /// The text, as it is stored.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every definition that any release has under `name`, oldest first; parsed once, then kept.
    /// Rows that cannot be parsed are left out; [`Self::validate`] finds them.
    pub fn named(&self, name: &str) -> Arc<[Definition]> {
        let kept = self.parsed.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(definitions) = kept.get(name) {
            return definitions.clone();
        }
        drop(kept);
        let mut definitions: Vec<Definition> = self
            .rows_named(name)
            .filter_map(|(op, runs)| {
                Some(Definition { op: op.parse().ok()?, runs: runs.parse().ok()? })
            })
            .collect();
        definitions.sort_by_key(|definition| definition.runs.iter().next().map(|run| run.since));
        let definitions: Arc<[Definition]> = definitions.into();
        // Names that no release has are not kept: a file may hold any number of them.
        if definitions.is_empty() {
            return definitions;
        }
        let mut kept = self.parsed.write().unwrap_or_else(PoisonError::into_inner);
        kept.entry(name.to_owned()).or_insert(definitions).clone()
    }

    /// The rows of one name: `(` stands before every letter in the order of bytes, so they are
    /// consecutive.
    fn rows_named<'h>(&'h self, name: &'h str) -> impl Iterator<Item = (&'h str, &'h str)> {
        let belongs =
            move |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
        let rest = self.text.get(self.lower_bound(name)..).unwrap_or("");
        rest.lines().take_while(move |line| belongs(line)).filter_map(|line| line.split_once('\t'))
    }

    /// Where the first line stands that is not below `name(`.
    fn lower_bound(&self, name: &str) -> usize {
        let text = self.text.as_bytes();
        let wanted = || name.bytes().chain(std::iter::once(b'('));
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = text[low..middle].iter().rposition(|b| *b == b'\n');
            let start = start.map_or(low, |at| low + at + 1);
            let len = text[start..].iter().position(|b| *b == b'\n');
            let end = len.map_or(text.len(), |len| start + len);
            if text[start..end].iter().copied().lt(wanted()) {
                low = (end + 1).min(text.len());
            } else {
                high = start;
            }
        }
        low
    }

    /// The text of this history with the registry of `release` in it, in place of what it said about
    /// that release before, and what changed against the release before it.
    pub fn with_release(&self, release: Version, ops: &[OpDef]) -> (String, RegistryChange) {
        let mut releases = self.releases.clone();
        releases.push(release);
        releases.sort_unstable();
        releases.dedup();
        let mut rows: BTreeMap<String, BTreeSet<Version>> = BTreeMap::new();
        for (op, runs) in self.rows() {
            let runs: Runs = runs.parse().unwrap_or_default();
            let others = self.releases.iter().copied().filter(|v| *v != release);
            rows.insert(op.to_owned(), others.filter(|v| runs.contains(*v)).collect());
        }
        for op in ops {
            rows.entry(op.to_string()).or_default().insert(release);
        }
        let before = releases.iter().rev().find(|v| **v < release).copied();
        let list: Vec<String> = releases.iter().map(Version::to_string).collect();
        let mut text = format!("{HEADER}{}\n", list.join(" "));
        let mut change = RegistryChange::default();
        for (op, has) in rows.into_iter().filter(|(_, has)| !has.is_empty()) {
            let _ = writeln!(text, "{op}\t{}", Runs::of(&releases, |v| has.contains(&v)));
            match (before.is_some_and(|b| has.contains(&b)), has.contains(&release)) {
                (false, true) => change.added.push(op),
                (true, false) => change.removed.push(op),
                _ => {}
            }
        }
        (text, change)
    }

    /// Reads every row, for the tests of whoever ships a history.
    ///
    /// # Errors
    /// The first row that is out of order or cannot be parsed.
    pub fn validate(&self) -> Result<(), OpHistoryError> {
        let mut before = "";
        for (i, row) in self.text.lines().enumerate().skip(1) {
            let line = i + 1;
            if row <= before {
                return Err(OpHistoryError::Unsorted(line));
            }
            before = row;
            let (op, runs) = row.split_once('\t').ok_or(OpHistoryError::Row { line })?;
            runs.parse::<Runs>().map_err(|_| OpHistoryError::Row { line })?;
            op.parse::<OpDef>().map_err(|error| OpHistoryError::Op { line, error })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    fn ops(lines: &[&str]) -> Vec<OpDef> {
        lines.iter().map(|line| line.parse().unwrap()).collect()
    }

    #[test]
    fn registries_merge_into_the_same_history_in_any_order() {
        let registries = [
            ("1.0", ops(&["A() -> ()", "B() -> ()"])),
            ("2.0", ops(&["AB() -> ()", "B() -> ()"])),
            ("3.0", ops(&["A() -> ()", "B() -> () stateful"])),
        ];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut history: Option<OpHistory> = None;
            for i in order {
                let (release, ops) = &registries[i];
                let seed = OpHistory::from_text(format!("#releases\t{release}\n")).unwrap();
                let before = history.as_ref().unwrap_or(&seed);
                let (text, _) = before.with_release(version(release), ops);
                history = OpHistory::from_text(text).ok();
            }
            let history = history.unwrap();
            history.validate().unwrap();
            assert_eq!(history.releases().len(), 3);
            assert_eq!(history.named("A").len(), 1);
            assert_eq!(history.named("A")[0].runs.to_string(), "1.0,3.0-");
            assert_eq!(history.named("B").len(), 2);
            assert_eq!(history.named("AB")[0].runs.to_string(), "2.0");
        }
    }
}
