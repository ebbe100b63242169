//! Programs: compiling them and asking about them.

use bytes::Bytes;
use prost::Message;

use super::StatusMessage;

/// A program to compile.
#[derive(Clone, PartialEq, Message)]
pub struct CompileRequest {
    /// The program, an IFRT `Serialized` message.
    #[prost(bytes = "bytes", tag = "1")]
    pub program: Bytes,
    /// The compile options, an IFRT `Serialized` message.
    #[prost(bytes = "bytes", tag = "2")]
    pub options: Bytes,
    /// Functions of the client that the program calls.
    #[prost(bytes = "bytes", repeated, tag = "3")]
    pub host_callbacks: Vec<Bytes>,
}

/// A compiled program. Since 20 there may be the devices of a program of several (fields 11 and 12), which
/// this is never: a client that finds either of them takes the program for one of several.
#[derive(Clone, PartialEq, Message)]
pub struct CompileResponse {
    /// The handle of the loaded executable.
    #[prost(fixed64, tag = "1")]
    pub executable: u64,
    /// The name of the program.
    #[prost(string, tag = "2")]
    pub name: String,
    /// On how many devices it runs.
    #[prost(int32, tag = "3")]
    pub num_devices: i32,
    /// What each of them runs, before 5.
    #[prost(message, repeated, tag = "4")]
    pub logical_ids: Vec<LogicalId>,
    /// The ids of the devices that this host addresses.
    #[prost(int32, repeated, tag = "5")]
    pub addressable_device_ids: Vec<i32>,
    /// What tells it from others.
    #[prost(bytes = "bytes", optional, tag = "6")]
    pub fingerprint: Option<Bytes>,
    /// Why there is no fingerprint.
    #[prost(message, optional, tag = "7")]
    pub fingerprint_error: Option<StatusMessage>,
    /// A future for when it can run.
    #[prost(fixed64, optional, tag = "9")]
    pub ready_future: Option<u64>,
    /// All devices. Since 16.
    #[prost(int32, repeated, tag = "10")]
    pub device_ids: Vec<i32>,
}

/// Which replica and which partition a device runs.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct LogicalId {
    /// The replica, counted from 0.
    #[prost(int32, tag = "1")]
    pub replica: i32,
    /// The partition, counted from 0.
    #[prost(int32, tag = "2")]
    pub partition: i32,
}

/// A list of XLA's own messages: shardings or layouts.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Opaques {
    /// The messages, each serialized.
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub list: Vec<Bytes>,
}

/// What a compiled program is like.
#[derive(Clone, PartialEq, Message)]
pub struct ExecutableMetadata {
    /// How each parameter is spread, an `xla.OpSharding`.
    #[prost(message, optional, tag = "1")]
    pub parameter_shardings: Option<Opaques>,
    /// How each result is spread.
    #[prost(message, optional, tag = "2")]
    pub output_shardings: Option<Opaques>,
    /// In which memory each result is.
    #[prost(message, optional, tag = "3")]
    pub output_memory_kinds: Option<OutputMemoryKinds>,
    /// How each parameter lies in memory, an `xla.LayoutProto`; or why that is not known.
    #[prost(message, optional, tag = "4")]
    pub parameter_layouts: Option<Opaques>,
    /// Why the layouts of parameters are not known.
    #[prost(message, optional, tag = "5")]
    pub parameter_layouts_error: Option<StatusMessage>,
    /// How each result lies in memory; or why that is not known.
    #[prost(message, optional, tag = "6")]
    pub output_layouts: Option<Opaques>,
    /// Why the layouts of outputs are not known.
    #[prost(message, optional, tag = "7")]
    pub output_layouts_error: Option<StatusMessage>,
    /// The parameters that are given away; or why they are not known.
    #[prost(message, optional, tag = "8")]
    pub donated_inputs: Option<DonatedInputs>,
    /// Why the donated inputs are not known.
    #[prost(message, optional, tag = "9")]
    pub donated_inputs_error: Option<StatusMessage>,
    /// How much memory it needs; or why that is not known.
    #[prost(message, optional, tag = "10")]
    pub memory_stats: Option<MemoryStatsMessage>,
    /// Why the use of memory is not known.
    #[prost(message, optional, tag = "11")]
    pub memory_stats_error: Option<StatusMessage>,
    /// The size of its machine code.
    #[prost(int64, tag = "12")]
    pub code_size: i64,
}

