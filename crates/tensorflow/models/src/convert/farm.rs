//! FarmHash's 64-bit fingerprint, in which TensorFlow states what a SavedModel consists of.
//!
//! It is computed from a [`Source`] block by block, so that it takes the same memory for a graph of any size. The
//! crate `farmhash` wants all bytes at once, and computes something else for texts of whole blocks.

use unskew_source::{ReadError, Source, SourceExt as _};

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// What the state of a long text begins with.
const SEED: u64 = 81;

/// How many bytes are mixed in at a time.
const BLOCK: u64 = 64;

/// How many bytes are read at a time; a multiple of [`BLOCK`].
const CHUNK: u64 = 64 << 10;

/// The fingerprint of everything in `source`.
///
/// # Errors
/// If the source cannot be read.
pub(super) fn fingerprint(source: &dyn Source) -> Result<u64, ReadError> {
    let len = source.size();
    if len <= BLOCK {
        return Ok(of_few(&source.all()?));
    }
    // The last block is mixed in apart, wherever it begins.
    let whole = (len - 1) / BLOCK * BLOCK;
    let mut state = None;
    let mut at = 0;
    while at < whole {
        let bytes = source.bytes(at, CHUNK.min(whole - at))?;
        for block in bytes.chunks_exact(BLOCK as usize) {
            state.get_or_insert_with(|| HashState::new(word(block, 0))).mix(block, K1, 1);
        }
        at += bytes.len() as u64;
    }
    let last = source.bytes(len - BLOCK, BLOCK)?;
    Ok(state.map_or(0, |state| state.finish(&last, (len - 1) % BLOCK)))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|word| word.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn half(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 4)
        .and_then(|word| word.try_into().ok())
        .map_or(0, |word| u64::from(u32::from_le_bytes(word)))
}

fn fold(value: u64) -> u64 {
    value ^ value >> 47
}

fn pair(u: u64, v: u64, by: u64) -> u64 {
    let a = fold((u ^ v).wrapping_mul(by));
    fold((v ^ a).wrapping_mul(by)).wrapping_mul(by)
}

