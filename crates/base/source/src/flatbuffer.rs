//! Flatbuffers over a source, every step checked against the bounds.
//!
//! ```
//! use unskew_source::{BytesSource, flatbuffer::Flatbuffer};
//!
//! // A root table with one field of four bytes: 7. Before it stands its vtable.
//! let bytes = [12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0];
//! let source = BytesSource::new("seven", bytes.to_vec());
//! let buffer = Flatbuffer::new(&source);
//! let root = buffer.root().unwrap();
//! assert_eq!(buffer.scalar(root, 0, 4).unwrap(), 7);
//! assert_eq!(buffer.scalar(root, 1, 4).unwrap(), 0, "a field that is left out");
//! ```
//!
//! A flatbuffer is read where it lies: an offset leads to a table, the table to its vtable, the vtable
//! says where in the table each field stands. Offsets to data lead forward, so reading never goes in
//! circles; one that leads nowhere is an error with its byte. Blocks of the file are kept, so that
//! small steps cost no read of their own and the tensors are never read.

use std::cell::RefCell;

use crate::{ReadError, Source, SourceExt, SourceProblem};

/// How much is read at a time.
const BLOCK: u64 = 16 << 10;
/// How many blocks are kept.
const BLOCKS: usize = 16;
/// The most bytes of a text; names and types are short.
const TEXT: u64 = 1 << 12;

/// Blocks that were read, by their number.
type Blocks = Vec<(u64, Vec<u8>)>;

/// A flatbuffer in a source.
pub struct Flatbuffer<'s> {
    source: &'s dyn Source,
    blocks: RefCell<Blocks>,
}

/// A table: where it lies, and where its vtable lies.
#[derive(Clone, Copy, Debug)]
pub struct FlatTable {
    at: u64,
    vtable: u64,
    fields: u64,
}

impl FlatTable {
    /// How many fields its writer knew, up to the last that is there.
    pub fn fields(self) -> u64 {
        self.fields
    }
}

/// A vector: its first element and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// Where the first element lies.
    pub at: u64,
    /// How many elements there are.
    pub len: u64,
}

impl<'s> Flatbuffer<'s> {
    /// A reader of this source; what it reads is kept in blocks, the first of which is read with the first field.
    pub fn new(source: &'s dyn Source) -> Self {
        Self { source, blocks: RefCell::default() }
    }

    /// An error at a byte of this file, for what a schema forbids.
    pub fn error(&self, at: u64, what: &str) -> ReadError {
        ReadError::malformed(self.source.name(), format!("flatbuffer: {what}")).at(at)
    }

    fn bytes(&self, at: u64, len: u64) -> Result<Vec<u8>, ReadError> {
        let end = at.checked_add(len).filter(|end| *end <= self.source.size());
        if end.is_none() {
            let needed = at.saturating_add(len);
            let problem = SourceProblem::Truncated { len: self.source.size(), needed };
            return Err(ReadError::new(self.source.name(), problem).at(at));
        }
        let block = at / BLOCK;
        let within = (at % BLOCK) as usize;
        if within as u64 + len > BLOCK {
            return self.source.bytes(at, len);
        }
        let mut blocks = self.blocks.borrow_mut();
        if !blocks.iter().any(|(number, _)| *number == block) {
            let start = block * BLOCK;
            let bytes = self.source.bytes(start, BLOCK.min(self.source.size() - start))?;
            if blocks.len() >= BLOCKS {
                blocks.remove(0);
            }
            blocks.push((block, bytes));
        }
        let kept = blocks.iter().find(|(number, _)| *number == block);
        let part = kept.and_then(|(_, bytes)| bytes.get(within..within + len as usize));
        part.map(<[u8]>::to_vec).ok_or_else(|| self.error(at, "beyond the end"))
    }

