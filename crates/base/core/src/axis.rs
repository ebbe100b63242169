//! The names of version lines.

use std::borrow::Cow;
use std::fmt;

/// A named version line: `pjrt.api`, `tf.graph_def`, `ifrt.serdes`, `torch.file_format`,
/// `op:aten::div.Tensor`.
///
/// The first piece, up to the first `.` or `:`, names the boundary.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Axis(Cow<'static, str>);

impl Axis {
    /// The axis of this name.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// The dotted name, as `unskew releases --axis` takes it: `pjrt.api`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for Axis {
    fn from(name: &'static str) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
