//! What the two processes say to each other, besides bytes.

use serde::{Deserialize, Serialize};

use crate::Digest;
use crate::answer::{Attempt, Judged};

/// An artifact, and what is asked about it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Question {
    /// The name under which it is judged.
    pub(super) name: String,
    /// Whether it is a folder.
    pub(super) folder: bool,
    pub(super) parts: Vec<File>,
    /// Names its content, if that may be asked about again.
    pub(super) artifact: Option<Digest>,
    pub(super) ask: Ask,
}

/// A file of the artifact. Its bytes are asked for by its place in the list.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct File {
    /// Its name in the artifact.
    pub(super) name: String,
    /// Its name in messages.
    pub(super) shown: String,
    pub(super) size: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// Whether it can be read at all.
    Look,
    /// What a runtime says to it.
    Answer {
        profile: String,
        /// The digest of the profile.
        digest: Digest,
        /// The day as of which is asked.
        as_of: String,
        /// Whether a conversion is wanted, and whether it may lose something.
        conversion: Option<bool>,
    },
}

/// What the child says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// It is ready, and this is the fingerprint of what it judges by.
    Ready(String),
    /// To [`Ask::Look`]: nothing, or why it cannot be read.
    Looked(Option<String>),
    /// To [`Ask::Answer`]: why it cannot be read. Nothing follows.
    Unreadable(String),
    /// What the runtime says to it as it is, and whether the day makes no difference. [`Reply::Converted`] follows.
    AsIs(Judged, bool),
    /// What a conversion makes of it, if one was tried; whether the day makes no difference; and the files of the result,
    /// whose new bytes follow.
    Converted(Option<Attempt>, bool, Option<Vec<Made>>),
}

/// A file that a conversion made.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Made {
    /// What messages call it.
    pub(super) name: String,
    /// Its path below the folder; none if it is the whole result.
    pub(super) path: Option<String>,
    pub(super) pieces: Vec<Piece>,
}

/// A piece of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Piece {
    /// So many bytes of a file of the artifact: its place, the first byte, how many.
    Copied(usize, u64, u64),
    /// So many new bytes.
    New(u64),
}

/// Which bytes the child wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) part: u32,
    pub(super) offset: u64,
    pub(super) size: u32,
}

impl Wanted {
    pub(super) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&self.part.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.offset.to_le_bytes());
        bytes[12..].copy_from_slice(&self.size.to_le_bytes());
        bytes
    }

    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let (part, rest) = bytes.split_first_chunk::<4>()?;
        let (offset, rest) = rest.split_first_chunk::<8>()?;
        let (size, []) = rest.split_first_chunk::<4>()? else { return None };
        Some(Self {
            part: u32::from_le_bytes(*part),
            offset: u64::from_le_bytes(*offset),
            size: u32::from_le_bytes(*size),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_arrives_as_it_was() {
        let wanted = Wanted { part: 7, offset: u64::MAX - 1, size: 65_536 };
        assert_eq!(Wanted::of(&wanted.to_bytes()), Some(wanted));
        assert_eq!(Wanted::of(&wanted.to_bytes()[1..]), None);
    }
}