fn of_few(bytes: &[u8]) -> u64 {
    let len = bytes.len();
    let by = K2.wrapping_add(len as u64 * 2);
    let from_end = |back: usize| word(bytes, len - back);
    match len {
        0 => K2,
        1..4 => {
            let [a, b, c] = [0, len / 2, len - 1].map(|at| u64::from(bytes[at]));
            let (y, z) = (a + (b << 8), len as u64 + (c << 2));
            fold(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        4..8 => pair(len as u64 + (half(bytes, 0) << 3), half(bytes, len - 4), by),
        8..17 => {
            let (a, b) = (word(bytes, 0).wrapping_add(K2), from_end(8));
            let c = b.rotate_right(37).wrapping_mul(by).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(by);
            pair(c, d, by)
        }
        17..33 => {
            let (first, second) =
                quarter([word(bytes, 0), word(bytes, 8)], K1, [from_end(8), from_end(16)], by);
            pair(first, second, by)
        }
        _ => {
            let head = [word(bytes, 0), word(bytes, 8)];
            let a = head[0].wrapping_mul(K2);
            let (y, other) = quarter(head, K2, [from_end(8), from_end(16)], by);
            let z = pair(y, other, by);
            let e = word(bytes, 16).wrapping_mul(by);
            let f = word(bytes, 24);
            let g = y.wrapping_add(from_end(32)).wrapping_mul(by);
            let h = z.wrapping_add(from_end(24)).wrapping_mul(by);
            let first =
                e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
            let second = f.wrapping_add(a).rotate_right(18).wrapping_add(e).wrapping_add(g);
            pair(first, second, by)
        }
    }
}

/// The step that texts of 17 to 64 bytes share: of the first two words and the last two.
fn quarter(head: [u64; 2], head_by: u64, tail: [u64; 2], by: u64) -> (u64, u64) {
    let (a, b) = (head[0].wrapping_mul(head_by), head[1]);
    let (c, d) = (tail[0].wrapping_mul(by), tail[1].wrapping_mul(K2));
    let first = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let second = b.wrapping_add(K2).rotate_right(18).wrapping_add(a).wrapping_add(c);
    (first, second)
}

/// What is carried from block to block.
struct HashState {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl HashState {
    fn new(first: u64) -> Self {
        let y = SEED.wrapping_mul(K1).wrapping_add(113);
        let z = fold(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
        let x = SEED.wrapping_mul(K2).wrapping_add(first);
        Self { x, y, z, v: (0, 0), w: (0, 0) }
    }

    /// Mixes in a block; the last one counts some of the state nine times.
    fn mix(&mut self, block: &[u8], by: u64, times: u64) {
        let at = |place| word(block, place);
        let Self { x, y, z, v, w } = self;
        *x = x.wrapping_add(*y).wrapping_add(v.0).wrapping_add(at(8));
        *x = x.rotate_right(37).wrapping_mul(by) ^ w.1.wrapping_mul(times);
        *y = y.wrapping_add(v.1).wrapping_add(at(48)).rotate_right(42).wrapping_mul(by);
        *y = y.wrapping_add(v.0.wrapping_mul(times)).wrapping_add(at(40));
        *z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(by);
        *v = weak(&block[..32], v.1.wrapping_mul(by), x.wrapping_add(w.0));
        *w = weak(&block[32..], z.wrapping_add(w.1), y.wrapping_add(at(16)));
        std::mem::swap(x, z);
    }

    fn finish(mut self, last: &[u8], rest: u64) -> u64 {
        let by = K1.wrapping_add((self.z & 0xff) << 1);
        self.w.0 = self.w.0.wrapping_add(rest);
        self.v.0 = self.v.0.wrapping_add(self.w.0);
        self.w.0 = self.w.0.wrapping_add(self.v.0);
        self.mix(last, by, 9);
        let Self { x, y, z, v, w } = self;
        let first = pair(v.0, w.0, by).wrapping_add(fold(y).wrapping_mul(K0)).wrapping_add(z);
        let second = pair(v.1, w.1, by).wrapping_add(x);
        pair(first, second, by)
    }
}

/// Half of a block and two words.
fn weak(half: &[u8], a: u64, b: u64) -> (u64, u64) {
    let at = |place| word(half, place);
    let a = a.wrapping_add(at(0));
    let b = b.wrapping_add(a).wrapping_add(at(24)).rotate_right(21);
    let sum = a.wrapping_add(at(8)).wrapping_add(at(16));
    (sum.wrapping_add(at(24)), b.wrapping_add(sum.rotate_right(44)).wrapping_add(a))
}

#[cfg(test)]
mod tests {
    use unskew_source::BytesSource;

    use super::*;

    /// What Google's own library computes for texts of these lengths, on both sides of every edge.
    #[test]
    fn fingerprints_are_those_of_farmhash() {
        let bytes: Vec<u8> = (0..2 * CHUNK + 130).map(|i| (i * 31 % 251) as u8).collect();
        let known = [
            (0, 0x9ae1_6a3b_2f90_404f),
            (1, 0xbe60_56ed_f5e9_4b54),
            (3, 0x2ab6_c11b_ec3f_dcbf),
            (4, 0x0cdb_7035_ed9c_b778),
            (7, 0x8826_fa84_a62a_d866),
            (8, 0x3b52_9641_2446_df52),
            (16, 0xd3c0_94c5_5725_f7d5),
            (17, 0xa2df_3eb2_761f_8146),
            (32, 0x5541_383e_dba1_3ce4),
            (33, 0x7315_f394_03c4_0bf1),
            (63, 0x7253_f138_a4ab_0bf6),
            (64, 0xaae9_a35b_22a6_0291),
            (65, 0x3d48_d0b2_77df_9954),
            (127, 0xab56_aede_d462_d59c),
            (128, 0x5943_43ce_faff_91e0),
            (129, 0x15ed_d89d_2bcd_16a4),
            (192, 0xd534_4e61_81d4_7cdc),
            (200, 0xf8ed_cf7c_d0d4_187f),
            (65535, 0x6c9a_7d37_1ac3_b240),
            (65536, 0x1a32_e49f_3aa5_491f),
            (65537, 0x6c38_002e_b595_475b),
            (65600, 0xe215_d685_e94b_1ca8),
            (131072, 0x63af_ec8c_c8f4_5bb4),
            (131073, 0xcaa1_94a1_2d6c_4dd0),
            (131202, 0x5c86_589e_7ca8_29de),
        ];
        for (len, hash) in known {
            let source = BytesSource::new("text", bytes[..len].to_vec());
            assert_eq!(fingerprint(&source).unwrap(), hash, "{len}");
        }
    }
}
