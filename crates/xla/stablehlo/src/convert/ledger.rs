//! Ledger of the changes to a file: attributes that are added or rewritten, operations that refer to others.

use std::collections::HashMap;

use unskew_source::ReadError;

use super::elements::{self, ElementsValue};
use super::error::UpgradeError;
use super::numbers::{slice, varint};
use super::table::{self, Rule, Widened};
use crate::bytecode::entries::{Entries, TypeOrAttribute, builtin};
use crate::bytecode::{Cursor, Span};

/// The changes of one file.
pub(super) struct Ledger<'e> {
    entries: &'e Entries<'e>,
    /// New attributes of the `builtin` dialect, in the order of their numbers behind the old ones.
    added: Vec<Vec<u8>>,
    /// Attributes with another encoding, by number.
    replaced: HashMap<usize, Vec<u8>>,
    /// Where the number of a dictionary stands in the program, and the number that comes there; in the
    /// order of the program.
    redirected: Vec<(Span, u64)>,
    /// The new number of a value, by its old one and the width of its elements.
    arrays: HashMap<(u64, u64), u64>,
    /// The new number of a dictionary, if it needs one, by operation and old number.
    dictionaries: HashMap<(&'static str, u64), Option<u64>>,
}

impl<'e> Ledger<'e> {
    pub(super) fn new(entries: &'e Entries<'e>) -> Self {
        Self {
            entries,
            added: Vec::new(),
            replaced: HashMap::new(),
            redirected: Vec::new(),
            arrays: HashMap::new(),
            dictionaries: HashMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.redirected.is_empty() && self.replaced.is_empty()
    }

    /// Gives the attributes of the `stablehlo` dialect whose encoding grew their new lists, empty.
    pub(super) fn widen_dimension_numbers(&mut self) -> Result<(), ReadError> {
        let Some(stablehlo) = self.entries.dialect("stablehlo") else { return Ok(()) };
        for (index, entry) in self.entries.attributes.iter().enumerate() {
            if entry.dialect == stablehlo && entry.encoded {
                let mut cursor = Cursor::new(self.entries.source, entry.span);
                let code = cursor.varint()?;
                if let Some(shape) = table::widened(code)
                    && let Some(at) = old_lists(cursor, shape)
                {
                    let mut widened = Vec::new();
                    let bytes = self.bytes(Span { start: entry.span.start, end: at })?;
                    widened.extend_from_slice(&bytes);
                    (0..shape.inserted).for_each(|_| varint(&mut widened, 0));
                    let bytes = self.bytes(Span { start: at, end: entry.span.end })?;
                    widened.extend_from_slice(&bytes);
                    self.replaced.insert(index, widened);
                }
            }
        }
        Ok(())
    }

    /// Redirects an operation that refers to `dictionary` at `place`, if one of its attributes changed.
    pub(super) fn operation(
        &mut self,
        rule: &'static Rule,
        dictionary: u64,
        place: Span,
    ) -> Result<(), UpgradeError> {
        let key = (rule.operation, dictionary);
        let new = match self.dictionaries.get(&key) {
            Some(known) => *known,
            None => {
                let new = self.dictionary(rule, dictionary)?;
                self.dictionaries.insert(key, new);
                new
            }
        };
        self.redirected.extend(new.map(|new| (place, new)));
        Ok(())
    }

    /// The new dictionary for one of an operation; none if it needs no other.
    fn dictionary(&mut self, rule: &Rule, index: u64) -> Result<Option<u64>, UpgradeError> {
        let Some(mut pairs) = self.entries.dictionary(index)? else { return Ok(None) };
        let mut changed = false;
        for (name, value) in &mut pairs {
            let Some(name) = self.entries.text(*name)? else { continue };
            let attribute = rule.attributes.iter().find(|(attribute, _)| *attribute == name);
            let Some((attribute, bits)) = attribute else { continue };
            let new = match self.arrays.get(&(*value, *bits)) {
                Some(known) => *known,
                None => match elements::rewrite(self.entries, *value, *bits)? {
                    ElementsValue::Array => continue,
                    ElementsValue::Rewritten(array) => {
                        let new = self.add(array);
                        self.arrays.insert((*value, *bits), new);
                        new
                    }
                    ElementsValue::Other(found) => {
                        let operation = rule.operation.to_owned();
                        let attribute = (*attribute).to_owned();
                        return Err(UpgradeError::Attribute { operation, attribute, found });
                    }
                },
            };
            *value = new;
            changed = true;
        }
        if !changed {
            return Ok(None);
        }
        let mut encoded = Vec::new();
        varint(&mut encoded, builtin::attribute::DICTIONARY);
        varint(&mut encoded, pairs.len() as u64);
        for (name, value) in pairs {
            varint(&mut encoded, name);
            varint(&mut encoded, value);
        }
        Ok(Some(self.add(encoded)))
    }

    fn add(&mut self, encoded: Vec<u8>) -> u64 {
        self.added.push(encoded);
        (self.entries.attributes.len() + self.added.len() - 1) as u64
    }

    fn bytes(&self, span: Span) -> Result<Vec<u8>, ReadError> {
        use unskew_source::SourceExt;
        self.entries.source.bytes(span.start, span.end - span.start)
    }

    /// The section of attributes and types.
    pub(super) fn values(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for (index, entry) in self.entries.attributes.iter().enumerate() {
            let replaced = self.replaced.get(&index).map(Vec::as_slice);
            out.extend_from_slice(replaced.unwrap_or_else(|| slice(bytes, entry.span)));
        }
        self.added.iter().for_each(|added| out.extend_from_slice(added));
        self.entries.types.iter().for_each(|entry| out.extend_from_slice(slice(bytes, entry.span)));
        out
    }

    pub(super) fn sizes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        varint(&mut out, (self.entries.attributes.len() + self.added.len()) as u64);
        varint(&mut out, self.entries.types.len() as u64);
        let size = |(index, entry): (usize, &TypeOrAttribute)| {
            let replaced = self.replaced.get(&index).map(|bytes| bytes.len() as u64);
            let size = replaced.unwrap_or(entry.span.end - entry.span.start);
            (entry.dialect, size << 1 | u64::from(entry.encoded))
        };
        let builtin = self.entries.dialect(builtin::NAME).unwrap_or_default();
        let attributes = self.entries.attributes.iter().enumerate().map(size);
        let added = self.added.iter().map(|added| (builtin, (added.len() as u64) << 1 | 1));
        groups(&mut out, &attributes.chain(added).collect::<Vec<_>>());
        let plain = |entry: &TypeOrAttribute| {
            (entry.dialect, (entry.span.end - entry.span.start) << 1 | u64::from(entry.encoded))
        };
        groups(&mut out, &self.entries.types.iter().map(plain).collect::<Vec<_>>());
        out
    }

