//! Messages of the two processes, besides bytes.

use serde::{Deserialize, Serialize};
use unskew_inspection::Described;

use crate::Digest;
use crate::answer::{Attempt, VerdictRecord};

/// An artifact, and what is asked about it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Question {
    pub(super) described: Described,
    /// Names its content, if that may be asked about again.
    pub(super) artifact: Option<Digest>,
    pub(super) ask: Ask,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// Whether it can be read at all.
    Look,
    /// What a runtime says to it.
    Answer {
        profile: String,
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
    /// To [`Ask::Look`]: nothing, or why it cannot be read.
    Looked(Option<String>),
    /// To [`Ask::Answer`]: why it cannot be read. Nothing follows.
    Unreadable(String),
    /// What the runtime says to it as it is, and whether the day makes no difference. [`Reply::Converted`] follows.
    AsIs(VerdictRecord, bool),
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
