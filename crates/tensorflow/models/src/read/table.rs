//! Sorted tables of keys and values, as checkpoints use them.
//!
//! A table ends in a footer of 48 bytes: where the index of the index lies, where the index lies,
//! padding, and a magic number. A block is its entries, one byte for the compression (none, or Snappy), four for
//! a masked CRC-32C. An entry shares the beginning of its key with the entry before it. Blocks are read one at a
//! time; every block that is read is held against its checksum.

use unskew_source::{ReadError, Source, SourceExt, SourceProblem, limits};

use super::crc32c;

mod rewrite;

pub(crate) use rewrite::with_first_value;

const FOOTER: u64 = 48;
const MAGIC: [u8; 8] = 0xdb47_7524_8b80_fb57_u64.to_le_bytes();

/// A byte for the compression and four for the checksum.
const TRAILER: u64 = 5;

/// The byte for a block as it is.
const PLAIN: u8 = 0;

/// The byte for a block compressed by Snappy.
const SNAPPY: u8 = 1;

/// Whether `source` ends like a table.
pub(crate) fn recognizes(source: &dyn Source) -> bool {
    let Some(start) = source.size().checked_sub(FOOTER) else { return false };
    let mut magic = [0; 8];
    source.fill(start + FOOTER - 8, &mut magic).is_ok() && magic == MAGIC
}

/// A table: where its blocks lie.
pub(crate) struct Table<'s> {
    source: &'s dyn Source,
    handles: Vec<Handle>,
}

/// Where a block lies, without its trailer.
#[derive(Clone, Copy)]
struct Handle {
    start: u64,
    len: u64,
}

/// A block, without its trailer and uncompressed.
pub(crate) struct Block {
    bytes: Vec<u8>,
    /// Where it lies in the file.
    start: u64,
    /// Whether places in it are places in the file.
    plain: bool,
}

/// One entry of a block.
pub(crate) struct TableEntry<'b> {
    pub(crate) key: &'b [u8],
    pub(crate) value: &'b [u8],
    /// The byte of the file where the value begins; of a compressed block, where the block does.
    pub(crate) offset: u64,
}

impl<'s> Table<'s> {
    /// The table in `source`: its footer and its index are read.
    pub(crate) fn open(source: &'s dyn Source) -> Result<Self, ReadError> {
        let start = source.size().saturating_sub(FOOTER);
        let footer = source.bytes(start, FOOTER.min(source.size()))?;
        let mut at = Cursor { bytes: &footer, at: 0 };
        let torn = || malformed(source, "a footer that is torn").at(start);
        at.handle().ok_or_else(torn)?;
        let index = at.handle().ok_or_else(torn)?;
        let index = block(source, index).map_err(|e| e.in_field("index block"))?;
        let mut handles = Vec::new();
        index.entries(source, |entry| {
            let handle = Cursor { bytes: entry.value, at: 0 }.handle();
            let torn = || malformed(source, "an index that is torn").at(entry.offset);
            handles.push(handle.ok_or_else(torn)?);
            Ok(true)
        })?;
        Ok(Self { source, handles })
    }

