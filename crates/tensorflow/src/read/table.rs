//! Sorted tables of keys and values, as checkpoints use them: the first entry of one.
//!
//! A table ends in a footer of 48 bytes: where the index of the index lies, where the index lies,
//! padding, and a magic number. A block is its entries, one byte for the compression, four for a
//! checksum. The versions of a checkpoint stand under the empty key, which is the first of all.

use unskew_source::{Problem, ReadError, Source, SourceExt};

use super::crc32c;

const FOOTER: u64 = 48;
const MAGIC: [u8; 8] = 0xdb47_7524_8b80_fb57_u64.to_le_bytes();

/// A byte for the compression and four for the checksum.
const TRAILER: u64 = 5;

/// The largest block whose checksum is verified.
const VERIFIED: u64 = 1 << 20;

/// Whether `source` ends like a table.
pub(crate) fn recognizes(source: &dyn Source) -> bool {
    let Some(start) = source.size().checked_sub(FOOTER) else { return false };
    let mut magic = [0; 8];
    source.fill(start + FOOTER - 8, &mut magic).is_ok() && magic == MAGIC
}

/// The key and the value of the first entry, and where the value lies.
pub(crate) struct First {
    pub(crate) key: Vec<u8>,
    pub(crate) value: Vec<u8>,
    /// The byte of the file where the value begins.
    pub(crate) offset: u64,
}

/// The first entry of the table in `source`.
pub(crate) fn first(source: &dyn Source) -> Result<First, ReadError> {
    let start = source.size().saturating_sub(FOOTER);
    let footer = source.bytes(start, FOOTER.min(source.size()))?;
    let mut at = Cursor { bytes: &footer, at: 0 };
    let malformed = |what: &str| ReadError::malformed(source.name(), what.to_owned());
    let torn = || malformed("table: a footer that is torn").at(start);
    at.handle().ok_or_else(torn)?;
    let index = at.handle().ok_or_else(torn)?;
    let index = block(source, index).map_err(|e| e.in_field("index block"))?;
    let (_, handle) = entry(&index.0).ok_or_else(|| malformed("table: an empty index"))?;
    let mut at = Cursor { bytes: handle, at: 0 };
    let handle = at.handle().ok_or_else(|| malformed("table: an index that is torn"))?;
    let (bytes, start) = block(source, handle).map_err(|e| e.in_field("first block"))?;
    let (key, value) = entry(&bytes).ok_or_else(|| malformed("table: no first entry").at(start))?;
    let before = (value.as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize) as u64;
    Ok(First { key: key.to_vec(), value: value.to_vec(), offset: start.saturating_add(before) })
}

/// A block and where it lies.
fn block(source: &dyn Source, (start, len): (u64, u64)) -> Result<(Vec<u8>, u64), ReadError> {
    let whole = len.checked_add(TRAILER).ok_or_else(|| {
        let problem = Problem::Truncated { len: source.size(), needed: u64::MAX };
        ReadError::new(source.name(), problem).at(start)
    })?;
    let mut bytes = source.bytes(start, whole)?;
    let checksum: Vec<u8> = bytes.split_off(bytes.len().saturating_sub(4));
    let malformed = |what: &str| ReadError::malformed(source.name(), format!("table: {what}"));
    match bytes.last() {
        Some(0) => {}
        Some(kind) => {
            let what = format!("table: a block that is compressed (kind {kind}) is not read");
            return Err(ReadError::new(source.name(), Problem::Unsupported(what)).at(start));
        }
        None => return Err(malformed("an empty block").at(start)),
    }
    if len <= VERIFIED && crc32c::masked(&bytes).to_le_bytes() != *checksum {
        return Err(malformed("a block whose checksum does not match its bytes").at(start));
    }
    bytes.pop();
    Ok((bytes, start))
}

/// The key and the value of the first entry of a block.
fn entry(block: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut at = Cursor { bytes: block, at: 0 };
    let (shared, own, value) = (at.varint()?, at.varint()?, at.varint()?);
    (shared == 0).then_some(())?;
    Some((at.take(own)?, at.take(value)?))
}

struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Cursor<'b> {
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

    fn handle(&mut self) -> Option<(u64, u64)> {
        Some((self.varint()?, self.varint()?))
    }

    fn take(&mut self, len: u64) -> Option<&'b [u8]> {
        let end = self.at.checked_add(usize::try_from(len).ok()?)?;
        let bytes = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }
}
