//! Messages of gRPC calls beside the session.

use bytes::Bytes;
use prost::Message;

use super::ProxyVersion;

/// The versions that a client speaks.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct GetVersion {
    /// The lowest version that the client speaks.
    #[prost(message, optional, tag = "1")]
    pub min: Option<ProxyVersion>,
    /// The highest version that the client speaks.
    #[prost(message, optional, tag = "2")]
    pub max: Option<ProxyVersion>,
}

/// The version that is spoken.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct VersionMessage {
    /// The version on which client and server agreed.
    #[prost(message, optional, tag = "1")]
    pub version: Option<ProxyVersion>,
}

/// What a client says when it begins a session, in the header [`SESSION`](crate::metadata::SESSION).
#[derive(Clone, PartialEq, Message)]
pub struct SessionMetadata {
    /// The version that was agreed.
    #[prost(message, optional, tag = "1")]
    pub version: Option<ProxyVersion>,
    /// An `AttributeMap` that is meant for servers of one kind.
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub initialization_data: Option<Bytes>,
}

/// Which buffer comes, in the header [`STORE`](crate::metadata::STORE).
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct StoreMetadata {
    /// The session that the buffer belongs to.
    #[prost(fixed64, tag = "1")]
    pub session: u64,
    /// The handle under which it will be known.
    #[prost(fixed64, tag = "2")]
    pub handle: u64,
    /// Its size, in bytes.
    #[prost(int64, tag = "3")]
    pub size: i64,
}

/// A buffer that lies in a folder which client and server share. Since 17.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct ReadFromDisk {
    /// The buffer that the file holds.
    #[prost(message, optional, tag = "1")]
    pub buffer: Option<StoreMetadata>,
}

/// A part of a buffer.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Chunk {
    /// The next bytes of the buffer.
    #[prost(bytes = "bytes", tag = "1")]
    pub data: Bytes,
}

/// A buffer of a session.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct BufferName {
    /// The session that the buffer belongs to.
    #[prost(fixed64, tag = "1")]
    pub session: u64,
    /// The handle of the buffer.
    #[prost(fixed64, tag = "2")]
    pub handle: u64,
}
