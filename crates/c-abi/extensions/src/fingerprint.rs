//! Fingerprints of symbols, by which a table knows them in the place of their names.

use sha2::{Digest as _, Sha256};

/// The lowest `bits` (at most 63) of the SHA-256 of a name.
pub(crate) fn fingerprint(symbol: &str, bits: u32) -> u64 {
    let digest = Sha256::digest(symbol.as_bytes());
    let bytes: [u8; 8] = std::array::from_fn(|at| digest.get(at).copied().unwrap_or_default());
    u64::from_le_bytes(bytes) & ((1 << bits) - 1)
}
