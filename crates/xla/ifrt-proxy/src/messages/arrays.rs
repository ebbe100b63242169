//! Requests that make arrays and that read them.

use bytes::Bytes;
use prost::Message;

use super::StatusMessage;

/// How many bytes lie between neighbours of each axis.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ByteStrides {
    /// One for each axis.
    #[prost(int64, repeated, tag = "1")]
    pub strides: Vec<i64>,
}

/// An array of one host buffer.
#[derive(Clone, PartialEq, Message)]
pub struct MakeArray {
    /// The element type, a serialized `DType`.
    #[prost(bytes = "bytes", tag = "1")]
    pub dtype: Bytes,
    /// The dimensions, a serialized `Shape`.
    #[prost(bytes = "bytes", tag = "2")]
    pub shape: Bytes,
    /// Where the array goes, a serialized `Sharding`.
    #[prost(bytes = "bytes", tag = "3")]
    pub sharding: Bytes,
    /// The handle of the host buffer with its bytes.
    #[prost(fixed64, tag = "4")]
    pub host_buffer: u64,
    /// How it lies in the buffer.
    #[prost(message, optional, tag = "5")]
    pub byte_strides: Option<ByteStrides>,
    /// The handle that the array gets. Since 10.
    #[prost(fixed64, optional, tag = "6")]
    pub array: Option<u64>,
    /// A `Layout`. Since 23.
    #[prost(bytes = "bytes", optional, tag = "7")]
    pub layout: Option<Bytes>,
}

/// Arrays, each of a host buffer for each shard. Since 14.
#[derive(Clone, PartialEq, Message)]
pub struct MakeArraysFromShards {
    /// What each array is made of.
    #[prost(message, repeated, tag = "1")]
    pub specs: Vec<ShardsSpec>,
    /// The handles that they get.
    #[prost(fixed64, repeated, tag = "2")]
    pub arrays: Vec<u64>,
}

/// What an array is made of.
#[derive(Clone, PartialEq, Message)]
pub struct ShardsSpec {
    /// For each buffer the shards that it is.
    #[prost(message, repeated, tag = "1")]
    pub shard_indices: Vec<ShardIndices>,
    /// The host buffers, each for the shards at its place.
    #[prost(message, repeated, tag = "2")]
    pub host_buffers: Vec<ShardBuffer>,
    /// What the array is, a serialized `ArraySpec`.
    #[prost(bytes = "bytes", tag = "3")]
    pub array_spec: Bytes,
}

/// Shards by their places among the addressable ones.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct ShardIndices {
    /// The places, counted from 0.
    #[prost(int64, repeated, tag = "1")]
    pub indices: Vec<i64>,
}

/// The buffer of shards.
#[derive(Clone, PartialEq, Message)]
pub struct ShardBuffer {
    /// The element type, a serialized `DType`.
    #[prost(bytes = "bytes", tag = "1")]
    pub dtype: Bytes,
    /// The dimensions of the shard, a serialized `Shape`.
    #[prost(bytes = "bytes", tag = "2")]
    pub shape: Bytes,
    /// The handle of the host buffer with its bytes.
    #[prost(fixed64, tag = "3")]
    pub host_buffer: u64,
    /// How the shard lies in it.
    #[prost(message, optional, tag = "4")]
    pub byte_strides: Option<ByteStrides>,
}

/// Arrays that hold an error in place of contents.
#[derive(Clone, PartialEq, Message)]
pub struct MakeErrorArrays {
    /// The error that whoever reads them gets.
    #[prost(message, optional, tag = "1")]
    pub error: Option<StatusMessage>,
    /// What the arrays would be, `ArraySpec`s.
    #[prost(bytes = "bytes", repeated, tag = "2")]
    pub array_specs: Vec<Bytes>,
    /// The handles that they get.
    #[prost(fixed64, repeated, tag = "3")]
    pub arrays: Vec<u64>,
}

/// An array into a host buffer.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct CopyToHost {
    /// The handle that the buffer gets.
    #[prost(fixed64, tag = "1")]
    pub host_buffer: u64,
    /// The handle of the array.
    #[prost(fixed64, tag = "2")]
    pub array: u64,
    /// How the array lies in the buffer.
    #[prost(message, optional, tag = "3")]
    pub byte_strides: Option<ByteStrides>,
}

/// Arrays that are deleted or let go: one before 5, several since.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct OldOrNewHandles {
    /// The handle of the one array.
    #[prost(fixed64, optional, tag = "1")]
    pub one: Option<u64>,
    /// The handles of several arrays.
    #[prost(fixed64, repeated, tag = "2")]
    pub several: Vec<u64>,
}

impl OldOrNewHandles {
    /// The handles of all, whichever field they stand in.
    pub fn all(&self) -> impl Iterator<Item = u64> {
        self.one.into_iter().chain(self.several.iter().copied())
    }
}
