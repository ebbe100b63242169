//! Heaps: texts of any length in global heaps, names of links in local ones.

use unskew_source::{ReadError, limits};

use super::{Hdf5File, UNDEFINED};

/// The most objects of one global heap.
const OBJECTS: usize = 1 << 16;

/// The text to which a reference leads: its length, the address of a global heap, its number there.
pub(super) fn text(file: &Hdf5File, reference: &[u8], at: u64) -> Result<Vec<u8>, ReadError> {
    match place(file, reference, at)? {
        Some((at, length)) => file.bytes(at, length),
        None => Ok(Vec::new()),
    }
}

/// Where that text stands, and its length; none for a text of no bytes.
pub(super) fn place(
    file: &Hdf5File,
    reference: &[u8],
    at: u64,
) -> Result<Option<(u64, u64)>, ReadError> {
    let mut cursor = file.cursor(reference, at);
    let length = u64::from(cursor.word()?);
    let (heap, wanted) = (cursor.offset()?, cursor.word()?);
    if length == 0 || heap == UNDEFINED || heap == 0 {
        return Ok(None);
    }
    if length > limits::RECORD {
        return Err(file.too_large("a text", length, limits::RECORD));
    }
    let head = file.at_most(heap, 16)?;
    let mut cursor = file.cursor(&head, heap);
    cursor.sign(b"GCOL")?;
    cursor.skip(4)?;
    let size = cursor.length()?;
    let end = heap.checked_add(size).ok_or_else(|| cursor.error("a heap without an end"))?;
    let mut place = cursor.position();
    for _ in 0..OBJECTS {
        if place.saturating_add(16) > end {
            break;
        }
        file.count(1)?;
        let head = file.at_most(place, 16)?;
        let mut cursor = file.cursor(&head, place);
        let number = cursor.short()?;
        cursor.skip(6)?;
        let size = cursor.length()?;
        let start = cursor.position();
        if u32::from(number) == wanted {
            if length > size || start.saturating_add(length) > end {
                return Err(cursor.error("a text that is longer than its object in the heap"));
            }
            return Ok(Some((start, length)));
        }
        // The object of number 0 is what is free, up to the end.
        let next = size.checked_next_multiple_of(8).and_then(|size| start.checked_add(size));
        match next.filter(|_| number != 0) {
            Some(next) => place = next,
            None => break,
        }
    }
    Err(file.malformed(at, "a text that is not in its heap"))
}

/// The bytes of a local heap, in which a group has the names of its links.
pub(super) fn local(file: &Hdf5File, address: u64) -> Result<Vec<u8>, ReadError> {
    let head = file.at_most(address, 32)?;
    let mut cursor = file.cursor(&head, address);
    cursor.sign(b"HEAP")?;
    cursor.skip(4)?;
    let size = cursor.length()?;
    cursor.length()?;
    let at = cursor.offset()?;
    file.bytes(at, size)
}

/// The text that stands at `at` of a local heap, up to its zero byte.
pub(super) fn name(heap: &[u8], at: u64) -> Option<String> {
    let rest = heap.get(usize::try_from(at).ok()?..)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}
