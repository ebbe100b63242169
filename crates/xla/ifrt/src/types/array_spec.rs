//! All about an array but what is in it.

use unskew_serdes::proto::Message;

use super::{DType, Ifrt, Shape, Sharding, ShardingSpec};

/// An array on devices.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.ArraySpecProto", version = 5)]
pub struct ArraySpec {
    /// The type of its elements.
    #[field(1, message)]
    pub dtype: DType,
    /// The dimensions of the whole array.
    #[field(2, message)]
    pub shape: Shape,
    /// How it is spread.
    #[field(3, message)]
    pub sharding: Sharding,
    /// How it lies in memory, as the runtime writes it; none is the default.
    #[field(4, optional, bytes)]
    pub layout: Option<Vec<u8>>,
}

/// An array on devices that are not yet chosen.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.AbstractArraySpecProto", version = 1, since = 5)]
pub struct AbstractArraySpec {
    /// The type of its elements.
    #[field(2, message)]
    pub dtype: DType,
    /// The dimensions of the whole array.
    #[field(3, message)]
    pub shape: Shape,
    /// How it is to be spread.
    #[field(4, message)]
    pub sharding_spec: ShardingSpec,
    /// In which memory; empty is the default.
    #[field(5, string)]
    pub memory_kind: String,
    /// How it lies in memory, as the runtime writes it; none is the default.
    #[field(6, optional, bytes)]
    pub layout: Option<Vec<u8>>,
}
