//! Bytes without a meaning.

use super::splice::{put, repeated, times};
use unskew_random::Random;

/// Numbers at the edges of what fields can hold.
const EDGES: [&[u8]; 8] = [
    &[0xff; 8],
    &[0; 8],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0, 0, 0, 0x80],
    &[0xff; 4],
    &[0xff, 0xff],
    &[0x80; 10],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
];

pub fn mutated(mut bytes: Vec<u8>, other: &[u8], random: &mut Random) -> Vec<u8> {
    let at = random.below(bytes.len());
    let far = (at + 1 + random.below(bytes.len() / 4)).min(bytes.len());
    match random.below(8) {
        0 => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
        1 => {
            let edge = random.choose(&EDGES);
            put(&mut bytes, at..at + edge.len(), edge);
        }
        2 => put(&mut bytes, at..at, random.choose::<&[u8]>(&EDGES)),
        3 => bytes.truncate(at),
        4 => put(&mut bytes, at..far, &[]),
        5 => {
            let piece = bytes.get(at..far).unwrap_or_default().to_vec();
            put(&mut bytes, far..far, &repeated(&piece, times(random)));
        }
        6 => {
            let from = random.below(other.len());
            let end = (from + 1 + random.below(other.len() / 2)).min(other.len());
            put(&mut bytes, at..far, other.get(from..end).unwrap_or_default());
        }
        _ => {
            let byte = random.next() as u8;
            put(&mut bytes, at..at, &repeated(&[byte], times(random)));
        }
    }
    bytes
}
