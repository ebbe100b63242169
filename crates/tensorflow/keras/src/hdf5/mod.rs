//! HDF5 reader, as far as files of Keras need one: groups, attributes, and where the bytes of datasets stand.
//!
//! A file is a superblock that leads to the root group; an object is a header of messages: attributes, links to other
//! objects, or a B-tree of links. Nothing of HDF5's own code runs. Each offset is checked against the file, each object
//! is counted in the file's budget, and chains (continuations, trees, heaps) have an end.
//!
//! What is read: superblocks 0 to 3, object headers 1 and 2, links in B-trees of version 1 and in messages, attributes of
//! version 1 to 3 with texts of fixed and of any length. What is refused: shared messages, links and attributes in
//! fractal heaps, which Keras does not write; filters are named, and their data is not read.

mod bytes;
mod group;
mod heap;
mod message;
mod object;
pub(crate) mod write;

use std::sync::Arc;

use unskew_source::{ReadError, Source, SourceExt as _, SourceProblem};

pub use message::{Dataset, Hdf5Attribute, Hdf5Scalar};
pub use object::Hdf5Object;

use bytes::Cursor;

/// What each HDF5 file begins with, perhaps behind 512 bytes or more that are the user's.
pub const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";

/// The address that leads nowhere.
const UNDEFINED: u64 = u64::MAX;

/// An HDF5 file.
pub struct Hdf5File {
    source: Arc<dyn Source>,
    /// Where addresses count from.
    base: u64,
    /// Bytes of an address and of a length.
    offset_size: u8,
    length_size: u8,
    root: u64,
    /// Whether the superblock is of version 0, at the first byte, with addresses of 8 bytes.
    plain: bool,
}

impl Hdf5File {
    /// The file in `source`; none if it is no HDF5.
    ///
    /// # Errors
    /// If it is one, but its superblock is broken or of a version that is not known.
    pub fn open(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let mut at = 0_u64;
        // A user's block has 512 bytes or a doubling of it; nobody writes one of more than 64 KiB before a model.
        while at <= 1 << 16 && at.saturating_add(8) <= source.size() {
            if source.bytes(at, 8)? == SIGNATURE {
                return Self::superblock(source.clone(), at).map(Some);
            }
            at = if at == 0 { 512 } else { at * 2 };
        }
        Ok(None)
    }

    fn superblock(source: Arc<dyn Source>, at: u64) -> Result<Self, ReadError> {
        let len = 128.min(source.size() - at);
        let head = source.bytes(at, len)?;
        let refuse = |what: String| {
            ReadError::malformed(source.name(), what).in_record("superblock").at(at + 8)
        };
        let version = *head.get(8).ok_or_else(|| refuse("ends in its superblock".to_owned()))?;
        let sizes = if version < 2 { head.get(13..15) } else { head.get(9..11) };
        let (offset_size, length_size) = match sizes {
            Some([offset, length]) if is_size(*offset) && is_size(*length) => (*offset, *length),
            _ => return Err(refuse("addresses of a size that HDF5 does not have".to_owned())),
        };
        let mut file = Self {
            source: source.clone(),
            base: 0,
            offset_size,
            length_size,
            root: 0,
            plain: version == 0 && at == 0 && offset_size == 8,
        };
        let start = match version {
            0 => 24,
            1 => 28,
            2 | 3 => 12,
            _ => return Err(refuse(format!("superblock of version {version}, not 0 to 3"))),
        };
        let mut cursor = file.cursor(&head, at);
        cursor.skip(start)?;
        let base = cursor.offset()?;
        cursor.offset()?;
        cursor.offset()?;
        if version < 2 {
            // Behind the driver's block stands the entry of the root: the offset of its name, and its header.
            cursor.offset()?;
            cursor.offset()?;
        }
        let root = cursor.offset()?;
        file.root = root;
        // Some writers leave 0 for a file behind a user's block.
        file.base = if base == UNDEFINED { at } else { base };
        Ok(file)
    }

    /// Whether nothing in its superblock and its root has a checksum, and addresses are those of its bytes.
    pub(crate) fn is_plain(&self) -> bool {
        let first = self.at_most(self.root, 4);
        self.plain && self.base == 0 && first.is_ok_and(|head| !head.starts_with(b"OHDR"))
    }

    /// The root group.
    ///
    /// # Errors
    /// If its header is broken.
    pub fn root(&self) -> Result<Hdf5Object, ReadError> {
        self.object(self.root)
    }

    /// Where the bytes of a dataset stand in the file.
    pub fn place(&self, address: u64) -> Option<u64> {
        address.checked_add(self.base).filter(|at| *at <= self.source.size())
    }

    fn bytes(&self, address: u64, len: u64) -> Result<Vec<u8>, ReadError> {
        let at = self.place(address).filter(|_| address != UNDEFINED);
        let at = at.ok_or_else(|| self.malformed(address, "an address outside of the file"))?;
        self.source.bytes(at, len)
    }

    /// Up to `len` bytes at an address, fewer at the end of the file.
    fn at_most(&self, address: u64, len: u64) -> Result<Vec<u8>, ReadError> {
        let at = self.place(address).filter(|_| address != UNDEFINED);
        let at = at.ok_or_else(|| self.malformed(address, "an address outside of the file"))?;
        self.source.bytes(at, len.min(self.source.size() - at))
    }

    fn cursor<'b>(&'b self, bytes: &'b [u8], at: u64) -> Cursor<'b> {
        Cursor::new(self.source.name(), bytes, at, self.offset_size, self.length_size)
    }

    /// Counts an object, a node or an entry in the budget of the file.
    fn count(&self, nodes: u64) -> Result<(), ReadError> {
        self.source.nodes(nodes)
    }

    fn malformed(&self, at: u64, what: &str) -> ReadError {
        ReadError::malformed(self.source.name(), what).at(at)
    }

    fn too_large(&self, what: &str, size: u64, limit: u64) -> ReadError {
        let problem = SourceProblem::TooLarge { what: what.to_owned(), size, limit };
        ReadError::new(self.source.name(), problem)
    }
}

fn is_size(size: u8) -> bool {
    matches!(size, 2 | 4 | 8)
}
