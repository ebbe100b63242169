//! A value of any type that is told apart by name.

use unskew_serdes::proto::Message;

use super::{
    CompactLayout, ConcreteEvenSharding, ConcreteSharding, CustomCallCompileOptions,
    CustomCallProgram, HloProgram, HloSharding, HloShardingSpec, Ifrt, IfrtIrCompileOptions,
    IfrtIrExecutableVersion, IfrtIrProgram, OpaqueSharding, PjRtLayout, ShardingParamSharding,
    SingleDeviceSharding, XlaCompileOptions, XlaExecutableVersion,
};

/// A value with the name of its type: the one form of a value that says what it is.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.Serialized", serialized)]
pub enum Serialized {
    /// A sharding on one device.
    SingleDeviceSharding(SingleDeviceSharding),
    /// A sharding of which only the devices are known.
    OpaqueSharding(OpaqueSharding),
    /// A sharding with the shape of each shard.
    ConcreteSharding(ConcreteSharding),
    /// A sharding of equal shards.
    ConcreteEvenSharding(ConcreteEvenSharding),
    /// A sharding by the parameters of IFRT IR.
    ShardingParamSharding(ShardingParamSharding),
    /// A sharding as XLA describes it.
    HloSharding(HloSharding),
    /// A sharding of devices that are not yet chosen.
    HloShardingSpec(HloShardingSpec),
    /// A layout as XLA describes it.
    PjRtLayout(PjRtLayout),
    /// A layout without gaps, dimensions in a given order.
    CompactLayout(CompactLayout),
    /// A program of XLA's HLO.
    HloProgram(HloProgram),
    /// What a program is compiled with.
    XlaCompileOptions(XlaCompileOptions),
    /// A program that the runtime knows.
    CustomCallProgram(CustomCallProgram),
    /// What such a program is compiled with.
    CustomCallCompileOptions(CustomCallCompileOptions),
    /// A program of several.
    IfrtIrProgram(IfrtIrProgram),
    /// What such a program is compiled with.
    IfrtIrCompileOptions(IfrtIrCompileOptions),
    /// The runtime that a compiled program is for.
    XlaExecutableVersion(XlaExecutableVersion),
    /// The runtime that a compiled program of several is for.
    IfrtIrExecutableVersion(IfrtIrExecutableVersion),
}