    /// A number of `size` bytes, up to 8.
    pub fn number(&self, at: u64, size: u64) -> Result<u64, ReadError> {
        let bytes = self.bytes(at, size)?;
        Ok(bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    /// Follows the offset at `at`, which leads forward.
    fn follow(&self, at: u64) -> Result<u64, ReadError> {
        match self.number(at, 4)? {
            0 => Err(self.error(at, "an offset to itself")),
            offset if offset > u64::from(i32::MAX as u32) => {
                Err(self.error(at, "a negative offset"))
            }
            offset => {
                let target = at + offset;
                let inside = target < self.source.size();
                if inside { Ok(target) } else { Err(self.error(at, "an offset beyond the end")) }
            }
        }
    }

    /// Takes a node from the budget of the file: a vector may name one table a million times.
    fn table(&self, at: u64) -> Result<FlatTable, ReadError> {
        self.source.nodes(1)?;
        // The vtable may lie on either side, at a signed distance.
        let distance = i64::from(self.number(at, 4)? as u32 as i32);
        let vtable = at.checked_add_signed(-distance);
        let vtable = vtable.ok_or_else(|| self.error(at, "a vtable before the start"))?;
        let size = self.number(vtable, 2)?;
        if size < 4 || size % 2 != 0 {
            return Err(self.error(vtable, "a vtable of a size that no vtable has"));
        }
        self.bytes(vtable, size)?;
        Ok(FlatTable { at, vtable, fields: (size - 4) / 2 })
    }

    /// The table at the root.
    pub fn root(&self) -> Result<FlatTable, ReadError> {
        self.table(self.follow(0)?)
    }

    /// Where a field stands; none if the table leaves it out.
    fn field(&self, table: FlatTable, field: u64) -> Result<Option<u64>, ReadError> {
        if field >= table.fields {
            return Ok(None);
        }
        let offset = self.number(table.vtable + 4 + 2 * field, 2)?;
        Ok((offset != 0).then(|| table.at + offset))
    }

    /// A number of `size` bytes, zero if it is left out.
    pub fn scalar(&self, table: FlatTable, field: u64, size: u64) -> Result<u64, ReadError> {
        self.field(table, field)?.map_or(Ok(0), |at| self.number(at, size))
    }

    /// A number of 4 bytes with a sign and a default.
    pub fn int(&self, table: FlatTable, field: u64, default: i32) -> Result<i32, ReadError> {
        self.field(table, field)?.map_or(Ok(default), |at| Ok(self.number(at, 4)? as u32 as i32))
    }

    /// A table behind a field.
    pub fn child(&self, table: FlatTable, field: u64) -> Result<Option<FlatTable>, ReadError> {
        let at = self.field(table, field)?;
        at.map(|at| self.table(self.follow(at)?)).transpose()
    }

    /// A vector behind a field, whose elements have `size` bytes; empty if it is left out.
    pub fn vector(&self, table: FlatTable, field: u64, size: u64) -> Result<Vector, ReadError> {
        let Some(at) = self.field(table, field)? else { return Ok(Vector { at: 0, len: 0 }) };
        let at = self.follow(at)?;
        let len = self.number(at, 4)?;
        let end = len.checked_mul(size).and_then(|bytes| (at + 4).checked_add(bytes));
        if end.is_none_or(|end| end > self.source.size()) {
            return Err(self.error(at, &format!("a vector of {len} elements")));
        }
        Ok(Vector { at: at + 4, len })
    }

    /// The table that element `index` of a vector leads to.
    pub fn element(&self, vector: Vector, index: u64) -> Result<FlatTable, ReadError> {
        self.table(self.follow(vector.at + 4 * index)?)
    }

    /// Where what a field leads to lies: a struct, a text; none if it is left out.
    pub fn place(&self, table: FlatTable, field: u64) -> Result<Option<u64>, ReadError> {
        self.field(table, field)?.map(|at| self.follow(at)).transpose()
    }

    /// A text behind a field, empty if it is left out.
    pub fn text(&self, table: FlatTable, field: u64) -> Result<String, ReadError> {
        self.place(table, field)?.map_or(Ok(String::new()), |at| self.text_at(at, TEXT))
    }

    /// The text that element `index` of a vector leads to.
    pub fn element_text(&self, vector: Vector, index: u64) -> Result<String, ReadError> {
        self.text_at(self.follow(vector.at + 4 * index)?, TEXT)
    }

    /// A text of at most so many bytes. It takes a node from the budget of the file for each 64 of them: a vector may name
    /// one text a million times.
    pub fn text_at(&self, at: u64, most: u64) -> Result<String, ReadError> {
        let len = self.number(at, 4)?;
        if len > most {
            return Err(self.error(at, &format!("a text of {len} bytes")));
        }
        self.source.nodes(1 + len / 64)?;
        Ok(String::from_utf8_lossy(&self.bytes(at + 4, len)?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;

    /// A root table with a vector of `count` offsets to one text of `len` bytes.
    fn one_text(count: u32, len: u32) -> BytesSource {
        let mut bytes = vec![12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0];
        bytes.extend(count.to_le_bytes());
        for index in 0..count {
            bytes.extend((4 * (count - index)).to_le_bytes());
        }
        bytes.extend(len.to_le_bytes());
        bytes.extend(vec![b'x'; len as usize]);
        BytesSource::new("texts", bytes)
    }

    fn texts(source: &BytesSource) -> Result<Vec<String>, ReadError> {
        let buffer = Flatbuffer::new(source);
        let vector = buffer.vector(buffer.root()?, 0, 4)?;
        (0..vector.len).map(|index| buffer.element_text(vector, index)).collect()
    }

    #[test]
    fn a_text_that_is_named_again_and_again_ends_with_the_budget() {
        assert_eq!(texts(&one_text(2, 3)).unwrap(), ["xxx", "xxx"]);
        assert_eq!(texts(&one_text(100_000, 20)).unwrap().len(), 100_000);
        let error = texts(&one_text(100_000, 4000)).unwrap_err();
        assert!(matches!(*error.problem, SourceProblem::Budget(_)), "{error}");
    }
}