/// In which memory results are.
#[derive(Clone, PartialEq, Message)]
pub struct OutputMemoryKinds {
    /// Why that is not known.
    #[prost(message, optional, tag = "1")]
    pub status: Option<StatusMessage>,
    /// One list, with one kind for each result.
    #[prost(message, repeated, tag = "2")]
    pub lists: Vec<MemoryKinds>,
}

/// The kinds of memory of one program's results.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct MemoryKinds {
    /// One for each result.
    #[prost(string, repeated, tag = "1")]
    pub kinds: Vec<String>,
}

/// Parameters that are given away.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct DonatedInputs {
    /// Their places among the parameters, from 0.
    #[prost(fixed32, repeated, tag = "1")]
    pub indices: Vec<u32>,
}

/// How much memory a program needs, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
#[allow(missing_docs, reason = "named as in `unskew_pjrt::CompiledMemoryStats`")]
pub struct MemoryStatsMessage {
    #[prost(int64, tag = "1")]
    pub generated_code_size: i64,
    #[prost(int64, tag = "2")]
    pub argument_size: i64,
    #[prost(int64, tag = "3")]
    pub output_size: i64,
    #[prost(int64, tag = "4")]
    pub alias_size: i64,
    #[prost(int64, tag = "5")]
    pub temp_size: i64,
    #[prost(int64, tag = "7")]
    pub host_generated_code_size: i64,
    #[prost(int64, tag = "8")]
    pub host_argument_size: i64,
    #[prost(int64, tag = "9")]
    pub host_output_size: i64,
    #[prost(int64, tag = "10")]
    pub host_alias_size: i64,
    #[prost(int64, tag = "11")]
    pub host_temp_size: i64,
    #[prost(int64, tag = "14")]
    pub peak_memory: i64,
    #[prost(int64, tag = "15")]
    pub total_size: i64,
    #[prost(int64, tag = "16")]
    pub total_allocation: i64,
    #[prost(int64, tag = "17")]
    pub indefinite_allocations: i64,
    #[prost(int64, tag = "18")]
    pub peak_unpadded_heap: i64,
}

/// What a program is estimated to cost. Since 18.
#[derive(Clone, PartialEq, Message)]
pub struct CostAnalysis {
    /// Why that is not known.
    #[prost(message, optional, tag = "1")]
    pub status: Option<StatusMessage>,
    /// Costs by their names, a serialized `AttributeMap`.
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub attributes: Option<Bytes>,
}

/// A program for people. Since 19.
#[derive(Clone, PartialEq, Message)]
pub struct ProgramText {
    /// Why there is none.
    #[prost(message, optional, tag = "1")]
    pub status: Option<StatusMessage>,
    /// The text, if the platform has it.
    #[prost(string, optional, tag = "2")]
    pub text: Option<String>,
}

/// The question which device runs what, unless told otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct DefaultDeviceAssignment {
    /// How many copies of the program run on different data.
    #[prost(fixed64, tag = "1")]
    pub replicas: u64,
    /// How many parts each copy is split into.
    #[prost(fixed64, tag = "2")]
    pub partitions: u64,
}

/// Which device runs what.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct DeviceAssignmentMessage {
    /// Which device runs what, a serialized `xla.DeviceAssignmentProto`.
    #[prost(bytes = "bytes", optional, tag = "1")]
    pub assignment: Option<Bytes>,
}

/// The question how an array lies in memory unless told otherwise. Since jax 0.6.
#[derive(Clone, PartialEq, Message)]
pub struct DefaultLayout {
    /// The element type, a serialized `DType`.
    #[prost(bytes = "bytes", tag = "1")]
    pub dtype: Bytes,
    /// The dimensions of the array.
    #[prost(int64, repeated, tag = "2")]
    pub dims: Vec<i64>,
    /// The id of the device on which it lies.
    #[prost(int32, tag = "3")]
    pub device_id: i32,
    /// The kind of memory in which it lies.
    #[prost(string, tag = "4")]
    pub memory_kind: String,
}

/// A layout, as the plug-in serializes it: a text.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct SerializedLayout {
    /// The layout as XLA writes it.
    #[prost(bytes = "bytes", tag = "1")]
    pub layout: Bytes,
}
