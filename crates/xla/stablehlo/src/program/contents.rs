//! The attributes and types of a file, each read once, when it is asked for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use unskew_source::{ReadError, Source};

use super::{ConstantAttribute, Type, attribute, types};
use crate::bytecode::entries::{Entries, TypeOrAttribute, builtin};
use crate::bytecode::{Cursor, Span};

/// How deep attributes and types may nest. Real ones stay below ten.
const DEPTH: usize = 64;

/// The dialect of portable artifacts.
pub(super) const VHLO: &str = "vhlo";

/// The attributes and types of a file. Whatever refers to one shares it, so that none takes more room than
/// its encoding, however often it is named.
pub(super) struct Contents<'a> {
    entries: &'a Entries<'a>,
    attributes: Vec<Option<Arc<ConstantAttribute>>>,
    types: Vec<Option<Arc<Type>>>,
    texts: HashMap<u64, Arc<str>>,
    names: HashSet<Arc<str>>,
    /// Whether the elements of constants are read.
    pub(super) constants: bool,
}

impl<'a> Contents<'a> {
    pub(super) fn new(entries: &'a Entries<'a>, constants: bool) -> Self {
        let attributes = vec![None; entries.attributes.len()];
        let types = vec![None; entries.types.len()];
        let (texts, names) = (HashMap::new(), HashSet::new());
        Self { entries, attributes, types, texts, names, constants }
    }

    pub(super) fn source(&self) -> &'a dyn Source {
        self.entries.source
    }

    /// The text of this number; whoever names it shares it.
    pub(super) fn text(&mut self, number: u64) -> Result<Arc<str>, ReadError> {
        if let Some(known) = self.texts.get(&number) {
            return Ok(Arc::clone(known));
        }
        let read: Arc<str> = self.entries.strings.get(number, &self.whole())?.into();
        self.texts.insert(number, Arc::clone(&read));
        Ok(read)
    }

    /// A name that is known here; whoever has it shares it.
    pub(super) fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = name.into();
        self.names.insert(Arc::clone(&shared));
        shared
    }

    pub(super) fn r#type(&mut self, number: u64) -> Result<Arc<Type>, ReadError> {
        self.type_within(number, 0)
    }

    pub(super) fn attribute(&mut self, number: u64) -> Result<Arc<ConstantAttribute>, ReadError> {
        self.attribute_within(number, 0)
    }

    /// A type that something at this depth refers to.
    pub(super) fn type_within(
        &mut self,
        number: u64,
        depth: usize,
    ) -> Result<Arc<Type>, ReadError> {
        let (at, entry) = self.find(&self.entries.types, number, depth)?;
        if let Some(Some(known)) = self.types.get(at) {
            return Ok(Arc::clone(known));
        }
        let read = if self.is(entry, VHLO) {
            types::read(self, &mut Cursor::new(self.entries.source, entry.span), depth + 1)?
        } else {
            Type::Other(None)
        };
        let read = Arc::new(read);
        self.types[at] = Some(Arc::clone(&read));
        Ok(read)
    }

    /// An attribute that something at this depth refers to.
    pub(super) fn attribute_within(
        &mut self,
        number: u64,
        depth: usize,
    ) -> Result<Arc<ConstantAttribute>, ReadError> {
        let (at, entry) = self.find(&self.entries.attributes, number, depth)?;
        if let Some(Some(known)) = self.attributes.get(at) {
            return Ok(Arc::clone(known));
        }
        let read = if self.is(entry, VHLO) {
            attribute::read(self, &mut Cursor::new(self.entries.source, entry.span), depth + 1)?
        } else if let Some(mut text) = self.entries.attribute(number, builtin::attribute::TEXT)? {
            ConstantAttribute::Text(self.text(text.varint()?)?)
        } else if let Some(pairs) = self.entries.dictionary(number)? {
            let mut all = Vec::new();
            for (name, value) in pairs {
                let name = self.attribute_within(name, depth + 1)?;
                all.push((name.shared_text(), self.attribute_within(value, depth + 1)?));
            }
            ConstantAttribute::Dictionary(all)
        } else {
            ConstantAttribute::Other(None)
        };
        let read = Arc::new(read);
        self.attributes[at] = Some(Arc::clone(&read));
        Ok(read)
    }

    /// Whether an attribute or type is encoded by this dialect.
    fn is(&self, entry: TypeOrAttribute, dialect: &str) -> bool {
        let own = self.entries.dialects.get(entry.dialect);
        entry.encoded && own.is_some_and(|own| own.name == dialect)
    }

    fn find(
        &self,
        entries: &[TypeOrAttribute],
        number: u64,
        depth: usize,
    ) -> Result<(usize, TypeOrAttribute), ReadError> {
        let malformed = |what: &str| self.whole().malformed(0, what);
        if depth >= DEPTH {
            return Err(malformed(&format!("attributes or types deeper than {DEPTH} levels")));
        }
        let at = usize::try_from(number).ok();
        let found = at.and_then(|at| Some((at, *entries.get(at)?)));
        found.ok_or_else(|| malformed(&format!("no attribute or type {number}")))
    }

    fn whole(&self) -> Cursor<'a> {
        Cursor::new(self.entries.source, Span { start: 0, end: self.entries.source.size() })
    }
}
