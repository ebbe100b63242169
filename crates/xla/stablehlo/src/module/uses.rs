//! Uses of attributes and types in a program, counted.

use std::sync::Arc;

use unskew_source::ReadError;

use super::{Block, Field, Id, Item, Module};

/// How deep attributes and types may name each other. The deepest are places in the source, of calls in calls.
const DEPTH: usize = 512;

/// How often each attribute or type is named; none where one is being gone through.
pub(super) struct Uses {
    pub(super) attributes: Vec<Option<u64>>,
    pub(super) types: Vec<Option<u64>>,
}

/// The attributes or types that are written, in the order of their new numbers.
pub(super) struct Numbers {
    pub(super) order: Vec<Id>,
    pub(super) number: Vec<u64>,
}

impl Module {
    pub(super) fn block_used(&self, uses: &mut Uses, block: &Block) -> Result<(), ReadError> {
        for value in &block.arguments {
            self.value_used(uses, *value)?;
        }
        for location in block.locations.iter().flatten() {
            self.attribute_used(uses, *location, 0)?;
        }
        for operation in &block.operations {
            self.attribute_used(uses, operation.location, 0)?;
            for (_, attribute) in &operation.attributes {
                self.attribute_used(uses, *attribute, 0)?;
            }
            for value in &operation.results {
                self.value_used(uses, *value)?;
            }
        }
        Ok(())
    }

    pub(super) fn value_used(&self, uses: &mut Uses, value: usize) -> Result<(), ReadError> {
        let kind = self.values.get(value).copied();
        self.type_used(uses, kind.ok_or_else(|| self.error("a value without a type"))?, 0)
    }

    pub(super) fn attribute_used(
        &self,
        uses: &mut Uses,
        id: Id,
        depth: usize,
    ) -> Result<(), ReadError> {
        if !self.counts(&mut uses.attributes, id, depth)? {
            return Ok(());
        }
        self.fields_used(uses, self.attributes.get(id), depth)?;
        if let Some(count) = uses.attributes.get_mut(id) {
            *count = Some(1);
        }
        Ok(())
    }

    pub(super) fn type_used(&self, uses: &mut Uses, id: Id, depth: usize) -> Result<(), ReadError> {
        if !self.counts(&mut uses.types, id, depth)? {
            return Ok(());
        }
        self.fields_used(uses, self.types.get(id), depth)?;
        if let Some(count) = uses.types.get_mut(id) {
            *count = Some(1);
        }
        Ok(())
    }

    /// Whether this is the first use, and what it names is still to be gone through.
    pub(super) fn counts(
        &self,
        counts: &mut [Option<u64>],
        id: Id,
        depth: usize,
    ) -> Result<bool, ReadError> {
        match counts.get_mut(id) {
            Some(Some(0)) if depth >= DEPTH => {
                Err(self.error(&format!("attributes or types deeper than {DEPTH} levels")))
            }
            Some(count @ Some(0)) => {
                *count = None;
                Ok(true)
            }
            Some(Some(count)) => {
                *count += 1;
                Ok(false)
            }
            Some(None) => Err(self.error("an attribute or type that names itself")),
            None => Err(self.error("an attribute or type that is not there")),
        }
    }

    pub(super) fn fields_used(
        &self,
        uses: &mut Uses,
        item: Option<&Item>,
        depth: usize,
    ) -> Result<(), ReadError> {
        for field in item.map_or(&[][..], |item| &item.fields) {
            match field {
                Field::Attribute(id) | Field::Optional(Some(id)) => {
                    self.attribute_used(uses, *id, depth + 1)?
                }
                Field::Type(id) => self.type_used(uses, *id, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl Numbers {
    /// Those that are used: by dialect, and those first that are used most.
    pub(super) fn new(items: &[Item], uses: &[Option<u64>], dialects: &[Arc<str>]) -> Self {
        let count = |id: &Id| uses.get(*id).copied().flatten().unwrap_or_default();
        let mut order: Vec<Id> = (0..items.len()).filter(|id| count(id) > 0).collect();
        let place = |id: &Id| {
            let dialect = items.get(*id).map(|item| &item.dialect);
            dialects.iter().position(|one| Some(one) == dialect)
        };
        order.sort_by_key(|id| (place(id), std::cmp::Reverse(count(id))));
        let mut number = vec![0; items.len()];
        for (at, id) in order.iter().enumerate() {
            if let Some(number) = number.get_mut(*id) {
                *number = at as u64;
            }
        }
        Self { order, number }
    }

    pub(super) fn number_of(&self, id: Id) -> u64 {
        self.number.get(id).copied().unwrap_or_default()
    }
}