    /// Every entry of the table, in the order of the keys, until `visit` says that it has seen enough.
    pub(crate) fn entries(
        &self,
        mut visit: impl FnMut(&TableEntry<'_>) -> Result<bool, ReadError>,
    ) -> Result<(), ReadError> {
        for (i, handle) in self.handles.iter().enumerate() {
            let which = || if i == 0 { "first block".to_owned() } else { format!("block {i}") };
            let block = block(self.source, *handle).map_err(|e| e.in_field(which()))?;
            if !block.entries(self.source, &mut visit)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The value under the first key.
    pub(crate) fn first_value(&self) -> Result<Vec<u8>, ReadError> {
        let mut value = Vec::new();
        self.entries(|entry| {
            value = entry.value.to_vec();
            Ok(false)
        })?;
        Ok(value)
    }

    /// Whether every block lies in the file, in front of the footer; else where one ends.
    pub(crate) fn reaches_beyond(&self) -> Option<u64> {
        let end = self.source.size().saturating_sub(FOOTER);
        let ends =
            self.handles.iter().map(|h| h.start.saturating_add(h.len).saturating_add(TRAILER));
        ends.max().filter(|last| *last > end)
    }
}

fn malformed(source: &dyn Source, what: &str) -> ReadError {
    ReadError::malformed(source.name(), format!("table: {what}"))
}

fn block(source: &dyn Source, Handle { start, len }: Handle) -> Result<Block, ReadError> {
    let whole = len.checked_add(TRAILER).ok_or_else(|| {
        let problem = SourceProblem::Truncated { len: source.size(), needed: u64::MAX };
        ReadError::new(source.name(), problem).at(start)
    })?;
    let mut bytes = source.bytes(start, whole)?;
    let checksum: Vec<u8> = bytes.split_off(bytes.len().saturating_sub(4));
    if crc32c::masked(&bytes).to_le_bytes() != *checksum {
        let what = "a block whose checksum does not match its bytes";
        return Err(malformed(source, what).at(start));
    }
    match bytes.pop() {
        Some(PLAIN) => Ok(Block { bytes, start, plain: true }),
        Some(SNAPPY) => {
            Ok(Block { bytes: uncompressed(source, &bytes, start)?, start, plain: false })
        }
        Some(kind) => {
            let what =
                format!("table: a block of compression {kind}; known are 0, none, and 1, Snappy");
            Err(ReadError::new(source.name(), SourceProblem::Unsupported(what)).at(start))
        }
        None => Err(malformed(source, "an empty block").at(start)),
    }
}

/// A block says how large it is uncompressed, which is believed up to the limit of a record.
fn uncompressed(source: &dyn Source, bytes: &[u8], start: u64) -> Result<Vec<u8>, ReadError> {
    let torn = |_| malformed(source, "a block that Snappy did not write").at(start);
    let size = snap::raw::decompress_len(bytes).map_err(torn)? as u64;
    if size > limits::RECORD {
        let what = "a block of a table, uncompressed".to_owned();
        let problem = SourceProblem::TooLarge { what, size, limit: limits::RECORD };
        return Err(ReadError::new(source.name(), problem).at(start));
    }
    snap::raw::Decoder::new().decompress_vec(bytes).map_err(torn)
}

impl Block {
    /// Every entry, until `visit` says that it has seen enough; whether it never did.
    fn entries(
        &self,
        source: &dyn Source,
        mut visit: impl FnMut(&TableEntry<'_>) -> Result<bool, ReadError>,
    ) -> Result<bool, ReadError> {
        let torn = || malformed(source, "a block whose entries are torn").at(self.start);
        let restarts = self.bytes.last_chunk().map(|count| u32::from_le_bytes(*count));
        let restarts = restarts.and_then(|count| usize::try_from(count).ok()?.checked_mul(4));
        let end = restarts.and_then(|bytes| self.bytes.len().checked_sub(bytes.checked_add(4)?));
        let entries = self.bytes.get(..end.ok_or_else(torn)?).ok_or_else(torn)?;
        let mut at = Cursor { bytes: entries, at: 0 };
        let mut key: Vec<u8> = Vec::new();
        while at.at < entries.len() {
            let value = at.entry(&mut key).ok_or_else(torn)?;
            let inside = (at.at - value.len()) as u64;
            let offset = self.start.saturating_add(if self.plain { inside } else { 0 });
            if !visit(&TableEntry { key: &key, value, offset })? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
    /// Makes the key of the next entry from that of the entry before it, and returns the value.
    fn entry(&mut self, key: &mut Vec<u8>) -> Option<&'b [u8]> {
        let (shared, own, value) = (self.varint()?, self.varint()?, self.varint()?);
        let shared = usize::try_from(shared).ok().filter(|shared| *shared <= key.len())?;
        let own = self.take(own)?;
        key.truncate(shared);
        key.extend_from_slice(own);
        self.take(value)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn handle(&mut self) -> Option<Handle> {
        Some(Handle { start: self.varint()?, len: self.varint()? })
    }

    fn take(&mut self, len: u64) -> Option<&'b [u8]> {
        let end = self.at.checked_add(usize::try_from(len).ok()?)?;
        let bytes = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }
}
