//! Pickles: programs for a stack machine.

use super::splice::{put, repeated, times};
use unskew_random::Random;

/// Operations, alone or as a pattern.
const OPERATIONS: [&[u8]; 20] = [
    b"(",
    b")",
    b"]",
    b"}",
    b"N",
    b"0",
    b"2",
    b"t",
    b"l",
    b"d",
    b"R",
    b"b",
    b"Q",
    b"\x85",
    b"\x94",
    b"U\x00",
    b"X\xff\xff\xff\xff",
    b"r\xff\xff\xff\xff",
    b"j\xff\xff\xff\xff",
    b"\x8b\xff\xff\xff\x7f",
];

pub fn mutated(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => {
            let operation = random.choose::<&[u8]>(&OPERATIONS);
            put(&mut bytes, at..at, &repeated(operation, times(random)));
        }
        1 => {
            // Tuples of the tuple before, twice each: small to write and exponential to walk.
            let mut laugh = b"\x80\x02)q\x00".to_vec();
            for nth in 0..(1 + random.below(90)) as u32 {
                for _ in 0..2 {
                    laugh.push(b'j');
                    laugh.extend_from_slice(&nth.to_le_bytes());
                }
                laugh.extend_from_slice(b"\x86r");
                laugh.extend_from_slice(&(nth + 1).to_le_bytes());
            }
            laugh.push(b'.');
            bytes = laugh;
        }
        2 => {
            let mut many = b"\x80\x02(".to_vec();
            many.extend(repeated(random.choose::<&[u8]>(&OPERATIONS), times(random)));
            many.extend_from_slice(b"t.");
            bytes = many;
        }
        _ => put(&mut bytes, at..at + 1, random.choose::<&[u8]>(&OPERATIONS)),
    }
    bytes
}
