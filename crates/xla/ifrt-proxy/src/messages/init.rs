//! Messages of the beginning of a session.

use bytes::Bytes;
use prost::Message;

/// The platform, its devices and its memories.
#[derive(Clone, PartialEq, Message)]
pub struct Init {
    /// The name of the platform.
    #[prost(string, tag = "1")]
    pub platform_name: String,
    /// The version of the platform, for people.
    #[prost(string, tag = "2")]
    pub platform_version: String,
    /// The number by which XLA knows the platform.
    #[prost(uint64, tag = "3")]
    pub platform_id: u64,
    /// Which process of the job the server is.
    #[prost(uint64, tag = "4")]
    pub process_index: u64,
    /// The kind of runtime.
    #[prost(string, tag = "5")]
    pub runtime_type: String,
    /// The devices; before 7 the addressable ones.
    #[prost(message, repeated, tag = "6")]
    pub devices: Vec<InitDevice>,
    /// The ids of those that can be used.
    #[prost(int32, repeated, tag = "7")]
    pub addressable_device_ids: Vec<i32>,
    /// The number of the session.
    #[prost(uint64, tag = "8")]
    pub session_id: u64,
    /// The memories of all devices.
    #[prost(message, repeated, tag = "9")]
    pub memories: Vec<InitMemory>,
    /// The ids of the devices that JAX lists. Since 7.
    #[prost(int32, repeated, tag = "10")]
    pub primary_device_ids: Vec<i32>,
    /// Attributes of the client, an `AttributeMap`. Since jax 0.6.
    #[prost(bytes = "bytes", optional, tag = "11")]
    pub client_attributes: Option<Bytes>,
}

/// A device of the platform, as clients see it.
#[derive(Clone, PartialEq, Message)]
pub struct InitDevice {
    /// The id, which is the same for all clients.
    #[prost(int32, tag = "1")]
    pub id: i32,
    /// Its number on its machine.
    #[prost(int32, tag = "2")]
    pub local_hardware_id: i32,
    /// The model, by which devices of one kind are known.
    #[prost(string, tag = "3")]
    pub device_kind: String,
    /// A text for logs.
    #[prost(string, tag = "4")]
    pub debug_string: String,
    /// A text for people.
    #[prost(string, tag = "5")]
    pub to_string: String,
    /// Attributes, as protocols before 4 write them.
    #[prost(message, repeated, tag = "6")]
    pub old_attributes: Vec<VariantEntry>,
    /// The id of its default memory.
    #[prost(int32, optional, tag = "7")]
    pub default_memory_id: Option<i32>,
    /// The ids of its memories.
    #[prost(int32, repeated, tag = "8")]
    pub memory_ids: Vec<i32>,
    /// Its number in its process.
    #[prost(int32, tag = "9")]
    pub local_device_id: i32,
    /// Attributes, an `AttributeMap`. Since 4.
    #[prost(bytes = "bytes", optional, tag = "10")]
    pub attributes: Option<Bytes>,
    /// The name of its platform. Since 22.
    #[prost(string, tag = "11")]
    pub platform_name: String,
}

/// A memory of one or more devices.
#[derive(Clone, PartialEq, Message)]
pub struct InitMemory {
    /// The id, by which devices name it.
    #[prost(int32, tag = "1")]
    pub id: i32,
    /// Its kind, such as `device` or `pinned_host`.
    #[prost(string, tag = "2")]
    pub memory_space_kind: String,
    /// The devices that it is near to.
    #[prost(int32, repeated, tag = "3")]
    pub device_ids: Vec<i32>,
    /// A text for logs.
    #[prost(string, tag = "4")]
    pub debug_string: String,
    /// A text for people.
    #[prost(string, tag = "5")]
    pub to_string: String,
    /// Its kind as a number.
    #[prost(int32, tag = "6")]
    pub kind_id: i32,
}

/// An attribute as it was before 4.
#[derive(Clone, PartialEq, Message)]
pub struct VariantEntry {
    /// The name of the attribute.
    #[prost(string, tag = "1")]
    pub key: String,
    /// The value of the attribute.
    #[prost(message, optional, tag = "2")]
    pub value: Option<Variant>,
}

/// The value of an attribute before 4; one of the fields.
#[derive(Clone, PartialEq, Message)]
pub struct Variant {
    /// Text of any encoding.
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub text: Option<Bytes>,
    /// A whole number of 64 bits.
    #[prost(sfixed64, optional, tag = "2")]
    pub number: Option<i64>,
    /// Several whole numbers of 64 bits.
    #[prost(message, optional, tag = "3")]
    pub numbers: Option<Numbers>,
    /// A float of 32 bits.
    #[prost(float, optional, tag = "4")]
    pub fraction: Option<f32>,
}

/// A list of whole numbers.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Numbers {
    /// The numbers, in their order.
    #[prost(sfixed64, repeated, tag = "1")]
    pub values: Vec<i64>,
}
