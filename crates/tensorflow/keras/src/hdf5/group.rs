//! Links of a group: a B-tree of version 1 whose leaves are nodes of symbols.

use unskew_source::ReadError;

use super::object::Message;
use super::{Hdf5File, UNDEFINED, heap};

/// How deep a B-tree may be; one of depth 4 has millions of links.
const DEPTH: u8 = 8;

/// The links of a group whose B-tree and local heap the message names.
pub(super) fn links(file: &Hdf5File, message: &Message) -> Result<Vec<(String, u64)>, ReadError> {
    let mut cursor = file.cursor(&message.data, message.at);
    let (tree, heap) = (cursor.offset()?, cursor.offset()?);
    if tree == UNDEFINED {
        return Ok(Vec::new());
    }
    let names = heap::local(file, heap)?;
    let mut all = Vec::new();
    walk(file, tree, DEPTH, &names, &mut all)?;
    Ok(all)
}

fn walk(
    file: &Hdf5File,
    address: u64,
    depth: u8,
    names: &[u8],
    all: &mut Vec<(String, u64)>,
) -> Result<(), ReadError> {
    file.count(1)?;
    let head = file.at_most(address, 24)?;
    if head.starts_with(b"SNOD") {
        return symbols(file, address, names, all);
    }
    let mut cursor = file.cursor(&head, address);
    cursor.sign(b"TREE")?;
    if cursor.byte()? != 0 {
        return Err(cursor.error("a B-tree that is not one of links"));
    }
    let level = cursor.byte()?;
    if level >= depth {
        return Err(cursor.error("a B-tree whose level does not go down"));
    }
    let count = cursor.short()?;
    let (offset, length) = (u64::from(file.offset_size), u64::from(file.length_size));
    let start = address.saturating_add(8 + 2 * offset);
    let size = u64::from(count) * (offset + length);
    let bytes = file.bytes(start, size)?;
    let mut cursor = file.cursor(&bytes, start);
    for _ in 0..count {
        cursor.length()?;
        let child = cursor.offset()?;
        // A child is on the level below, or a node of symbols: so the walk has an end.
        walk(file, child, level, names, all)?;
    }
    Ok(())
}

fn symbols(
    file: &Hdf5File,
    address: u64,
    names: &[u8],
    all: &mut Vec<(String, u64)>,
) -> Result<(), ReadError> {
    let head = file.bytes(address, 8)?;
    let mut cursor = file.cursor(&head, address);
    cursor.skip(6)?;
    let count = cursor.short()?;
    file.count(u64::from(count))?;
    let entry = 2 * u64::from(file.offset_size) + 24;
    let start = address.saturating_add(8);
    let bytes = file.bytes(start, u64::from(count) * entry)?;
    let mut cursor = file.cursor(&bytes, start);
    for _ in 0..count {
        let (name, object) = (cursor.offset()?, cursor.offset()?);
        let cache = cursor.word()?;
        cursor.skip(20)?;
        let name = heap::name(names, name);
        let name = name.ok_or_else(|| cursor.error("a link without a name"))?;
        // 2 is a link to a path, which Keras does not write.
        if cache != 2 {
            all.push((name, object));
        }
    }
    Ok(())
}

/// Whether links or attributes stand in a fractal heap, which is not read.
pub(super) fn is_dense(file: &Hdf5File, message: &Message) -> Result<bool, ReadError> {
    let mut cursor = file.cursor(&message.data, message.at);
    cursor.skip(1)?;
    let flags = cursor.byte()?;
    if flags & 1 != 0 {
        cursor.skip(if message.kind == 0x02 { 8 } else { 2 })?;
    }
    Ok(cursor.offset()? != UNDEFINED)
}
