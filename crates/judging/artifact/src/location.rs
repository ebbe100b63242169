//! Location of a source, which decides what may be done with it.

use std::path::Path;

use crate::Neighbours;

/// Where a source lies, as far as its readers have to know.
#[derive(Clone, Copy)]
pub(crate) enum Location<'a> {
    /// In something else; nothing lies beside it.
    Within,
    /// At this path, as a file of its own that the user named.
    At(&'a Path),
    /// At this path, in a folder or copied out of something: nobody named it.
    Found(&'a Path),
    /// Among others, which are found by their names.
    Among(&'a Neighbours),
}
