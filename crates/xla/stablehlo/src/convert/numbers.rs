//! Numbers and parts of a file as bytes.

use crate::bytecode::Span;

/// A part of the file; empty where there is none, which a cursor has seen to before.
pub(super) fn slice(bytes: &[u8], span: Span) -> &[u8] {
    let range = usize::try_from(span.start).ok().zip(usize::try_from(span.end).ok());
    range.and_then(|(start, end)| bytes.get(start..end)).unwrap_or_default()
}

/// A number of one to nine bytes, in its shortest form: the zeros at the low end of the first byte say
/// how many follow.
pub(crate) fn varint(out: &mut Vec<u8>, value: u64) {
    match (1..=8usize).find(|len| value < 1 << (7 * len)) {
        Some(len) => {
            let word = (value << len) | (1 << (len - 1));
            out.extend(word.to_le_bytes().iter().take(len));
        }
        None => {
            out.push(0);
            out.extend_from_slice(&value.to_le_bytes());
        }
    }
}
