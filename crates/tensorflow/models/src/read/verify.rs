//! The data of a checkpoint, read to the end and held against its checksums.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use unskew_core::Places;
use unskew_source::{ReadError, Source, SourceExt};

use super::checkpoint::{Checkpoint, StoredRange};
use super::crc32c::Crc32c;
use super::table::Table;
use crate::DataType;

/// How much is read at a time.
const BLOCK: u64 = 1 << 20;

/// Types whose elements have no fixed size.
const STRING: DataType = DataType(7);
const VARIANT: DataType = DataType(21);

/// The most texts of one tensor.
const TEXTS: u64 = 1 << 28;

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// How many tensors and slices are as their checksums say.
    pub whole: usize,
    /// Those that are not.
    pub damaged: Places,
    /// Those that were not compared: their data file is not there, or they are of a type that says its size itself.
    pub left: Places,
}

/// Compares every tensor of `checkpoint`, which was read from `source`, with its checksum; `file` opens a data file
/// by its number.
///
/// # Errors
/// If the blocks of format 1 are damaged, or a file cannot be read.
pub fn verify(
    checkpoint: &Checkpoint,
    source: &dyn Source,
    file: &dyn Fn(u64) -> Option<Arc<dyn Source>>,
) -> Result<Verification, ReadError> {
    let mut verified = Verification::default();
    if checkpoint.format != 2 {
        // Values stand in the blocks of the table, each of which has a checksum that is compared when it is read.
        Table::open(source)?.entries(|_| Ok(true))?;
        verified.whole = checkpoint.tensors.len();
        return Ok(verified);
    }
    let mut files: HashMap<u64, Option<Arc<dyn Source>>> = HashMap::new();
    let tensors = checkpoint.tensors.iter();
    let tensors = tensors.filter_map(|t| {
        let elements = t.shape.0.as_ref().map(|dims| {
            dims.iter().fold(1u64, |all, dim| all.saturating_mul(u64::try_from(*dim).unwrap_or(0)))
        });
        Some((&*t.name, t.range?, t.dtype, t.crc32c, elements.unwrap_or(0)))
    });
    let slices = checkpoint.stored_slices.iter();
    let slices = slices.map(|slice| ("a slice", slice.range, slice.dtype, slice.crc32c, 0));
    for (name, range, dtype, crc, elements) in tensors.chain(slices) {
        let data = files.entry(range.shard).or_insert_with(|| file(range.shard));
        let end = range.start.saturating_add(range.len);
        let Some(data) = data.as_ref().filter(|data| end <= data.size()) else {
            verified.left.add(name);
            continue;
        };
        let found = match dtype {
            VARIANT => None,
            STRING if elements == 0 && range.len > 0 => None,
            STRING => of_texts(&**data, range, elements)?,
            _ => Some(of_range(&**data, range)?),
        };
        match found {
            Some(found) if found == crc => verified.whole += 1,
            Some(_) => verified.damaged.add(name),
            None => verified.left.add(name),
        }
    }
    Ok(verified)
}

/// The checksum of all bytes of a range.
fn of_range(data: &dyn Source, range: StoredRange) -> Result<u32, ReadError> {
    let mut crc = Crc32c::new();
    add(data, range.start, range.len, &mut crc)?;
    Ok(crc.masked())
}

fn add(data: &dyn Source, start: u64, len: u64, crc: &mut Crc32c) -> Result<(), ReadError> {
    let (mut at, end) = (start, start.saturating_add(len));
    let mut block = vec![0; usize::try_from(len.min(BLOCK)).unwrap_or(0)];
    while at < end {
        let count = usize::try_from((end - at).min(BLOCK)).unwrap_or(0);
        let Some(part) = block.get_mut(..count) else { break };
        data.fill(at, part)?;
        crc.add(part);
        at += count as u64;
    }
    Ok(())
}

/// The checksum of texts: of their lengths as numbers of four bytes (eight for a text beyond 4 GiB), of the checksum of
/// these, and of the texts. In the file the lengths are varints. None if they do not fill the range.
fn of_texts(
    data: &dyn Source,
    range: StoredRange,
    elements: u64,
) -> Result<Option<u32>, ReadError> {
    if elements > TEXTS || elements > range.len {
        return Ok(None);
    }
    let end = range.start.saturating_add(range.len);
    let (mut crc, mut at, mut texts) = (Crc32c::new(), range.start, 0u64);
    let (mut block, mut block_start) = (Vec::new(), at);
    for _ in 0..elements {
        let (mut len, mut shift) = (0u64, 0u32);
        loop {
            if at >= block_start.saturating_add(block.len() as u64) {
                let count = usize::try_from((end.saturating_sub(at)).min(BLOCK)).unwrap_or(0);
                block.resize(count, 0);
                data.fill(at, &mut block)?;
                block_start = at;
            }
            let place = usize::try_from(at.saturating_sub(block_start)).unwrap_or(usize::MAX);
            let Some(byte) = block.get(place) else { return Ok(None) };
            at += 1;
            let Some(part) = u64::from(byte & 0x7f).checked_shl(shift) else { return Ok(None) };
            len |= part;
            shift += 7;
            if *byte < 0x80 {
                break;
            }
        }
        match u32::try_from(len) {
            Ok(len) => crc.add(&len.to_le_bytes()),
            Err(_) => crc.add(&len.to_le_bytes()),
        }
        texts = texts.saturating_add(len);
    }
    if at.saturating_add(4).saturating_add(texts) != end {
        return Ok(None);
    }
    // The checksum of the lengths stands between them and the texts, and counts as bytes, too.
    add(data, at, range.len.saturating_sub(at.saturating_sub(range.start)), &mut crc)?;
    Ok(Some(crc.masked()))
}
