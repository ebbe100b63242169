//! Definitions of all releases of a runtime, as one sorted text.
//!
//! Each distinct definition stands on one line with the runs of releases that have it. The lines are
//! sorted, so a name is found by halving the text, with nothing read or built before; what was found is
//! parsed by whoever knows the definitions, once, and [`DefinitionCache`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use foldhash::HashMap;
use unskew_core::Version;

use crate::text::cut;
use crate::{RowsText, Runs};

/// What the first line begins with, before the releases.
const HEADER: &str = "#releases\t";

/// A sorted text of definitions. A definition begins with its name, behind which stands `(` or `.`.
#[derive(Debug)]
pub struct Rows {
    text: RowsText,
    releases: Vec<Version>,
}

/// Why a text is no history.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionRowsError {
    /// The first line does not say which releases there are.
    #[error("a history begins with a line \"#releases<TAB>1.3.1 1.4.0 ...\"")]
    NoReleases,
    /// A line is no row.
    #[error("history, line {line}: a row is \"definition<TAB>runs\": {text}")]
    Row {
        /// The line, counted from 1.
        line: usize,
        /// The text of the line as it stands in the file.
        text: String,
    },
    /// The lines are out of order, so names could not be found.
    #[error("history, line {0}: out of order")]
    Unsorted(usize),
    /// A row's definition cannot be parsed.
    #[error("history, line {line}: {error}")]
    Definition {
        /// The line, counted from 1.
        line: usize,
        /// Why the text is no definition.
        error: String,
    },
}

/// What a release's table changed, against the release before it in the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableChange {
    /// Definitions that the release has and its predecessor had not.
    pub added: Vec<String>,
    /// Definitions that its predecessor had and the release has not.
    pub removed: Vec<String>,
    /// Lines of the table that are no definitions, which are left out.
    pub refused: Vec<String>,
}

