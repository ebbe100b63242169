//! Features: which StableHLO version brought each operation, type and attribute.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use unskew_core::Version;

use crate::{Bytecode, EncodingKind, beside};

/// The newest version whose operations, types and attributes are known.
pub const KNOWN: Version = Version::triple(1, 20, 0);

/// The dialect in which a portable artifact is written.
pub(crate) const VHLO: &str = "vhlo";

/// The version that let other dialects into an artifact.
pub(crate) const MIXED: Version = Version::triple(1, 11, 0);

/// The version that brought groups by mesh, which have no older form.
const MESHES: Version = Version::triple(1, 16, 0);

/// The dialects that every artifact may have.
const OWN: [&str; 2] = ["builtin", VHLO];

/// The attributes that only occur within others (an accuracy has a mode), by number: a reader meets
/// the others first.
const PARTS: [&str; 5] = ["19", "21", "22", "24", "25"];

/// Something that an artifact uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Whether it is an operation, a type or an attribute.
    pub kind: FeatureKind,
    /// The name of an operation without its dialect: `tan_v1`; the number of a type or attribute; the name of a
    /// dialect.
    pub name: String,
    /// What the number means: `f8E4M3`; what the operation holds; empty for operations and dialects.
    pub meaning: &'static str,
    /// The version that brought it; none if it came after [`KNOWN`].
    pub since: Option<Version>,
}

impl Feature {
    /// Whether a program can be written without it for an older version: a first operation of its
    /// name and a type cannot, while a later form of an operation stands for the older ones too.
    pub(crate) fn has_older_form(&self) -> bool {
        match self.kind {
            FeatureKind::Operation => !self.name.ends_with("_v1"),
            FeatureKind::Type
            | FeatureKind::Dialect
            | FeatureKind::Builtin
            | FeatureKind::Constraint => false,
            // The accuracy of a result has a default, and is not written for those before it.
            FeatureKind::Attribute => self.since != Some(MESHES),
        }
    }
}

/// What a feature is. Readers meet dialects first, then attributes, types and operations, and what an operation
/// holds at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeatureKind {
    /// A dialect beside VHLO.
    Dialect,
    /// An attribute of MLIR itself.
    Builtin,
    /// An attribute that came with a version.
    Attribute,
    /// A type that came with a version.
    Type,
    /// An operation that came with a version.
    Operation,
    /// What an operation holds.
    Constraint,
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.meaning) {
            (FeatureKind::Dialect, _) => write!(f, "dialect {}", self.name),
            (FeatureKind::Constraint, meaning) => write!(f, "{meaning} in {VHLO}.{}", self.name),
            (FeatureKind::Operation, _) => write!(f, "{VHLO}.{}", self.name),
            (FeatureKind::Builtin, "") => write!(f, "attribute {} of MLIR", self.name),
            (FeatureKind::Builtin, meaning) => write!(f, "attribute of MLIR {meaning}"),
            (FeatureKind::Type, "") => write!(f, "type {}", self.name),
            (FeatureKind::Attribute, "") => write!(f, "attribute {}", self.name),
            (FeatureKind::Type, meaning) => write!(f, "type {meaning}"),
            (FeatureKind::Attribute, meaning) => write!(f, "attribute {meaning}"),
        }
    }
}

/// What `bytecode` uses of VHLO, in the order in which a reader meets it.
pub fn used(bytecode: &Bytecode) -> Vec<Feature> {
    let kinds = bytecode.kinds.iter().map(|kind| match kind {
        EncodingKind::Attribute(code) => (FeatureKind::Attribute, code.to_string()),
        EncodingKind::Type(code) => (FeatureKind::Type, code.to_string()),
        EncodingKind::Builtin(code) => (FeatureKind::Builtin, code.to_string()),
    });
    // MLIR had most of its attributes before StableHLO had versions; the table has those that came later.
    let kinds = kinds.filter(|(kind, name)| {
        *kind != FeatureKind::Builtin || table().contains_key(&(*kind, name.as_str()))
    });
    let vhlo = bytecode.dialects.iter().filter(|dialect| dialect.name == VHLO);
    let operations = vhlo.flat_map(|dialect| &dialect.operations);
    let operations = operations.map(|name| (FeatureKind::Operation, name.clone()));
    let others = others(bytecode).map(|name| Feature {
        kind: FeatureKind::Dialect,
        name: name.to_owned(),
        meaning: "",
        since: Some(beside::since(name).unwrap_or(MIXED)),
    });
    let mut used: Vec<Feature> = kinds.chain(operations).map(feature).chain(others).collect();
    used.sort_by_key(|feature| (feature.kind, PARTS.contains(&&*feature.name)));
    used
}

/// The dialects of `bytecode` that StableHLO promises nothing about.
pub(crate) fn others(bytecode: &Bytecode) -> impl Iterator<Item = &str> {
    let names = bytecode.dialects.iter().map(|dialect| &*dialect.name);
    names.filter(|name| !OWN.contains(name))
}

/// The version that brought an operation in this form: `tanh_v2`.
pub(crate) fn since(operation: &str) -> Option<Version> {
    table().get(&(FeatureKind::Operation, operation)).map(|(since, _)| *since)
}

fn feature((kind, name): (FeatureKind, String)) -> Feature {
    let row = table().get(&(kind, &*name));
    let (since, meaning) = row.map_or((None, ""), |(since, meaning)| (Some(*since), *meaning));
    Feature { kind, name, meaning, since }
}

type Key = (FeatureKind, &'static str);
/// Since when, and what a number means.
type Value = (Version, &'static str);

/// The table, read once. It is part of this crate, and a test reads every row.
fn table() -> &'static HashMap<Key, Value> {
    static TABLE: LazyLock<HashMap<Key, Value>> = LazyLock::new(|| {
        let lines = include_str!("../data/vhlo.tsv").lines();
        lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
    });
    &TABLE
}

fn row(line: &'static str) -> Option<(Key, Value)> {
    let mut cells = line.split('\t');
    let since = cells.next()?.parse().ok()?;
    let kind = match cells.next()? {
        "op" => FeatureKind::Operation,
        "type" => FeatureKind::Type,
        "attribute" => FeatureKind::Attribute,
        "builtin" => FeatureKind::Builtin,
        _ => return None,
    };
    Some(((kind, cells.next()?), (since, cells.next()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history;

    #[test]
    fn every_row_is_read_and_every_version_stands_in_the_history() {
        let text = include_str!("../data/vhlo.tsv");
        assert_eq!(table().len(), text.lines().filter(|line| !line.starts_with('#')).count());
        for ((kind, name), (since, _)) in table() {
            assert!(history().unwrap().landed(*since).is_some(), "{kind:?} {name}");
            assert!(*since <= KNOWN, "{kind:?} {name}");
        }
    }
}
