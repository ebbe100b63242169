//! The two contracts that are compared, and what is called otherwise in the new one.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::Date;

use super::header_change::{Changes, Subject};
use super::rename;
use crate::contract::{HeaderContract, Spot};

pub struct ContractPair<'a> {
    pub old: &'a HeaderContract,
    pub new: &'a HeaderContract,
    pub today: Option<Date>,
    /// Types of the old contract that have another name in the new one.
    pub renamed: BTreeMap<String, String>,
    new_names: BTreeSet<String>,
}

impl<'a> ContractPair<'a> {
    pub fn new(old: &'a HeaderContract, new: &'a HeaderContract, today: Option<Date>) -> Self {
        let (renamed, new_names) = (BTreeMap::new(), BTreeSet::new());
        let mut pair = Self { old, new, today, renamed, new_names };
        // Types of functions take structs, so that the names of these come first.
        pair.renamed = rename::structs(&pair);
        let more = rename::others(&pair);
        pair.renamed.extend(more);
        pair.new_names = pair.renamed.values().cloned().collect();
        pair
    }

    /// What a type of the old contract is called in the new one.
    pub fn new_name<'n>(&'n self, old: &'n str) -> &'n str {
        self.renamed.get(old).map_or(old, String::as_str)
    }

    /// Says of something that is gone that it stands under a condition now, if it does.
    pub fn moved_under_condition(
        &self,
        subject: &Subject<'_>,
        old: &Spot,
        changes: &mut Changes,
    ) -> bool {
        let Some(condition) = self.new.left_out.words.get(subject.name) else { return false };
        changes.under_condition("HD210", subject, condition, None, old);
        true
    }

    /// Whether a type of the new contract had another name before.
    pub fn had_another_name(&self, new: &str) -> bool {
        self.new_names.contains(new)
    }
}
