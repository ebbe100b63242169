//! For which runtime a compiled program is.

use unskew_serdes::proto::Message;

use super::Ifrt;

/// The runtime that a compiled XLA program is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.SerializedXlaExecutableVersion", version = 1,
    type_name = "xla::ifrt::XlaExecutableVersion", silent_since = 1
)]
pub struct XlaExecutableVersion {
    /// The number by which XLA knows the platform.
    #[field(2, fixed64)]
    pub platform_id: u64,
    /// What the runtime of that platform says of its own version.
    #[field(3, bytes)]
    pub runtime_abi_version: Vec<u8>,
}

/// The runtime that a compiled program of several is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.IfrtIrExecutableVersionProto", version = 1,
    type_name = "xla::ifrt::IfrtIrExecutableVersion", silent_since = 1
)]
pub struct IfrtIrExecutableVersion {
    /// The version of the representation.
    #[field(2, string)]
    pub ifrt_ir_version: String,
    /// Of each program in it.
    #[field(3, repeated, message)]
    pub executable_versions: Vec<AtomExecutableVersion>,
}

/// The runtime that one of them is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.AtomExecutableVersionProto", silent_since = 1)]
pub struct AtomExecutableVersion {
    /// As the runtime writes it.
    #[field(1, bytes)]
    pub executable_version: Vec<u8>,
    /// The devices that it runs on, by their place.
    #[field(2, repeated, int32)]
    pub logical_device_indexes: Vec<i32>,
}
