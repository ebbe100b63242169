//! Protobuf messages: tags, lengths, and messages in messages.

use super::splice::{put, repeated, times};
use unskew_random::Random;

pub fn mutated(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    let fields = fields(&bytes);
    let Some((range, number)) = fields.get(random.below(fields.len())).cloned() else {
        return bytes;
    };
    let field = bytes.get(range.clone()).unwrap_or_default().to_vec();
    match random.below(6) {
        0 => put(&mut bytes, range.end..range.end, &repeated(&field, times(random))),
        1 => {
            // The message in itself, and that again.
            let mut nested = field;
            for _ in 0..times(random).min(4_000) {
                let mut outer = varint(number << 3 | 2);
                outer.extend(varint(nested.len() as u64));
                outer.append(&mut nested);
                nested = outer;
            }
            put(&mut bytes, range, &nested);
        }
        2 => {
            let length = *random.choose(&[0, 1, 1 << 20, 1 << 31, u64::MAX >> 1, u64::MAX]);
            let mut broken = varint(number << 3 | 2);
            broken.extend(varint(length));
            put(&mut bytes, range.start..range.start, &broken);
        }
        3 => {
            let mut other = varint((random.below(30) as u64) << 3 | random.below(6) as u64);
            other.extend(varint(random.next() >> random.below(64)));
            put(&mut bytes, range.start..range.start, &repeated(&other, times(random)));
        }
        4 => {
            // Small fields, each another: names and numbers that have to be looked up.
            let mut many = Vec::new();
            for nth in 0..times(random).min(100_000) {
                let name = format!("n{nth}");
                let mut inner = vec![0x0a, name.len() as u8];
                inner.extend_from_slice(name.as_bytes());
                inner.extend_from_slice(&[0x12, 2, b'I', b'd', 0x1a, name.len() as u8]);
                inner.extend_from_slice(name.as_bytes());
                many.extend(varint(number << 3 | 2));
                many.extend(varint(inner.len() as u64));
                many.extend(inner);
            }
            put(&mut bytes, range.start..range.start, &many);
        }
        _ => {
            // Within the message, if it is one: what comes out has the right length.
            let inner = payload(&field).map(<[u8]>::to_vec);
            let Some(inner) = inner.filter(|inner| !inner.is_empty()) else { return bytes };
            let inner = mutated(inner, random);
            let mut whole = varint(number << 3 | 2);
            whole.extend(varint(inner.len() as u64));
            whole.extend(inner);
            put(&mut bytes, range, &whole);
        }
    }
    bytes
}

/// The fields of a message, with their numbers, as far as it is one.
fn fields(bytes: &[u8]) -> Vec<(std::ops::Range<usize>, u64)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() && found.len() < 100_000 {
        let start = at;
        let Some((tag, next)) = read(bytes, at) else { break };
        let end = match tag & 7 {
            0 => read(bytes, next).map(|(_, end)| end),
            1 => next.checked_add(8),
            5 => next.checked_add(4),
            2 => read(bytes, next)
                .and_then(|(length, from)| from.checked_add(usize::try_from(length).ok()?)),
            _ => None,
        };
        let Some(end) = end.filter(|end| *end <= bytes.len()) else { break };
        found.push((start..end, tag >> 3));
        at = end;
    }
    found
}

fn payload(field: &[u8]) -> Option<&[u8]> {
    let (tag, next) = read(field, 0)?;
    let (_, from) = read(field, next).filter(|_| tag & 7 == 2)?;
    field.get(from..)
}

fn read(bytes: &[u8], mut at: usize) -> Option<(u64, usize)> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(at)?;
        at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((number, at));
        }
    }
    None
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
