//! Shardings of an array over devices.
//!
//! A memory kind, wherever one stands, is the name of a kind of memory of the devices; none is their
//! default memory.

use unskew_serdes::proto::{Message, MessageDescription, ProtoEncoder, WireFields};
use unskew_serdes::{DecodeError, EncodeError, StableName};

use super::{DeviceList, DynamicShape, Ifrt, OpSharding, Shape};

/// A sharding of any kind.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.ShardingProto", serialized(1, "serialized_sharding"))]
pub enum Sharding {
    /// All of it on one device.
    SingleDevice(SingleDeviceSharding),
    /// On these devices, nobody says how.
    Opaque(OpaqueSharding),
    /// In shards of these shapes.
    Concrete(ConcreteSharding),
    /// In shards of one shape.
    ConcreteEven(ConcreteEvenSharding),
    /// By the parameters of the IFRT intermediate representation.
    ShardingParam(ShardingParamSharding),
    /// A sharding as XLA describes it.
    Hlo(HloSharding),
}

/// All of an array on one device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.SingleDeviceShardingProto", version = 3,
    type_name = "xla::ifrt::SingleDeviceSharding"
)]
pub struct SingleDeviceSharding {
    /// The id of the device.
    #[field(1, int32)]
    pub device_id: i32,
    /// The kind of memory on it; none means its default.
    #[field(2, optional, string)]
    pub memory_kind: Option<String>,
}

/// An array on devices, nobody says how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.OpaqueShardingProto", version = 3,
    type_name = "xla::ifrt::OpaqueSharding"
)]
pub struct OpaqueSharding {
    /// The devices, each with one shard.
    #[field(1, message)]
    pub devices: DeviceList,
    /// The kind of memory on them; none means the default.
    #[field(2, optional, string)]
    pub memory_kind: Option<String>,
}

/// An array in shards, each of its own shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConcreteSharding {
    /// The devices, each with one shard.
    pub devices: DeviceList,
    /// The kind of memory on them; none means the default.
    pub memory_kind: Option<String>,
    /// The shapes of the array and of its shards.
    pub shapes: ShardShapes,
}

/// The shapes of an array and of its shards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ShardShapes {
    /// Shapes that are what they say.
    Static {
        /// The shape of the whole array.
        shape: Shape,
        /// The shape of each shard.
        shards: Vec<Shape>,
    },
    /// Shapes that are bounds.
    Dynamic {
        /// The bounded shape of the whole array.
        shape: DynamicShape,
        /// The bounded shape of each shard.
        shards: Vec<DynamicShape>,
    },
}

/// What is written of it: the two kinds of shapes are fields of one message.
mod wire {
    use unskew_serdes::proto::Message;

    use crate::types::{DeviceList, DynamicShape, Ifrt, Shape};

    #[derive(Message)]
    #[message(
        family = Ifrt, name = "xla.ifrt.ConcreteShardingProto", version = 7,
        type_name = "xla::ifrt::ConcreteSharding", check = ConcreteSharding::checked
    )]
    pub struct ConcreteSharding {
        #[field(1, message)]
        pub devices: DeviceList,
        #[field(2, message, oneof = "shape_or_dynamic_shape")]
        pub shape: Option<Shape>,
        #[field(3, repeated, message)]
        pub shard_shapes: Vec<Shape>,
        #[field(4, optional, string)]
        pub memory_kind: Option<String>,
        #[field(5, message, oneof = "shape_or_dynamic_shape")]
        pub dynamic_shape: Option<DynamicShape>,
        #[field(6, repeated, message)]
        pub shard_dynamic_shapes: Vec<DynamicShape>,
    }

    impl ConcreteSharding {
        fn checked(&self) -> Result<(), &'static str> {
            match (&self.shape, &self.dynamic_shape) {
                (None, None) => Err("ConcreteSharding: no shape is there"),
                (Some(_), _) if !self.shard_dynamic_shapes.is_empty() => {
                    Err("ConcreteSharding: dynamic shards of a shape that is not")
                }
                (_, Some(_)) if !self.shard_shapes.is_empty() => {
                    Err("ConcreteSharding: shards that are not dynamic, of a shape that is")
                }
                _ => Ok(()),
            }
        }
    }
}

impl StableName for ConcreteSharding {
    const TYPE_NAME: &'static str = wire::ConcreteSharding::TYPE_NAME;
}

impl Message<Ifrt> for ConcreteSharding {
    const NAME: &'static str = wire::ConcreteSharding::NAME;
    const DESCRIPTION: &'static MessageDescription = wire::ConcreteSharding::DESCRIPTION;

