//! The operators of one release, or of a device that has its own selection of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::Version;
use unskew_definitions::Rows;

use crate::matching::{OverloadCandidate, OverloadSource};
use crate::{FunctionSchema, OperatorHistory, SchemaDefinition, SchemaError};

/// Why a text is no table of operators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}, line {line}: not a schema of an operator")]
pub struct OperatorTableError {
    /// The name of the file of the table.
    pub name: String,
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong with the schema.
    pub source: SchemaError,
}

/// One release of an [`OperatorHistory`], or what a device has that was built from one.
#[derive(Clone, Debug)]
pub struct OperatorTable {
    history: Arc<OperatorHistory>,
    release: Version,
    /// What the device has in place of the release's own operators.
    own: Option<Arc<OperatorHistory>>,
}

impl OperatorTable {
    pub(crate) fn new(history: Arc<OperatorHistory>, release: Version) -> Self {
        Self { history, release, own: None }
    }

    /// The table in a text with one schema a line, as runtimes list their operators; blank lines and lines that
    /// begin with `#` are left out. None if the first line is no schema.
    ///
    /// # Errors
    /// If a later line is none, with its number.
    pub fn read(name: &str, text: &str) -> Result<Option<Self>, OperatorTableError> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut schemas = BTreeSet::new();
        for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            match text.parse::<FunctionSchema>() {
                Ok(schema) => {
                    schemas.insert(schema.to_string());
                }
                Err(_) if schemas.is_empty() => return Ok(None),
                Err(source) => {
                    return Err(OperatorTableError { name: name.to_owned(), line, source });
                }
            }
        }
        if schemas.is_empty() {
            return Ok(None);
        }
        let release = Version::number(0);
        let (text, _) = Rows::with_release(None, release, schemas.into_iter().collect());
        let history = OperatorHistory::from_text(text).ok().map(Arc::new);
        Ok(history.map(|history| Self { history, release, own: None }))
    }

    /// The operators of a device, from their schemas: a runtime that was built from `release` and has these
    /// operators and no others.
    ///
    /// # Errors
    /// The first text that is no schema, by its place in the list, with what is wrong with it.
    pub fn of_device(
        history: Arc<OperatorHistory>,
        release: Version,
        schemas: &[String],
    ) -> Result<Self, (usize, SchemaError)> {
        let mut lines = BTreeSet::new();
        for (at, text) in schemas.iter().enumerate() {
            let schema: FunctionSchema = text.parse().map_err(|error| (at, error))?;
            lines.insert(schema.to_string());
        }
        let rows = lines.iter().map(|line| format!("{line}\t{release}-\n"));
        let text = format!("#releases\t{release}\n{}", rows.collect::<String>());
        let own = OperatorHistory::from_text(text).ok().map(Arc::new);
        Ok(Self { history, release, own })
    }

    /// What is looked up: the device's own operators, or those of all releases.
    fn defined(&self) -> &Arc<OperatorHistory> {
        self.own.as_ref().unwrap_or(&self.history)
    }

    /// Whether it is the table of a device and not that of a release.
    pub fn is_of_device(&self) -> bool {
        self.own.is_some()
    }

    /// The history that this is a release of; for a device that of the release it was built from.
    pub fn history(&self) -> &Arc<OperatorHistory> {
        &self.history
    }

    /// The PyTorch release that the table is of.
    pub fn release(&self) -> Version {
        self.release
    }

    /// Every schema that the release has under `name`.
    pub fn overloads(&self, name: &str) -> OverloadSet {
        OverloadSet { definitions: self.defined().named(name), release: self.release, at: 0 }
    }

    /// Every schema of the release, as it is written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.defined().rows().definitions_of(self.release)
    }

    /// The schema of one overload, the empty one for an operator without overload names.
    pub fn overload(&self, name: &str, overload: &str) -> Option<Arc<FunctionSchema>> {
        self.find(name, |definition| {
            (definition.overload() == overload).then(|| definition.schema().cloned())?
        })
    }

    /// Whether the release has any operator of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.defined().named(name).iter().any(|d| d.runs.contains(self.release))
    }

    /// Calls `visit` with each definition of `name` in this release until it returns a value.
    pub fn find<T>(
        &self,
        name: &str,
        visit: impl FnMut(&SchemaDefinition) -> Option<T>,
    ) -> Option<T> {
        let definitions = self.defined().named(name);
        definitions.iter().filter(|d| d.runs.contains(self.release)).find_map(visit)
    }

    /// The first later release of the history that has `name` again, or the last earlier one that
    /// had it: what to say to whoever misses it.
    pub fn nearest_with(&self, name: &str) -> Option<Version> {
        let definitions = self.history.named(name);
        let has = |release: &&Version| definitions.iter().any(|d| d.runs.contains(**release));
        let releases = self.history.releases();
        let later = releases.iter().filter(|release| **release > self.release).find(has);
        let earlier = releases.iter().rev().filter(|release| **release < self.release).find(has);
        later.or(earlier).copied()
    }
}

impl OverloadSource for OperatorTable {
    fn overloads(&self, name: &str) -> Vec<OverloadCandidate> {
        let definitions = self.defined().named(name);
        let places = 0..definitions.len();
        let here = places.filter(|at| definitions[*at].runs.contains(self.release));
        here.map(|at| OverloadCandidate::row(&definitions, at)).collect()
    }
}

/// The schemas of one name in one release.
#[derive(Debug)]
pub struct OverloadSet {
    definitions: Arc<[SchemaDefinition]>,
    release: Version,
    at: usize,
}

impl Iterator for OverloadSet {
    type Item = Arc<FunctionSchema>;

    fn next(&mut self) -> Option<Arc<FunctionSchema>> {
        loop {
            let definition = self.definitions.get(self.at)?;
            self.at += 1;
            if definition.runs.contains(self.release)
                && let Some(schema) = definition.schema()
            {
                return Some(schema.clone());
            }
        }
    }
}
