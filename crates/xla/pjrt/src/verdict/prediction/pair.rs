//! A host before a plug-in.

use crate::probe::Probe;
use crate::verdict::host::{Behaviour, ReleasedHost};

/// One host before one plug-in.
pub(super) struct Pair<'a> {
    pub(super) host: &'a ReleasedHost,
    /// The minor that the host was built with.
    pub(super) minor: i32,
    pub(super) plugin: &'a Probe,
    pub(super) behaviour: &'static Behaviour,
}
