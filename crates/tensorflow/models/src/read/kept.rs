//! How much of a graph is kept in memory, and names that stand there once.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use unskew_source::wire::{Field, Message};
use unskew_source::{Problem, ReadError};

use crate::attrs::Attr;
use crate::inputs::Written;

/// The most bytes of structure that are kept of one file; the largest real graphs have a tenth.
const KEPT: usize = 160 << 20;

/// What one kept thing costs apart from its text.
const OVERHEAD: usize = 48;

/// Counts what is kept of one file, and keeps names that occur often only once.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    bytes: usize,
    names: HashSet<Arc<str>>,
    /// Attributes by their bytes in the file.
    attrs: HashMap<Box<[u8]>, Arc<Attr>>,
    /// The inputs of the node that is read.
    pub(crate) inputs: Written,
}

impl Kept {
    /// Counts one more thing with `bytes` of its own.
    pub(crate) fn count(&mut self, message: &Message<'_>, bytes: usize) -> Result<(), ReadError> {
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(OVERHEAD);
        if self.bytes <= KEPT {
            return Ok(());
        }
        let what = "the structure of the graph (names, nodes, attributes)".to_owned();
        let problem = Problem::TooLarge { what, size: self.bytes as u64, limit: KEPT as u64 };
        Err(ReadError::new(message.source().name(), problem))
    }

    /// The attribute of these bytes, if there was one.
    pub(crate) fn attr(&self, bytes: &[u8]) -> Option<Arc<Attr>> {
        self.attrs.get(bytes).cloned()
    }

    /// Keeps an attribute for those of the same bytes.
    pub(crate) fn share(
        &mut self,
        message: &Message<'_>,
        bytes: Box<[u8]>,
        attr: Arc<Attr>,
    ) -> Result<(), ReadError> {
        self.count(message, bytes.len())?;
        self.attrs.insert(bytes, attr);
        Ok(())
    }

    /// Reads one more input of a node.
    pub(crate) fn input(
        &mut self,
        message: &mut Message<'_>,
        field: &Field,
    ) -> Result<(), ReadError> {
        let len = match message.text_ahead(field) {
            Some(text) => {
                self.inputs.push(text);
                text.len()
            }
            None => {
                let text = message.string(field)?;
                self.inputs.push(&text);
                text.len()
            }
        };
        self.count(message, len)
    }

    /// A text that is kept as it is.
    pub(crate) fn text(
        &mut self,
        message: &mut Message<'_>,
        field: &Field,
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
        message: &mut Message<'_>,
        field: &Field,
    ) -> Result<Arc<str>, ReadError> {
        if let Some(known) = message.text_ahead(field).and_then(|text| self.names.get(text)) {
            return Ok(known.clone());
        }
        let text = message.string(field)?;
        if let Some(known) = self.names.get(&*text) {
            return Ok(known.clone());
        }
        self.count(message, text.len())?;
        let name: Arc<str> = text.into();
        self.names.insert(name.clone());
        Ok(name)
    }
}
