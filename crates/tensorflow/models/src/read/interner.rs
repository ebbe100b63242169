//! Interner of names, which also counts how much of a graph is kept in memory.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use unskew_source::wire::{MessageField, WireMessage};
use unskew_source::{ReadError, SourceProblem};

use crate::Attrs;
use crate::attrs::Attr;

/// The most bytes of structure that are kept of one file; the largest real graphs have a tenth.
const KEPT: usize = 160 << 20;

/// What one kept thing costs apart from its text.
const OVERHEAD: usize = 48;

/// Counts what is kept of one file, and keeps names that occur often only once.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    bytes: usize,
    names: HashSet<InternedName>,
    /// Attributes by their bytes in the file.
    each: HashMap<Box<[u8]>, Arc<Attr>>,
    /// All attributes of a node by their bytes in the file.
    all: HashMap<Box<[u8]>, Attrs>,
    /// The device of the last node that has one, and whether it is a GPU.
    pub(crate) device: (String, bool),
}

/// A name, found by its bytes: whether they are text was asked when it was kept.
#[derive(Debug, PartialEq, Eq)]
struct InternedName(Arc<str>);

impl Borrow<[u8]> for InternedName {
    fn borrow(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Hash for InternedName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_bytes().hash(state);
    }
}

impl Interner {
    /// Counts one more thing with `bytes` of its own.
    #[inline]
    pub(crate) fn count(
        &mut self,
        message: &WireMessage<'_>,
        bytes: usize,
    ) -> Result<(), ReadError> {
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(OVERHEAD);
        if self.bytes <= KEPT { Ok(()) } else { self.too_much(message) }
    }

    #[cold]
    fn too_much(&self, message: &WireMessage<'_>) -> Result<(), ReadError> {
        let what = "the structure of the graph (names, nodes, attributes)".to_owned();
        let problem = SourceProblem::TooLarge { what, size: self.bytes as u64, limit: KEPT as u64 };
        Err(ReadError::new(message.source().name(), problem))
    }

    /// Makes room for the attributes of so many nodes, of which most share them.
    pub(crate) fn expect(&mut self, nodes: usize) {
        self.each.reserve(nodes / 2);
    }

    /// The attribute of these bytes, if there was one.
    pub(crate) fn attr(&self, bytes: &[u8]) -> Option<Arc<Attr>> {
        self.each.get(bytes).cloned()
    }

    /// Keeps an attribute for those of the same bytes.
    pub(crate) fn share(
        &mut self,
        message: &WireMessage<'_>,
        bytes: Box<[u8]>,
        attr: Arc<Attr>,
    ) -> Result<(), ReadError> {
        self.count(message, bytes.len())?;
        self.each.insert(bytes, attr);
        Ok(())
    }

    /// The attributes of a node that ends with these bytes, if there was one.
    pub(crate) fn attrs(&self, bytes: &[u8]) -> Option<Attrs> {
        self.all.get(bytes).cloned()
    }

    /// Keeps the attributes of a node for those that end with the same bytes.
    pub(crate) fn share_all(
        &mut self,
        message: &WireMessage<'_>,
        bytes: Box<[u8]>,
        attrs: Attrs,
    ) -> Result<(), ReadError> {
        self.count(message, bytes.len())?;
        self.all.insert(bytes, attrs);
        Ok(())
    }

    /// A text that is kept as it is.
    pub(crate) fn text(
        &mut self,
        message: &mut WireMessage<'_>,
        field: &MessageField,
    ) -> Result<Box<str>, ReadError> {
        let text: Box<str> = match message.text_ahead(field) {
            Some(text) => text.into(),
            None => message.string(field)?.into(),
        };
        self.count(message, text.len())?;
        Ok(text)
    }

    /// A name that many nodes share.
    pub(crate) fn name(
        &mut self,
        message: &mut WireMessage<'_>,
        field: &MessageField,
    ) -> Result<Arc<str>, ReadError> {
        if let Some(known) = message.ahead(field).and_then(|bytes| self.names.get(bytes)) {
            return Ok(known.0.clone());
        }
        let text = message.string(field)?;
        if let Some(known) = self.names.get(text.as_bytes()) {
            return Ok(known.0.clone());
        }
        self.count(message, text.len())?;
        let name: Arc<str> = text.into();
        self.names.insert(InternedName(name.clone()));
        Ok(name)
    }
}
