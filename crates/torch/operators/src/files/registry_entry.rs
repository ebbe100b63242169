//! Entries of `operator_versions.yaml` as text, not yet understood.

/// An entry as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryEntry {
    /// The operators that `func` names, by their full names.
    pub operators: Vec<String>,
    /// The line of `func`, from 1.
    pub line: usize,
    /// The other keys, in their order. The RFC repeats keys in an entry.
    pub pairs: Vec<(String, String, usize)>,
}

/// A key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryField<'t> {
    pub key: &'t str,
    /// Its value, without quotes.
    pub value: &'t str,
    /// The line, from 1.
    pub line: usize,
}

impl RegistryEntry {
    /// Its keys but `func`.
    pub fn pairs(&self) -> impl Iterator<Item = EntryField<'_>> {
        self.pairs.iter().map(|(key, value, line)| EntryField { key, value, line: *line })
    }
}

/// What is wrong with the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct EntryFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}
