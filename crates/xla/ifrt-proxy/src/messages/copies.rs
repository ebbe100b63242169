//! Requests that make arrays of arrays.

use bytes::Bytes;
use prost::Message;

/// What becomes of the arrays that others are made of, as the field `copy_semantics` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// They stay as they are.
    Copy,
    /// They may share memory with the new ones.
    Reuse,
    /// They are given away.
    Donate,
}

impl Semantics {
    /// What a number means; one that is not known is a copy, which is always right.
    pub fn from_number(number: i32) -> Self {
        match number {
            2 => Self::Reuse,
            3 => Self::Donate,
            _ => Self::Copy,
        }
    }
}

/// One array of arrays on one device each.
#[derive(Clone, PartialEq, Message)]
pub struct Assemble {
    /// The dimensions of the whole, a serialized `Shape`.
    #[prost(bytes = "bytes", tag = "1")]
    pub shape: Bytes,
    /// Where the whole lies, a serialized `Sharding`.
    #[prost(bytes = "bytes", tag = "2")]
    pub sharding: Bytes,
    /// The handles of the arrays that become its shards.
    #[prost(fixed64, repeated, tag = "3")]
    pub parts: Vec<u64>,
    /// What becomes of the parts, a number of [`Semantics`].
    #[prost(int32, tag = "4")]
    pub copy_semantics: i32,
    /// Which shards the arrays are: 1 the addressable ones, 2 all. Since 8.
    #[prost(int32, optional, tag = "5")]
    pub shard_semantics: Option<i32>,
    /// The handle that it gets; 0 before 11.
    #[prost(fixed64, tag = "6")]
    pub result: u64,
    /// A `DType`. Since 13.
    #[prost(bytes = "bytes", optional, tag = "7")]
    pub dtype: Option<Bytes>,
}

/// The shards of an array as arrays.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Disassemble {
    /// The handle of the array.
    #[prost(fixed64, tag = "1")]
    pub array: u64,
    /// What becomes of the array, a number of [`Semantics`].
    #[prost(int32, tag = "2")]
    pub copy_semantics: i32,
    /// Which shards: 1 the addressable ones, 2 all. Since 8.
    #[prost(int32, optional, tag = "3")]
    pub shard_semantics: Option<i32>,
    /// The handles that they get. Since 11.
    #[prost(fixed64, repeated, tag = "4")]
    pub results: Vec<u64>,
}

/// One of the equal shards of an array.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct FullyReplicatedShard {
    /// The handle of the array.
    #[prost(fixed64, tag = "1")]
    pub array: u64,
    /// What becomes of the array, a number of [`Semantics`].
    #[prost(int32, tag = "2")]
    pub copy_semantics: i32,
    /// The handle that it gets; 0 before 11.
    #[prost(fixed64, tag = "3")]
    pub result: u64,
}

/// Arrays on other devices, or in other memories. Since 3.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct CopyArrays {
    /// The handles of the arrays.
    #[prost(fixed64, repeated, tag = "1")]
    pub arrays: Vec<u64>,
    /// The devices; none leaves them where they are.
    #[prost(int32, repeated, tag = "2")]
    pub device_ids: Vec<i32>,
    /// The kind of memory; none leaves it.
    #[prost(string, optional, tag = "3")]
    pub memory_kind: Option<String>,
    /// What becomes of the arrays, a number of [`Semantics`].
    #[prost(int32, tag = "4")]
    pub copy_semantics: i32,
    /// The handles that they get. Since 11.
    #[prost(fixed64, repeated, tag = "5")]
    pub results: Vec<u64>,
}

/// Arrays made of shards of others.
#[derive(Clone, PartialEq, Message)]
pub struct Remap {
    /// Which shards go where, a serialized `RemapPlan`.
    #[prost(bytes = "bytes", tag = "1")]
    pub plan: Bytes,
    /// The handles of the arrays.
    #[prost(fixed64, repeated, tag = "2")]
    pub arrays: Vec<u64>,
    /// What becomes of the arrays, a number of [`Semantics`].
    #[prost(int32, tag = "3")]
    pub copy_semantics: i32,
    /// The handles that the new ones get. Since 11.
    #[prost(fixed64, repeated, tag = "4")]
    pub results: Vec<u64>,
}

/// An array spread otherwise. Up to 4.
#[derive(Clone, PartialEq, Message)]
pub struct OldReshard {
    /// The handle of the array.
    #[prost(fixed64, tag = "1")]
    pub array: u64,
    /// How it lies then, a serialized `Sharding`.
    #[prost(bytes = "bytes", tag = "2")]
    pub sharding: Bytes,
    /// What becomes of the array, a number of [`Semantics`].
    #[prost(int32, tag = "3")]
    pub copy_semantics: i32,
}

/// Arrays by other specs: spread otherwise (reshard), or the same bits as other types (bitcast).
#[derive(Clone, PartialEq, Message)]
pub struct Respec {
    /// The handles of the arrays.
    #[prost(fixed64, repeated, tag = "1")]
    pub arrays: Vec<u64>,
    /// What becomes of each, an `ArraySpec`.
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub array_specs: Vec<Bytes>,
    /// What becomes of the arrays, a number of [`Semantics`].
    #[prost(int32, tag = "3")]
    pub copy_semantics: i32,
    /// The handles that the new ones get.
    #[prost(fixed64, repeated, tag = "4")]
    pub results: Vec<u64>,
}
