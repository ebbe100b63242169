//! `operator_versions.yaml` as it is written: entries of keys with values, and a flat form that needs no parser.
//!
//! The RFC writes a registry of operators as YAML, for people. A program that has one built in would read all of it
//! at every start, for the few operators that a model calls; that took longer than all that the command does besides.
//! So `unskew-torch` flattens its registry when it is built, and `unskew-ops` finds an operator by its name in the flat
//! text and understands that entry alone. A registry of a user is read here, too, and never flattened.
//!
//! The flat form has one operator a line, in the order of their names: the name, its line in the YAML, and for each
//! key its line, the key and the value, all with a tab between them.
//!
//! The functions beside it may be many, so they may stand in a file or in a folder of files ([`functions`]); a registry
//! takes them as one text ([`join`]), which still tells where each line came from ([`locate`]).
//!
//! ```
//! use unskew_operator_yaml::{flatten, read, rows};
//!
//! let entries = read("- func: [foo, bar]\n  version: 10\n  note: why\n").unwrap();
//! assert_eq!(entries[0].operators, ["foo", "bar"]);
//! let flat = flatten(&entries).unwrap();
//! assert_eq!(flat, "bar\t1\t2\tversion\t10\t3\tnote\twhy\nfoo\t1\t2\tversion\t10\t3\tnote\twhy\n");
//! let row = rows(&flat).next().unwrap();
//! assert_eq!((row.operator, row.line()), ("bar", 1));
//! assert!(row.has("version") && !row.has("schema"));
//! assert_eq!(row.pairs().map(|pair| pair.value).collect::<Vec<_>>(), ["10", "why"]);
//! ```
//!
//! Source: PyTorch RFC 0017, *Operator Versioning*, "Code changes".
#![forbid(unsafe_code)]

mod flat;
mod functions;
mod yaml;

pub use flat::{Row, flatten, rows};
pub use functions::{functions, join, locate, split};
pub use yaml::read;

/// An entry as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The operators that `func` names, by their full names.
    pub operators: Vec<String>,
    /// The line of `func`, from 1.
    pub line: usize,
    /// The other keys, in their order. The RFC repeats keys in an entry.
    pub pairs: Vec<(String, String, usize)>,
}

/// A key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<'t> {
    /// The key.
    pub key: &'t str,
    /// Its value, without quotes.
    pub value: &'t str,
    /// The line, from 1.
    pub line: usize,
}

impl Entry {
    /// Its keys but `func`.
    pub fn pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        self.pairs.iter().map(|(key, value, line)| Pair { key, value, line: *line })
    }
}

/// What is wrong with the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}