    fn write(&self, to: &mut ProtoEncoder<'_, Ifrt>) -> Result<(), EncodeError> {
        let mut wire = wire::ConcreteSharding {
            devices: self.devices.clone(),
            memory_kind: self.memory_kind.clone(),
            shape: None,
            shard_shapes: Vec::new(),
            dynamic_shape: None,
            shard_dynamic_shapes: Vec::new(),
        };
        match &self.shapes {
            ShardShapes::Static { shape, shards } => {
                (wire.shape, wire.shard_shapes) = (Some(shape.clone()), shards.clone());
            }
            ShardShapes::Dynamic { shape, shards } => {
                (wire.dynamic_shape, wire.shard_dynamic_shapes) =
                    (Some(shape.clone()), shards.clone());
            }
        }
        wire.write(to)
    }

    fn read(from: WireFields<'_, Ifrt>) -> Result<Self, DecodeError> {
        let wire = wire::ConcreteSharding::read(from)?;
        let shapes = match wire.dynamic_shape {
            Some(shape) => ShardShapes::Dynamic { shape, shards: wire.shard_dynamic_shapes },
            // One of the two is there: `checked` has seen to it.
            None => ShardShapes::Static {
                shape: wire.shape.unwrap_or_default(),
                shards: wire.shard_shapes,
            },
        };
        Ok(Self { devices: wire.devices, memory_kind: wire.memory_kind, shapes })
    }
}

/// An array in shards of one shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.ConcreteEvenShardingProto", version = 6,
    type_name = "xla::ifrt::ConcreteEvenSharding"
)]
pub struct ConcreteEvenSharding {
    /// The devices, each with one shard.
    #[field(1, message)]
    pub devices: DeviceList,
    /// The shape of the array.
    #[field(2, message)]
    pub shape: Shape,
    /// The shape of each shard.
    #[field(3, message)]
    pub shard_shape: Shape,
    /// The kind of memory on them; none means the default.
    #[field(4, optional, string)]
    pub memory_kind: Option<String>,
    /// Whether each device has all of it.
    #[field(5, bool)]
    pub is_fully_replicated: bool,
}

/// An array that is spread by parameters.
///
/// Builds whose minimum is 2 or later, which are those since jax 0.12.0, do not know it any more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.ShardingParamShardingProto", version = 4,
    type_name = "xla::ifrt::ShardingParamSharding", removed_with_minimum = 2
)]
pub struct ShardingParamSharding {
    /// How dimensions are split and ordered.
    #[field(1, message)]
    pub sharding_param: ShardingParam,
    /// The devices, each with one shard.
    #[field(2, message)]
    pub devices: DeviceList,
    /// The kind of memory on them; none means the default.
    #[field(3, optional, string)]
    pub memory_kind: Option<String>,
}

/// The parameters of a sharding in the IFRT intermediate representation.
///
/// For some weeks its makers recorded the version that was requested, so 2 may stand where 1 is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.ShardingParamProto", version = 4, also = 2,
    removed_with_minimum = 2
)]
pub struct ShardingParam {
    /// In how many parts each axis of the array is cut.
    #[field(1, repeated, int64)]
    pub dim_shards: Vec<i64>,
    /// The order of the axes of the devices, from the one that varies fastest.
    #[field(2, repeated, int32)]
    pub permutation: Vec<i32>,
    /// How many devices each of these axes has.
    #[field(3, repeated, int32)]
    pub axis_sizes: Vec<i32>,
    /// Of these axes, those over which a sum is still to be taken.
    #[field(5, repeated, int32, since = 1)]
    pub unreduced_axes: Vec<i32>,
}

/// An array that is spread as XLA says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.HloShardingProto", version = 4,
    type_name = "xla::ifrt::HloSharding"
)]
pub struct HloSharding {
    /// The devices, each with one shard.
    #[field(1, message)]
    pub devices: DeviceList,
    /// How XLA splits the array.
    #[field(2, opaque = "xla.OpSharding")]
    pub xla_op_sharding: OpSharding,
    /// The kind of memory on them; none means the default.
    #[field(3, optional, string)]
    pub memory_kind: Option<String>,
}

/// How an array is to be spread over devices that are not yet chosen.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.ShardingSpecProto", silent_since = 1,
    serialized(1, "serialized_sharding_spec")
)]
pub enum ShardingSpec {
    /// A sharding as XLA describes it, without devices.
    Hlo(HloShardingSpec),
}

/// How XLA would spread an array over so many devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.HloShardingSpecProto", version = 1, silent_since = 5,
    type_name = "xla::ifrt::HloShardingSpec"
)]
pub struct HloShardingSpec {
    /// How many shards there are.
    #[field(2, int32)]
    pub num_shards: i32,
    /// How XLA splits the array.
    #[field(3, opaque = "xla.OpSharding")]
    pub xla_op_sharding: OpSharding,
}
