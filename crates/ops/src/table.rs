//! The operators of one release.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::Version;

use crate::{Definition, OperatorHistory, Rows, Schema, SchemaError};

/// Why a text is no table of operators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}, line {line}: not a schema of an operator")]
pub struct TableError {
    /// The file.
    pub name: String,
    /// The line, from 1 on.
    pub line: usize,
    /// Why.
    pub source: SchemaError,
}

/// One release of an [`OperatorHistory`].
#[derive(Clone, Debug)]
pub struct OperatorTable {
    history: Arc<OperatorHistory>,
    release: Version,
}

impl OperatorTable {
    pub(crate) fn new(history: Arc<OperatorHistory>, release: Version) -> Self {
        Self { history, release }
    }

    /// The table in a text with one schema a line, as runtimes list their operators; blank lines and lines that
    /// begin with `#` are left out. None if the first line is no schema.
    ///
    /// # Errors
    /// If a later line is none, with its number.
    pub fn read(name: &str, text: &str) -> Result<Option<Self>, TableError> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut schemas = BTreeSet::new();
        for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            match text.parse::<Schema>() {
                Ok(schema) => {
                    schemas.insert(schema.to_string());
                }
                Err(_) if schemas.is_empty() => return Ok(None),
                Err(source) => return Err(TableError { name: name.to_owned(), line, source }),
            }
        }
        if schemas.is_empty() {
            return Ok(None);
        }
        let release = Version::number(0);
        let (text, _) = Rows::with_release(None, release, schemas);
        let history = OperatorHistory::from_text(text).ok().map(Arc::new);
        Ok(history.map(|history| Self { history, release }))
    }

    /// The history that this is a release of.
    pub fn history(&self) -> &Arc<OperatorHistory> {
        &self.history
    }

    /// The release.
    pub fn release(&self) -> Version {
        self.release
    }

    /// Every schema that the release has under `name`.
    pub fn overloads(&self, name: &str) -> Overloads {
        Overloads { definitions: self.history.named(name), release: self.release, at: 0 }
    }

    /// Every schema of the release, as it is written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.history.rows().of(self.release)
    }

    /// The schema of one overload, the empty one for an operator without overload names.
    pub fn overload(&self, name: &str, overload: &str) -> Option<Schema> {
        self.overloads(name).find(|schema| schema.overload == overload)
    }

    /// Whether the release has any operator of this name.
    pub fn knows(&self, name: &str) -> bool {
        self.history.named(name).iter().any(|d| d.runs.contains(self.release))
    }

    /// Calls `visit` with each definition of `name` in this release until it returns a value.
    pub fn find<T>(&self, name: &str, visit: impl FnMut(&Definition) -> Option<T>) -> Option<T> {
        let definitions = self.history.named(name);
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

/// The schemas of one name in one release.
#[derive(Debug)]
pub struct Overloads {
    definitions: Arc<[Definition]>,
    release: Version,
    at: usize,
}

impl Iterator for Overloads {
    type Item = Schema;

    fn next(&mut self) -> Option<Schema> {
        loop {
            let definition = self.definitions.get(self.at)?;
            self.at += 1;
            if definition.runs.contains(self.release) {
                return Some(definition.schema.clone());
            }
        }
    }
}
