//! CRC-32C (Castagnoli), masked as tables store it.

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut crc = n as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
}

/// A checksum of bytes that come in parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crc32c(u32);

impl Crc32c {
    /// The checksum of nothing.
    pub(crate) fn new() -> Self {
        Self(!0)
    }

    /// The checksum of these bytes, too.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let step = |crc: u32, byte: &u8| (crc >> 8) ^ TABLE[usize::from((crc as u8) ^ byte)];
        self.0 = bytes.iter().fold(self.0, step);
    }

    /// Rotated and shifted, so that a checksum of data that holds checksums is as good as any.
    pub(crate) fn masked(self) -> u32 {
        (!self.0).rotate_right(15).wrapping_add(0xa282_ead8)
    }
}

/// The masked checksum of `bytes`.
pub(crate) fn masked(bytes: &[u8]) -> u32 {
    let mut crc = Crc32c::new();
    crc.add(bytes);
    crc.masked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_checksum_of_nine_digits() {
        let unmasked = masked(b"123456789").wrapping_sub(0xa282_ead8).rotate_left(15);
        assert_eq!(unmasked, 0xe306_9283);
    }
}