impl Rows {
    /// The rows of a text: a first line with the releases, then `definition<TAB>runs` in the order of
    /// their bytes. Only the first line is read.
    ///
    /// # Errors
    /// If the first line does not name the releases.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        let text = text.into();
        let header = text.header().strip_prefix(HEADER).ok_or(DefinitionRowsError::NoReleases)?;
        let releases: Result<Vec<Version>, _> = header.split(' ').map(str::parse).collect();
        let releases = releases.map_err(|_| DefinitionRowsError::NoReleases)?;
        Ok(Self { text, releases })
    }

    /// All releases, oldest first.
    pub fn releases(&self) -> &[Version] {
        &self.releases
    }

    /// The text, as it is stored.
    pub fn text(&self) -> Cow<'_, str> {
        self.text.whole()
    }

    /// Every row: the definition and the runs, as they are written.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.rows().filter_map(|line| line.split_once('\t'))
    }

    /// The definitions that one release has, as they are written.
    pub fn definitions_of(&self, release: Version) -> impl Iterator<Item = &str> {
        let has = move |runs: &str| runs.parse().is_ok_and(|runs: Runs| runs.contains(release));
        self.iter().filter(move |(_, runs)| has(runs)).map(|(definition, _)| definition)
    }

    /// The rows of one name. In the order of bytes `(` and `.` stand before every letter and `_`, so
    /// they are consecutive.
    pub fn named<'h>(&'h self, name: &'h str) -> impl Iterator<Item = (&'h str, &'h str)> {
        let belongs = move |line: &str| {
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '.']))
        };
        let lines = self.text.rows_from(name).take_while(move |line| belongs(line));
        lines.filter_map(|line| cut(line, b'\t'))
    }

    /// Whether a definition begins with `prefix`.
    pub fn begins_with(&self, prefix: &str) -> bool {
        self.text.rows_from(prefix).next().is_some_and(|line| line.starts_with(prefix))
    }

    /// The text with the table of `release` in it, in place of what `rows` said about that release
    /// before, and what changed against the release before it. There may be no rows yet.
    pub fn with_release(
        rows: Option<&Self>,
        release: Version,
        definitions: Vec<String>,
    ) -> (String, TableChange) {
        let old = rows.map_or(&[][..], Self::releases);
        let mut releases = old.to_vec();
        releases.push(release);
        releases.sort_unstable();
        releases.dedup();
        let mut table: BTreeMap<String, BTreeSet<Version>> = BTreeMap::new();
        for (definition, runs) in rows.iter().flat_map(|rows| rows.iter()) {
            let runs: Runs = runs.parse().unwrap_or_default();
            let had = old.iter().copied().filter(|v| *v != release && runs.contains(*v)).collect();
            table.insert(definition.to_owned(), had);
        }
        for definition in definitions {
            table.entry(definition).or_default().insert(release);
        }
        let before = releases.iter().rev().find(|v| **v < release).copied();
        let list: Vec<String> = releases.iter().map(Version::to_string).collect();
        let mut text = format!("{HEADER}{}\n", list.join(" "));
        let mut change = TableChange::default();
        for (definition, has) in table.into_iter().filter(|(_, has)| !has.is_empty()) {
            let _ = writeln!(
                text,
                "{definition}\t{}",
                Runs::from_releases(&releases, |v| has.contains(&v))
            );
            match (before.is_some_and(|b| has.contains(&b)), has.contains(&release)) {
                (false, true) => change.added.push(definition),
                (true, false) => change.removed.push(definition),
                _ => {}
            }
        }
        (text, change)
    }

    /// Reads every row, for the tests of whoever ships a history; `parse` says what is wrong with a
    /// definition.
    ///
    /// # Errors
    /// The first row that is out of order or cannot be parsed.
    pub fn validate(
        &self,
        parse: impl Fn(&str) -> Result<(), String>,
    ) -> Result<(), DefinitionRowsError> {
        let mut before = "";
        for (i, text) in self.text.rows().enumerate() {
            let line = i + 2;
            if text <= before {
                return Err(DefinitionRowsError::Unsorted(line));
            }
            before = text;
            let row = || DefinitionRowsError::Row { line, text: text.to_owned() };
            let (definition, runs) = text.split_once('\t').ok_or_else(row)?;
            runs.parse::<Runs>().map_err(|_| row())?;
            parse(definition).map_err(|error| DefinitionRowsError::Definition { line, error })?;
        }
        Ok(())
    }
}

/// A definition with the releases that have it. It is parsed when it is first asked for: a check asks one release, and most
/// names are defined in several ways.
#[derive(Debug)]
pub struct DefinitionRow<D> {
    /// The releases.
    pub runs: Runs,
    text: Box<str>,
    parsed: OnceLock<Option<D>>,
}

impl<D: FromStr> DefinitionRow<D> {
    /// A row as it is written; none if its runs are none.
    pub fn written((definition, runs): (&str, &str)) -> Option<Self> {
        Some(Self { runs: runs.parse().ok()?, text: definition.into(), parsed: OnceLock::new() })
    }

    /// The definition; none if its text is none, which [`Rows::validate`] finds.
    pub fn get(&self) -> Option<&D> {
        self.parsed.get_or_init(|| self.text.parse().ok()).as_ref()
    }
}

/// Definitions by name, parsed once and kept.
#[derive(Debug)]
pub struct DefinitionCache<D>(RwLock<HashMap<String, Arc<[D]>>>);

impl<D> Default for DefinitionCache<D> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<D> DefinitionCache<D> {
    /// The definitions of `name`, made by `parse` if they are not kept. Names without a definition are
    /// not kept: a file may hold any number of them.
    pub fn get(&self, name: &str, parse: impl FnOnce() -> Vec<D>) -> Arc<[D]> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(definitions) = kept.get(name) {
            return definitions.clone();
        }
        drop(kept);
        let definitions: Arc<[D]> = parse().into();
        if definitions.is_empty() {
            return definitions;
        }
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        kept.entry(name.to_owned()).or_insert(definitions).clone()
    }
}
