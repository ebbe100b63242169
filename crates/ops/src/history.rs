//! The operator tables of all releases as one sorted text.
//!
//! Twenty-seven tables of PyTorch are 9 MB; each of their 9,682 distinct schemas written once with
//! its runs of releases is 1 MB. The lines are sorted, so a name is found by halving the text, with
//! nothing read or built before; what was found is parsed once and kept.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use unskew_core::Version;

use crate::{OperatorTable, Runs, Schema, SchemaError};

/// What the first line begins with, before the releases.
pub(crate) const HEADER: &str = "#releases\t";

/// One schema and the releases that have it.
#[derive(Debug)]
pub struct Definition {
    /// The schema as its release writes it.
    pub text: String,
    /// The same, parsed.
    pub schema: Schema,
    /// The releases that have it.
    pub runs: Runs,
}

/// Why a text is no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// The first line does not say which releases there are.
    #[error("an operator history begins with a line \"#releases<TAB>1.3.1 1.4.0 ...\"")]
    NoReleases,
    /// A line is no row.
    #[error("operator history, line {line}: a row is \"schema<TAB>runs\": {text}")]
    Row {
        /// The line, counted from 1.
        line: usize,
        /// Its text.
        text: String,
    },
    /// The lines are out of order, so names could not be found.
    #[error("operator history, line {0}: out of order")]
    Unsorted(usize),
    /// A row's schema cannot be parsed.
    #[error("operator history, line {line}: {error}")]
    Schema {
        /// The line, counted from 1.
        line: usize,
        /// The cause.
        error: SchemaError,
    },
}

/// The operator tables of all releases of one runtime.
#[derive(Debug)]
pub struct OperatorHistory {
    text: Cow<'static, str>,
    releases: Vec<Version>,
    parsed: RwLock<HashMap<String, Arc<[Definition]>>>,
}

impl OperatorHistory {
    /// A history from its text: a first line with the releases, then rows `schema<TAB>runs` in the
    /// order of their bytes. Only the first line is read.
    ///
    /// # Errors
    /// If the first line does not name the releases.
    pub fn from_text(text: impl Into<Cow<'static, str>>) -> Result<Self, HistoryError> {
        let text = text.into();
        let header = text.lines().next().and_then(|line| line.strip_prefix(HEADER));
        let header = header.ok_or(HistoryError::NoReleases)?;
        let releases: Result<Vec<Version>, _> = header.split(' ').map(str::parse).collect();
        let releases = releases.map_err(|_| HistoryError::NoReleases)?;
        Ok(Self { text, releases, parsed: RwLock::default() })
    }

    /// All releases, oldest first.
    pub fn releases(&self) -> &[Version] {
        &self.releases
    }

    /// The table of one release, if it is known.
    pub fn table(self: &Arc<Self>, release: Version) -> Option<OperatorTable> {
        let known = self.releases.contains(&release);
        known.then(|| OperatorTable::new(self.clone(), release))
    }

    /// Every row: the schema and the runs, as they are written.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.lines().skip(1).filter_map(|line| line.split_once('\t'))
    }

    /// The text, as it is stored.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Every definition that any release has under `name`; parsed once, then kept. Rows that cannot
    /// be parsed are left out; [`Self::validate`] finds them.
    pub fn named(&self, name: &str) -> Arc<[Definition]> {
        let kept = self.parsed.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(definitions) = kept.get(name) {
            return definitions.clone();
        }
        drop(kept);
        let definitions: Arc<[Definition]> = self
            .rows_named(name)
            .filter_map(|(text, runs)| {
                let schema = text.parse().ok()?;
                Some(Definition { text: text.to_owned(), schema, runs: runs.parse().ok()? })
            })
            .collect();
        let mut kept = self.parsed.write().unwrap_or_else(PoisonError::into_inner);
        kept.entry(name.to_owned()).or_insert(definitions).clone()
    }

    /// Whether any release has an operator in `namespace`.
    pub fn has_namespace(&self, namespace: &str) -> bool {
        let prefix = format!("{namespace}::");
        let rest = self.text.get(self.lower_bound(&prefix)..).unwrap_or("");
        rest.starts_with(&prefix)
    }

    /// The rows of one name. In the order of bytes `(` and `.` stand before every letter and `_`, so
    /// they are consecutive.
    fn rows_named<'h>(&'h self, name: &'h str) -> impl Iterator<Item = (&'h str, &'h str)> {
        let belongs = move |line: &str| {
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '.']))
        };
        let rest = self.text.get(self.lower_bound(name)..).unwrap_or("");
        rest.lines().take_while(move |line| belongs(line)).filter_map(|line| line.split_once('\t'))
    }

    /// Where the first line stands that is not below `name(`.
    fn lower_bound(&self, name: &str) -> usize {
        let text = self.text.as_bytes();
        let below = |line: &[u8]| {
            let common = line.len().min(name.len());
            match line[..common].cmp(&name.as_bytes()[..common]) {
                std::cmp::Ordering::Equal => line.len() <= name.len(),
                order => order.is_lt(),
            }
        };
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let start = text[low..middle].iter().rposition(|b| *b == b'\n');
            let start = start.map_or(low, |at| low + at + 1);
            let len = text[start..].iter().position(|b| *b == b'\n');
            let end = len.map_or(text.len(), |len| start + len);
            if below(&text[start..end]) {
                low = (end + 1).min(text.len());
            } else {
                high = start;
            }
        }
        low
    }

    /// Reads every row, for the tests of whoever ships a history.
    ///
    /// # Errors
    /// The first row that is out of order or cannot be parsed.
    pub fn validate(&self) -> Result<(), HistoryError> {
        let mut before = "";
        for (i, line) in self.text.lines().enumerate().skip(1) {
            if line <= before {
                return Err(HistoryError::Unsorted(i + 1));
            }
            before = line;
            let row = || HistoryError::Row { line: i + 1, text: line.to_owned() };
            let (schema, runs) = line.split_once('\t').ok_or_else(row)?;
            runs.parse::<Runs>().map_err(|_| row())?;
            let parsed: Result<Schema, _> = schema.parse();
            parsed.map_err(|error| HistoryError::Schema { line: i + 1, error })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#releases\t1.0 2.0\n\
        a::add(int a) -> int\t1.0\n\
        a::add.out(int a) -> int\t1.0-\n\
        a::add_(int a) -> int\t1.0-\n\
        a::addmm(int a) -> int\t2.0-\n\
        b::z(int a) -> int\t2.0-\n";

    #[test]
    fn a_name_is_found_with_all_its_overloads_and_no_other_name() {
        let history = OperatorHistory::from_text(TEXT).unwrap();
        history.validate().unwrap();
        for (name, count) in
            [("a::add", 2), ("a::add_", 1), ("a::ad", 0), ("b::z", 1), ("", 0), ("z", 0)]
        {
            assert_eq!(history.named(name).len(), count, "{name}");
            assert_eq!(history.named(name).len(), count, "{name}, kept");
        }
        assert!(history.has_namespace("a") && history.has_namespace("b"));
        assert!(!history.has_namespace("aa") && !history.has_namespace(""));
    }

    #[test]
    fn a_text_that_is_no_history_is_refused() {
        assert_eq!(OperatorHistory::from_text("").err(), Some(HistoryError::NoReleases));
        let unsorted = "#releases\t1.0\nb() -> ()\t1.0-\na() -> ()\t1.0-\n";
        let history = OperatorHistory::from_text(unsorted).unwrap();
        assert_eq!(history.validate(), Err(HistoryError::Unsorted(3)));
    }
}
