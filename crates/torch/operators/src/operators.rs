//! The operators of a registry, found by their names.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::files::flat::{FlatLine, rows};
use crate::registry_change::RegistryChange;
use crate::yaml;

/// The operators, in the order of their names.
#[derive(Debug)]
pub(crate) struct RegistryOperators(Vec<Operator>);

/// An operator, and what changed; of one that is built in this is understood when it is asked for.
#[derive(Debug)]
struct Operator {
    name: Cow<'static, str>,
    row: Option<FlatLine<'static>>,
    changes: OnceLock<Vec<RegistryChange>>,
}

impl RegistryOperators {
    /// The operators of a text in the flat form, whose lines stand in the order of their names.
    pub(crate) fn of_flat(flat: &'static str) -> Self {
        let one = |row: FlatLine<'static>| Operator {
            name: row.operator.into(),
            row: Some(row),
            changes: OnceLock::new(),
        };
        Self(rows(flat).map(one).collect())
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &[RegistryChange])> {
        self.0.iter().map(|one| (&*one.name, one.changes()))
    }

    /// Those that have a change with an operator version.
    pub(crate) fn versioned(&self) -> impl Iterator<Item = (&str, &[RegistryChange])> {
        let there = self.0.iter().filter(|one| one.is_versioned());
        there.map(|one| (&*one.name, one.changes()))
    }

    /// Their names; of operators that are built in, nothing else is read.
    pub(crate) fn versioned_names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|one| one.is_versioned()).map(|one| &*one.name)
    }

    pub(crate) fn changes(&self) -> impl Iterator<Item = &RegistryChange> {
        self.0.iter().flat_map(Operator::changes)
    }

    pub(crate) fn changes_of(&self, name: &str) -> &[RegistryChange] {
        let at = self.0.binary_search_by(|one| (*one.name).cmp(name)).ok();
        at.and_then(|at| self.0.get(at)).map_or(&[], Operator::changes)
    }
}

impl From<BTreeMap<String, Vec<RegistryChange>>> for RegistryOperators {
    fn from(all: BTreeMap<String, Vec<RegistryChange>>) -> Self {
        let one = |(name, changes): (String, Vec<RegistryChange>)| Operator {
            name: name.into(),
            row: None,
            changes: changes.into(),
        };
        Self(all.into_iter().map(one).collect())
    }
}

impl Operator {
    fn changes(&self) -> &[RegistryChange] {
        let read = || self.row.and_then(|row| yaml::of_row(row).ok()).unwrap_or_default();
        self.changes.get_or_init(read)
    }

    fn is_versioned(&self) -> bool {
        match self.row {
            Some(row) => row.has("version"),
            None => self.changes().iter().any(|change| change.since.version().is_some()),
        }
    }
}
