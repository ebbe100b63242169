//! Difference of two tables of operators.

use std::collections::{BTreeMap, BTreeSet};

use crate::{FunctionSchema, OperatorTable, SchemaChange, changes};

/// What changed between two tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorTableDiff {
    /// Operators with their overloads that the new table does not have, as the old one wrote them.
    pub removed: Vec<FunctionSchema>,
    /// Those that the old table did not have.
    pub added: Vec<FunctionSchema>,
    /// Those that both have, in different forms.
    pub changed: Vec<OperatorChange>,
}

/// An operator that both tables have, in different forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorChange {
    /// The schema in the old table.
    pub old: FunctionSchema,
    /// What it is: of several schemas of one name, the one that is nearest.
    pub new: FunctionSchema,
    /// All changes from the old schema to the new one.
    pub changes: Vec<SchemaChange>,
}

impl OperatorChange {
    /// Whether programs of the old schema still run.
    pub fn is_backward_compatible(&self) -> bool {
        self.changes.iter().all(|change| change.kind.is_backward_compatible())
    }

    /// Whether programs of the new schema that do not use what is new still run on old runtimes.
    pub fn is_forward_compatible(&self) -> bool {
        self.changes.iter().all(|change| change.kind.is_forward_compatible())
    }
}

impl OperatorTableDiff {
    /// What no longer runs programs of the old table: operators that were removed, and that changed.
    pub fn breaks_backward(&self) -> impl Iterator<Item = &FunctionSchema> {
        let changed = self.changed.iter().filter(|change| !change.is_backward_compatible());
        self.removed.iter().chain(changed.map(|change| &change.old))
    }
}

/// What changed between two tables. Schemas that both have are never parsed.
pub fn diff(old: &OperatorTable, new: &OperatorTable) -> OperatorTableDiff {
    diff_texts(&old.texts().collect(), &new.texts().collect())
}

fn diff_texts(old: &BTreeSet<&str>, new: &BTreeSet<&str>) -> OperatorTableDiff {
    let gone = by_name(old.difference(new).copied());
    let come = by_name(new.difference(old).copied());
    let mut found = OperatorTableDiff::default();
    for (name, olds) in &gone {
        for old in olds {
            let candidates = come.get(name).map_or(&[][..], Vec::as_slice);
            // Releases before overloads had names have several schemas of one full name.
            let nearest = candidates.iter().min_by_key(|new| distance(&changes(old, new)));
            match nearest {
                None => found.removed.push(old.clone()),
                Some(nearest) => found.changed.push(OperatorChange {
                    old: old.clone(),
                    new: nearest.clone(),
                    changes: changes(old, nearest),
                }),
            }
        }
    }
    for (name, news) in come {
        if !gone.contains_key(&name) {
            found.added.extend(news);
        }
    }
    found
}

fn by_name<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeMap<String, Vec<FunctionSchema>> {
    let mut found: BTreeMap<String, Vec<FunctionSchema>> = BTreeMap::new();
    for schema in texts.filter_map(|text| text.parse::<FunctionSchema>().ok()) {
        found.entry(schema.full_name()).or_default().push(schema);
    }
    found
}

/// Changes that break something count most.
fn distance(changes: &[SchemaChange]) -> usize {
    let breaks = changes.iter().filter(|change| !change.kind.is_backward_compatible()).count();
    breaks * 100 + changes.len()
}
