//! History of a file: some kinds ask on which day something in it came.

use std::fmt;
use std::ops::ControlFlow;

use unskew_core::Date;

use unskew_source::NotRead;

/// One state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRevision {
    /// The day on which the file came to be so.
    pub day: Date,
    /// What brought it, for messages: `commit 3f2a91c04b7e`.
    pub label: String,
    /// The whole content of the file then.
    pub bytes: Vec<u8>,
}

/// How far back the states of a file are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryDepth {
    /// To the one with which the file began.
    Whole,
    /// Not to the first: the clone was made without older commits.
    Cut,
    /// There is no repository that could know.
    Nowhere,
}

/// The states of files before the one that is judged.
pub trait FileHistory: fmt::Debug {
    /// Hands the states of `file` that have landed to `visit`, newest first, until it has seen enough.
    ///
    /// # Errors
    /// If they could not be read.
    fn walk(
        &self,
        file: &str,
        visit: &mut dyn FnMut(FileRevision) -> ControlFlow<()>,
    ) -> Result<HistoryDepth, NotRead>;
}
