//! Layouts of an array in memory.

use unskew_serdes::proto::Message;

use super::{Ifrt, XlaLayout};

/// A layout of any kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.LayoutProto", serialized(1, "serialized_layout"))]
pub enum Layout {
    /// A layout as XLA describes it.
    PjRt(PjRtLayout),
    /// Without gaps, in this order of axes.
    Compact(CompactLayout),
}

/// A layout of XLA.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.PjRtLayoutProto", version = 2, silent_since = 1,
    type_name = "xla::ifrt::PjRtLayout"
)]
pub struct PjRtLayout {
    /// The layout, a message of XLA.
    #[field(1, opaque = "xla.LayoutProto")]
    pub xla_layout: XlaLayout,
}

/// A layout without gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.CompactLayoutProto", version = 2, silent_since = 1,
    type_name = "xla::ifrt::CompactLayout"
)]
pub struct CompactLayout {
    /// The axes, the slowest first.
    #[field(1, repeated, int32)]
    pub major_to_minor: Vec<i32>,
}
