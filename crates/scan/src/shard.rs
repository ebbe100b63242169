//! Shards: which artifacts are whose.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::ScanError;

/// One of several equal parts of a scan, counted from 1.
///
/// An artifact belongs to the shard that the first eight bytes of the SHA-256 of its key, as a little-endian number,
/// leave as the remainder when divided by the number of shards. So all machines agree without talking, and
/// an artifact that is added changes nothing for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanShard {
    index: u32,
    of: u32,
}

impl ScanShard {
    /// The only shard of one.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// Shard `index`, from 1, of `of`; none if there is no such shard.
    pub fn new(index: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&index).then_some(Self { index, of })
    }

    /// Whether the artifact with this key, relative to its source, belongs to the shard.
    pub fn has(&self, key: &str) -> bool {
        let digest = Sha256::digest(key.as_bytes());
        let head =
            digest.iter().take(8).rev().fold(0u64, |number, byte| (number << 8) | u64::from(*byte));
        head % u64::from(self.of) == u64::from(self.index - 1)
    }

    /// What the names of its parts begin with.
    pub(crate) fn prefix(&self) -> String {
        format!("part-{:04}-of-{:04}-", self.index, self.of)
    }
}

impl Default for ScanShard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl fmt::Display for ScanShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for ScanShard {
    type Err = ScanError;

    fn from_str(text: &str) -> Result<Self, ScanError> {
        let (index, of) = text.split_once('/').unwrap_or_default();
        let shard = index.parse().ok().zip(of.parse().ok());
        let shard = shard.and_then(|(index, of)| Self::new(index, of));
        shard.ok_or_else(|| ScanError::Shard(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn where_an_artifact_belongs_never_changes() {
        // Written down, because machines of another version have to agree.
        let owner =
            |key: &str| (1..=16).find(|i| ScanShard::new(*i, 16).unwrap().has(key)).unwrap();
        assert_eq!(["a.pt", "models/net.pt", ""].map(owner), [11, 4, 4]);
        for wrong in ["0/4", "5/4", "1", "1/0", "-1/4", "a/b", "1/2/3"] {
            assert!(wrong.parse::<ScanShard>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn an_artifact_belongs_to_exactly_one_shard(key in "\\PC{0,30}", of in 1..40u32) {
            let owners = (1..=of).filter(|i| ScanShard::new(*i, of).unwrap().has(&key)).count();
            prop_assert_eq!(owners, 1);
        }
    }
}