    /// The section of operations.
    pub(super) fn program(&self, bytes: &[u8], whole: Span) -> Vec<u8> {
        let mut out = Vec::new();
        let mut start = whole.start;
        for (place, new) in &self.redirected {
            out.extend_from_slice(slice(bytes, Span { start, end: place.start }));
            varint(&mut out, *new);
            start = place.end;
        }
        out.extend_from_slice(slice(bytes, Span { start, end: whole.end }));
        out
    }
}

/// Sizes in groups of one dialect each.
fn groups(out: &mut Vec<u8>, sizes: &[(usize, u64)]) {
    for group in sizes.chunk_by(|a, b| a.0 == b.0) {
        varint(out, group.first().map_or(0, |(dialect, _)| *dialect as u64));
        varint(out, group.len() as u64);
        group.iter().for_each(|(_, size)| varint(out, *size));
    }
}

/// Where new lists come in an attribute of the old encoding; none if it has another. The two encodings
/// cannot be mistaken for each other: read as the new one, the old one ends too early.
fn old_lists(mut cursor: Cursor<'_>, shape: Widened) -> Option<u64> {
    let mut place = None;
    for list in 0..shape.lists {
        if list == shape.before {
            place = Some(cursor.position());
        }
        for _ in 0..cursor.count("dimensions").ok()? {
            cursor.varint().ok()?;
        }
    }
    cursor.varint().ok()?;
    place.filter(|_| cursor.left() == 0)
}
