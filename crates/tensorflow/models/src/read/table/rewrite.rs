//! A table with another first value. Its block and the index are made anew, with their checksums; every other block
//! is copied as it lies.

use std::sync::Arc;

use unskew_source::{Assembly, ReadError, Source, SourceExt, SourceProblem};

use super::{Cursor, FOOTER, Handle, MAGIC, PLAIN, TRAILER, block, crc32c, malformed};

/// The table in `source` with `value` under its first key. A first block that was compressed is plain afterwards,
/// as every reader takes it.
///
/// # Errors
/// If the table is torn, or its blocks do not lie in front of its index.
pub(crate) fn with_first_value(
    source: &Arc<dyn Source>,
    value: &[u8],
) -> Result<Assembly, ReadError> {
    let footer = source.size().saturating_sub(FOOTER);
    let bytes = source.bytes(footer, FOOTER.min(source.size()))?;
    let torn = |at: u64| malformed(&**source, "an entry that is torn").at(at);
    let mut at = Cursor { bytes: &bytes, at: 0 };
    let (meta, index) = at.handle().zip(at.handle()).ok_or_else(|| torn(footer))?;
    let mut entries = Vec::new();
    block(&**source, index)?.entries(&**source, |entry| {
        let handle = Cursor { bytes: entry.value, at: 0 }.handle();
        entries.push((entry.key.to_vec(), handle.ok_or_else(|| torn(entry.offset))?));
        Ok(true)
    })?;
    let first = entries.first().map(|(_, handle)| *handle).ok_or_else(|| torn(index.start))?;
    let new =
        with_value(&block(&**source, first)?.bytes, value).ok_or_else(|| torn(first.start))?;
    let (first_end, index_end) = (end(first), end(index));
    let ordered = first_end <= index.start && entries.iter().all(|(_, h)| end(*h) <= index.start);
    if !ordered || index_end > footer || end(meta) > index.start {
        let what = "table: an index in front of the blocks that it lists".to_owned();
        return Err(ReadError::new(source.name(), SourceProblem::Unsupported(what)).at(index.start));
    }
    let len = new.len() as u64;
    let moved = |handle: Handle| {
        let start = match handle.start > first.start {
            true => handle.start - first_end + first.start + len + TRAILER,
            false => handle.start,
        };
        Handle { start, ..handle }
    };
    for (_, handle) in &mut entries {
        let is_first = handle.start == first.start;
        *handle = if is_first { Handle { len, ..first } } else { moved(*handle) };
    }
    let list = listing(&entries);
    let mut table = Assembly::new(source.name());
    table.push_copy(source, 0..first.start)?;
    table.push_bytes(sealed(new));
    table.push_copy(source, first_end..index.start)?;
    let index = Handle { start: table.size(), len: list.len() as u64 };
    table.push_bytes(sealed(list));
    let mut tail = Vec::new();
    put_handle(moved(meta), &mut tail);
    put_handle(index, &mut tail);
    tail.resize(FOOTER as usize - MAGIC.len(), 0);
    tail.extend(MAGIC);
    table.push_bytes(tail);
    Ok(table)
}

fn end(handle: Handle) -> u64 {
    handle.start.saturating_add(handle.len).saturating_add(TRAILER)
}

/// A block with another value in its first entry. The entries after it share beginnings of keys only, so they stay.
fn with_value(block: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    let count = u32::from_le_bytes(*block.last_chunk()?);
    let restarts = usize::try_from(count).ok()?.checked_mul(4)?.checked_add(4)?;
    let (entries, restarts) = block.split_at_checked(block.len().checked_sub(restarts)?)?;
    let mut at = Cursor { bytes: entries, at: 0 };
    let mut key = Vec::new();
    at.entry(&mut key)?;
    let mut new = Vec::new();
    put_entry(&key, value, &mut new);
    let grown = (new.len() as i64).checked_sub(at.at as i64)?;
    new.extend_from_slice(entries.get(at.at..)?);
    for restart in restarts.get(..restarts.len() - 4)?.chunks_exact(4) {
        let place = i64::from(u32::from_le_bytes(restart.try_into().ok()?));
        let place = if place == 0 { 0 } else { place.checked_add(grown)? };
        new.extend(u32::try_from(place).ok()?.to_le_bytes());
    }
    new.extend(count.to_le_bytes());
    Some(new)
}

/// A block of handles by key, in which every entry has its whole key.
fn listing(entries: &[(Vec<u8>, Handle)]) -> Vec<u8> {
    let (mut block, mut restarts) = (Vec::new(), Vec::new());
    for (key, handle) in entries {
        restarts.extend((block.len() as u32).to_le_bytes());
        let mut value = Vec::new();
        put_handle(*handle, &mut value);
        put_entry(key, &value, &mut block);
    }
    block.extend(restarts);
    block.extend((entries.len() as u32).to_le_bytes());
    block
}

/// A block with the byte for no compression and its checksum.
fn sealed(mut block: Vec<u8>) -> Vec<u8> {
    block.push(PLAIN);
    let checksum = crc32c::masked(&block);
    block.extend(checksum.to_le_bytes());
    block
}

fn put_entry(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    put(0, out);
    put(key.len() as u64, out);
    put(value.len() as u64, out);
    out.extend_from_slice(key);
    out.extend_from_slice(value);
}

fn put_handle(handle: Handle, out: &mut Vec<u8>) {
    put(handle.start, out);
    put(handle.len, out);
}

fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
