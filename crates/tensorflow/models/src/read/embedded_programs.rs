//! Where programs of MLIR lie in a file of protobuf messages: in attributes of `XlaCallModule`.
//!
//! The reader of graphs passes over long values. A program begins with four bytes that no text has, and a field of bytes has
//! its length before it, so what looks like one and fits into the file is one.

use unskew_source::{ReadError, Source, SourceExt as _};

/// How MLIR bytecode begins.
const MAGIC: &[u8] = b"ML\xefR";

/// The field `s` of an attribute value, as bytes.
const FIELD: u8 = 0x12;

/// The most bytes of a length before a program, and of what is looked at together.
const LENGTH: usize = 5;
const PIECE: usize = 1 << 20;

/// The most programs that are told.
const MOST: usize = 64;

/// Each program by its first byte and its size, the first 64.
///
/// # Errors
/// If the file cannot be read.
pub fn embedded_programs(source: &dyn Source) -> Result<Vec<(u64, u64)>, ReadError> {
    let mut found = Vec::new();
    let mut buffer = vec![0; PIECE];
    // What stands before and behind the border of two pieces is looked at twice.
    let border = LENGTH + 1 + MAGIC.len();
    let mut at = 0;
    while at < source.size() && found.len() < MOST {
        let size = (source.size() - at).min(PIECE as u64) as usize;
        let piece = &mut buffer[..size];
        source.fill(at, piece)?;
        for place in memchr::memmem::find_iter(piece, MAGIC) {
            let begin = at + place as u64;
            let is_new = found.last().is_none_or(|(start, length)| begin >= start + length);
            if let Some(length) = length_before(&piece[..place]).filter(|_| is_new)
                && begin.checked_add(length).is_some_and(|end| end <= source.size())
                && found.len() < MOST
            {
                found.push((begin, length));
            }
        }
        if size <= border {
            break;
        }
        at += (size - if at + (size as u64) < source.size() { border } else { 0 }) as u64;
    }
    Ok(found)
}

/// The length that ends these bytes, behind the number of its field.
fn length_before(bytes: &[u8]) -> Option<u64> {
    let is_number = |count: usize| {
        let number = bytes.get(bytes.len().checked_sub(count)?..)?;
        let before = bytes.get(bytes.len().checked_sub(count + 1)?)?;
        let (last, others) = number.split_last()?;
        let is_whole = last & 0x80 == 0 && others.iter().all(|byte| byte & 0x80 != 0);
        (is_whole && *before == FIELD)
            .then(|| number.iter().rev().fold(0_u64, |sum, byte| sum << 7 | u64::from(byte & 0x7f)))
    };
    (1..=LENGTH).find_map(is_number).filter(|length| *length >= MAGIC.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

    fn field(program: &[u8]) -> Vec<u8> {
        let (low, high) = (program.len() as u8 & 0x7f | 0x80, (program.len() >> 7) as u8);
        [&[FIELD, low, high][..], program].concat()
    }

    fn program(size: usize) -> Vec<u8> {
        let mut program = MAGIC.to_vec();
        program.resize(size, 7);
        program
    }

    #[test]
    fn programs_are_found_wherever_a_piece_ends() {
        for before in [0, 1, PIECE - 9, PIECE - 5, PIECE - 2, PIECE, 2 * PIECE - 14] {
            let bytes = [vec![0; before], field(&program(300)), field(&program(200))].concat();
            let first = before as u64 + 3;
            let found = embedded_programs(&BytesSource::new("graph.pb", bytes)).unwrap();
            assert_eq!(found, [(first, 300), (first + 303, 200)], "{before}");
        }
    }

    #[test]
    fn what_does_not_fit_or_has_no_length_is_none() {
        let cut = field(&program(300))[..200].to_vec();
        for bytes in [cut, MAGIC.to_vec(), [b"\x12\x02", MAGIC].concat(), Vec::new()] {
            let source = BytesSource::new("graph.pb", bytes);
            assert!(embedded_programs(&source).unwrap().is_empty());
        }
    }
}
