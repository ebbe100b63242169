//! Sets of fingerprints in a file: how the tables of exported symbols keep half a million names.
//!
//! Which release exports a symbol is the same for many symbols, so a table is a list of groups, and a group is a set of
//! fingerprints of one width. A set is the number of its members (LEB128), one byte *k*, and the members in rising order
//! as differences in Rice's code: the difference shifted right by *k* in unary, then its *k* low bits. The lowest bit of
//! a byte comes first, and a set ends at a whole byte.
//!
//! ```
//! use unskew_abi::fingerprints::{FingerprintReader, put_set};
//!
//! let mut bytes = Vec::new();
//! put_set(&mut bytes, &[3, 70_000, 4_000_000_000], 32);
//! let (mut reader, mut read) = (FingerprintReader::new(&bytes, 0), Vec::new());
//! reader.set(32, |member| read.push(member)).unwrap();
//! assert_eq!((read, reader.is_at_end()), (vec![3, 70_000, 4_000_000_000], true));
//! ```

/// Appends a number as LEB128: seven bits a byte, the lowest first.
pub fn put_number(bytes: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends a set of fingerprints of `width` bits (at most 63), which come in rising order.
pub fn put_set(bytes: &mut Vec<u8>, members: &[u64], width: u32) {
    put_number(bytes, members.len() as u128);
    // The mean difference, for which the code is shortest.
    let mean = (1_u64 << width) / (members.len() as u64 + 1);
    let k = mean.max(1).ilog2().saturating_sub(1).min(width.saturating_sub(1));
    bytes.push(k as u8);
    let mut bits = Bits::default();
    let mut before = 0;
    for member in members {
        let difference = member.saturating_sub(before);
        before = *member;
        (0..difference >> k).for_each(|_| bits.push(true));
        bits.push(false);
        (0..k).for_each(|at| bits.push(difference >> at & 1 == 1));
    }
    bytes.extend(bits.bytes);
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    free: u32,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.free == 0 {
            self.bytes.push(0);
            self.free = 8;
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (8 - self.free);
        }
        self.free -= 1;
    }
}

/// Reads sets, and the numbers between them.
#[derive(Clone, Debug)]
pub struct FingerprintReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> FingerprintReader<'a> {
    /// Begins at byte `at`.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next byte, counted from the first of the file; said when it cannot be read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether all bytes were read.
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte
    }

    /// The next number; none if the file ends in it, or it has more than 128 bits.
    pub fn number(&mut self) -> Option<u128> {
        let mut value = 0;
        for shift in (0..126).step_by(7) {
            let byte = self.byte()?;
            value |= u128::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        // The last two bits.
        let byte = self.byte().filter(|byte| *byte < 4)?;
        Some(value | u128::from(byte) << 126)
    }

    /// Gives `each` the members of the next set, of `width` bits (at most 63) each, in rising order. None if the file ends
    /// before, or a member is wider.
    pub fn set(&mut self, width: u32, mut each: impl FnMut(u64)) -> Option<()> {
        let count = self.number()?;
        let k = u32::from(self.byte()?);
        if k >= width {
            return None;
        }
        // A member has at least its low bits and a zero, so a count that is too high ends soon.
        let (mut held, mut bits, mut member) = (0_u128, 0_u32, 0_u64);
        for _ in 0..count {
            let mut high = 0_u64;
            loop {
                if bits == 0 {
                    held = u128::from(self.byte()?);
                    bits = 8;
                }
                let ones = (!held).trailing_zeros().min(bits);
                high += u64::from(ones);
                held >>= ones;
                bits -= ones;
                if bits > 0 {
                    held >>= 1;
                    bits -= 1;
                    break;
                }
            }
            while bits < k {
                held |= u128::from(self.byte()?) << bits;
                bits += 8;
            }
            let low = held as u64 & ((1 << k) - 1);
            held >>= k;
            bits -= k;
            let difference = high.checked_mul(1 << k)?.checked_add(low)?;
            member = member.checked_add(difference).filter(|member| member >> width == 0)?;
            each(member);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(sets in proptest::collection::vec((any::<u128>(), proptest::collection::btree_set(0_u64..1 << 40, 0..50)), 0..5)) {
            let mut bytes = Vec::new();
            for (number, members) in &sets {
                put_number(&mut bytes, *number);
                put_set(&mut bytes, &members.iter().copied().collect::<Vec<_>>(), 40);
            }
            let mut reader = FingerprintReader::new(&bytes, 0);
            for (number, members) in &sets {
                prop_assert_eq!(reader.number(), Some(*number));
                let mut read = Vec::new();
                prop_assert!(reader.set(40, |member| read.push(member)).is_some());
                prop_assert!(read.iter().eq(members));
            }
            prop_assert!(reader.is_at_end());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), width in 1_u32..64) {
            let _ = FingerprintReader::new(&bytes, 0).set(width, |member| assert_eq!(member >> width, 0));
        }
    }

    #[test]
    fn a_count_without_members_is_refused() {
        let mut bytes = Vec::new();
        put_number(&mut bytes, u128::MAX);
        bytes.push(7);
        assert_eq!(FingerprintReader::new(&bytes, 0).set(32, |_| ()), None);
    }
}
