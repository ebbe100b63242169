//! Running programs.

use std::collections::HashMap;

use bytes::Bytes;
use prost::Message;

/// A program to run.
#[derive(Clone, PartialEq, Message)]
pub struct Execute {
    /// The handle of the loaded executable.
    #[prost(fixed64, tag = "1")]
    pub executable: u64,
    /// The handles of its arguments, in their order.
    #[prost(fixed64, repeated, tag = "2")]
    pub arguments: Vec<u64>,
    /// `ExecuteOptions`; before 6 [`OldExecuteOptions`].
    #[prost(bytes = "bytes", optional, tag = "3")]
    pub options: Option<Bytes>,
    /// The devices of a program that runs on any.
    #[prost(int32, repeated, tag = "4")]
    pub device_ids: Vec<i32>,
    /// The handles that the results get; none at the first run of a program, and before 12.
    #[prost(fixed64, repeated, tag = "5")]
    pub results: Vec<u64>,
    /// The handle that the status gets. Since 12.
    #[prost(fixed64, tag = "6")]
    pub status: u64,
}

/// How a program runs, as jaxlib had it before 0.4.34: XLA's own `ExecuteOptionsProto`. It has the numbers of
/// the message that took its place, and more fields, which say what a server does anyway.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct OldExecuteOptions {
    /// The number of the run.
    #[prost(int32, tag = "3")]
    pub launch_id: i32,
    /// The places of the arguments that stay usable.
    #[prost(int32, repeated, tag = "7")]
    pub non_donatable_input_indices: Vec<i32>,
}

/// What came of it.
#[derive(Clone, PartialEq, Message)]
pub struct Executed {
    /// A future for when it is done.
    #[prost(fixed64, tag = "1")]
    pub status: u64,
    /// The results, in the order of the program's outputs.
    #[prost(message, repeated, tag = "2")]
    pub outputs: Vec<OutputMessage>,
}

/// One result of a program that runs.
#[derive(Clone, PartialEq, Message)]
pub struct OutputMessage {
    /// The element type, a serialized `DType`.
    #[prost(bytes = "bytes", tag = "1")]
    pub dtype: Bytes,
    /// The dimensions, a serialized `Shape`.
    #[prost(bytes = "bytes", tag = "2")]
    pub shape: Bytes,
    /// Where it lies, a serialized `Sharding`.
    #[prost(bytes = "bytes", tag = "3")]
    pub sharding: Bytes,
    /// The handle of the array.
    #[prost(fixed64, tag = "4")]
    pub array: u64,
}

/// How a run went. Since 21.
#[derive(Clone, PartialEq, Message)]
pub struct ExecuteResult {
    /// How long it took on devices, in seconds, by their kinds.
    #[prost(map = "string, double", tag = "1")]
    pub device_time: HashMap<String, f64>,
}
