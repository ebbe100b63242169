//! The messages of XLA that are printed, as far as they are.

mod data;
mod numbers;

use std::collections::{BTreeMap, HashMap};

use prost::Message;

pub(crate) use data::{Layout, Literal, Shape, Sharding};
pub(crate) use numbers::{
    Aliasing, ConvolutionNumbers, DotNumbers, GatherNumbers, Padding, Precision, RaggedNumbers,
    ResultAccuracy, ScatterNumbers, Slice, SourceTarget, Triangular, Window,
};

/// What is read of XLA's `HloModuleProtoWithConfig`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct WithConfig {
    #[prost(message, optional, tag = "1")]
    pub module: Option<Module>,
    #[prost(message, optional, tag = "2")]
    pub config: Option<Config>,
}

/// What is read of XLA's `HloModuleConfigProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Config {
    #[prost(message, optional, tag = "1")]
    pub entry_layout: Option<ProgramShape>,
    #[prost(int64, tag = "4")]
    pub replicas: i64,
    #[prost(int64, tag = "5")]
    pub partitions: i64,
    #[prost(bool, tag = "18")]
    pub alias_passthrough: bool,
    #[prost(bool, repeated, tag = "27")]
    pub propagate_to_output: Vec<bool>,
    #[prost(bool, repeated, tag = "33")]
    pub propagate_to_parameters: Vec<bool>,
}

/// What is read of XLA's `HloModuleProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Module {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "3")]
    pub computations: Vec<Computation>,
    #[prost(message, optional, tag = "4")]
    pub shape: Option<ProgramShape>,
    #[prost(int64, tag = "6")]
    pub entry: i64,
    #[prost(message, optional, tag = "7")]
    pub schedule: Option<Schedule>,
    #[prost(message, optional, tag = "8")]
    pub aliases: Option<Aliases>,
    #[prost(message, optional, tag = "17")]
    pub frames: Option<Frames>,
    #[prost(message, optional, tag = "18")]
    pub donors: Option<Donors>,
    #[prost(message, optional, tag = "19")]
    pub frontend: Option<Frontend>,
    #[prost(bytes = "vec", repeated, tag = "22")]
    pub payloads: Vec<Vec<u8>>,
}

/// What is read of XLA's `ProgramShapeProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProgramShape {
    #[prost(message, repeated, tag = "1")]
    pub parameters: Vec<Shape>,
    #[prost(message, optional, tag = "2")]
    pub result: Option<Shape>,
    #[prost(string, repeated, tag = "3")]
    pub names: Vec<String>,
}

/// A `HloScheduleProto`: the instructions of computations in the order in which they run.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Schedule {
    #[prost(map = "int64, message", tag = "1")]
    pub sequences: HashMap<i64, Sequence>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Sequence {
    #[prost(int64, repeated, tag = "1")]
    pub instructions: Vec<i64>,
}

/// What is read of XLA's `HloInputOutputAliasProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Aliases {
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<Alias>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Alias {
    #[prost(int64, repeated, tag = "1")]
    pub output: Vec<i64>,
    #[prost(int64, tag = "2")]
    pub parameter: i64,
    #[prost(int64, repeated, tag = "3")]
    pub index: Vec<i64>,
    #[prost(int32, tag = "4")]
    pub kind: i32,
}

/// What is read of XLA's `HloBufferDonorProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Donors {
    #[prost(message, repeated, tag = "1")]
    pub entries: Vec<Donor>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Donor {
    #[prost(int64, tag = "1")]
    pub parameter: i64,
    #[prost(int64, repeated, tag = "2")]
    pub index: Vec<i64>,
}

/// What is read of XLA's `StackFrameIndexProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Frames {
    #[prost(string, repeated, tag = "1")]
    pub files: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub functions: Vec<String>,
    #[prost(message, repeated, tag = "3")]
    pub locations: Vec<Location>,
    #[prost(message, repeated, tag = "4")]
    pub frames: Vec<Frame>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Location {
    #[prost(int32, tag = "1")]
    pub file: i32,
    #[prost(int32, tag = "2")]
    pub function: i32,
    #[prost(int32, tag = "3")]
    pub line: i32,
    #[prost(int32, tag = "4")]
    pub column: i32,
    #[prost(int32, tag = "5")]
    pub end_line: i32,
    #[prost(int32, tag = "6")]
    pub end_column: i32,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Frame {
    #[prost(int32, tag = "1")]
    pub location: i32,
    #[prost(int32, tag = "2")]
    pub parent: i32,
}

/// `FrontendAttributes`, which are printed in the order of their names.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Frontend {
    #[prost(btree_map = "string, string", tag = "1")]
    pub map: BTreeMap<String, String>,
}

/// What is read of XLA's `HloComputationProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Computation {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, repeated, tag = "2")]
    pub instructions: Vec<Instruction>,
    #[prost(message, optional, tag = "4")]
    pub shape: Option<ProgramShape>,
    #[prost(int64, tag = "5")]
    pub id: i64,
    #[prost(int64, tag = "6")]
    pub root: i64,
    #[prost(string, tag = "8")]
    pub thread: String,
}

/// What is read of XLA's `HloInstructionProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Instruction {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub opcode: String,
    #[prost(message, optional, tag = "3")]
    pub shape: Option<Shape>,
    #[prost(message, optional, tag = "7")]
    pub metadata: Option<Metadata>,
    #[prost(message, optional, tag = "8")]
    pub literal: Option<Literal>,
    #[prost(int64, tag = "9")]
    pub parameter_number: i64,
    #[prost(string, tag = "11")]
    pub fusion_kind: String,
    #[prost(int64, tag = "13")]
    pub tuple_index: i64,
    #[prost(int64, repeated, tag = "14")]
    pub dimensions: Vec<i64>,
    #[prost(message, optional, tag = "15")]
    pub window: Option<Window>,
    #[prost(message, optional, tag = "16")]
    pub convolution: Option<ConvolutionNumbers>,
    #[prost(message, repeated, tag = "17")]
    pub slices: Vec<Slice>,
    #[prost(int32, tag = "18")]
    pub exponent_bits: i32,
    #[prost(int32, tag = "19")]
    pub mantissa_bits: i32,
    #[prost(int64, repeated, tag = "20")]
    pub dynamic_slice_sizes: Vec<i64>,
    #[prost(message, optional, tag = "21")]
    pub padding: Option<Padding>,
    #[prost(bytes = "vec", tag = "22")]
    pub outfeed_config: Vec<u8>,
    #[prost(int32, tag = "23")]
    pub distribution: i32,
    #[prost(float, tag = "24")]
    pub epsilon: f32,
    #[prost(int64, tag = "25")]
    pub feature_index: i64,
    #[prost(int64, tag = "26")]
    pub channel_id: i64,
    #[prost(bytes = "vec", tag = "27")]
    pub infeed_config: Vec<u8>,
    #[prost(string, tag = "28")]
    pub target: String,
    #[prost(message, optional, tag = "29")]
    pub outfeed_shape: Option<Shape>,
    #[prost(message, optional, tag = "30")]
    pub dot: Option<DotNumbers>,
    #[prost(int32, tag = "31")]
    pub fft_type: i32,
    #[prost(int64, repeated, tag = "32")]
    pub fft_length: Vec<i64>,
    #[prost(message, optional, tag = "33")]
    pub gather: Option<GatherNumbers>,
    #[prost(int64, repeated, tag = "34")]
    pub gather_slice_sizes: Vec<i64>,
    #[prost(int64, tag = "35")]
    pub id: i64,
    #[prost(int64, repeated, tag = "36")]
    pub operands: Vec<i64>,
    #[prost(int64, repeated, tag = "37")]
    pub predecessors: Vec<i64>,
    #[prost(int64, repeated, tag = "38")]
    pub calls: Vec<i64>,
    #[prost(message, optional, tag = "40")]
    pub sharding: Option<Sharding>,
    #[prost(bytes = "vec", tag = "43")]
    pub backend_config: Vec<u8>,
    #[prost(bool, tag = "47")]
    pub is_host_transfer: bool,
    #[prost(message, optional, tag = "48")]
    pub scatter: Option<ScatterNumbers>,
    #[prost(message, repeated, tag = "49")]
    pub replica_groups: Vec<ReplicaGroup>,
    #[prost(int64, tag = "50")]
    pub feature_groups: i64,
    #[prost(message, optional, tag = "51")]
    pub precision: Option<Precision>,
    #[prost(message, repeated, tag = "52")]
    pub source_targets: Vec<SourceTarget>,
    #[prost(message, optional, tag = "54")]
    pub entry_sharding: Option<Sharding>,
    #[prost(message, optional, tag = "55")]
    pub exit_sharding: Option<Sharding>,
    #[prost(bool, tag = "56")]
    pub constrain_layout: bool,
    #[prost(message, repeated, tag = "57")]
    pub operand_shapes: Vec<Shape>,
    #[prost(int64, tag = "58")]
    pub batch_groups: i64,
    #[prost(message, optional, tag = "59")]
    pub triangular: Option<Triangular>,
    #[prost(bool, tag = "60")]
    pub is_stable: bool,
    #[prost(message, optional, tag = "61")]
    pub parameter_replication: Option<Replication>,
    #[prost(message, optional, tag = "62")]
    pub cholesky: Option<Cholesky>,
    #[prost(string, tag = "63")]
    pub direction: String,
    #[prost(bool, tag = "65")]
    pub side_effect: bool,
    #[prost(int64, tag = "66")]
    pub delta: i64,
    #[prost(bool, tag = "67")]
    pub indices_are_sorted: bool,
    #[prost(message, optional, tag = "68")]
    pub frontend: Option<Frontend>,
    #[prost(bool, tag = "69")]
    pub unique_indices: bool,
    #[prost(int32, tag = "70")]
    pub algorithm: i32,
    #[prost(bool, tag = "71")]
    pub global_ids: bool,
    #[prost(string, tag = "72")]
    pub comparison: String,
    #[prost(message, repeated, tag = "74")]
    pub aliasing: Vec<Aliasing>,
    #[prost(int32, tag = "75")]
    pub padding_type: i32,
    #[prost(int32, tag = "76")]
    pub schedule: i32,
    #[prost(int32, tag = "77")]
    pub api_version: i32,
    #[prost(string, tag = "79")]
    pub thread: String,
    #[prost(int32, optional, tag = "80")]
    pub prefetch: Option<i32>,
    #[prost(int64, tag = "81")]
    pub k: i64,
    #[prost(bool, tag = "85")]
    pub largest: bool,
    #[prost(message, optional, tag = "87")]
    pub groups: Option<Groups>,
    #[prost(bool, tag = "89")]
    pub is_composite: bool,
    #[prost(message, optional, tag = "90")]
    pub ragged: Option<RaggedNumbers>,
    #[prost(message, optional, tag = "91")]
    pub accuracy: Option<ResultAccuracy>,
    #[prost(message, optional, tag = "92")]
    pub iota_groups: Option<IotaGroups>,
    #[prost(message, optional, tag = "93")]
    pub mesh_groups: Option<MeshGroups>,
    #[prost(message, optional, tag = "99")]
    pub payload: Option<Payload>,
}

/// A `Payload`: bytes, or the place of bytes that the module has.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Payload {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub value: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "2")]
    pub id: Option<i64>,
}

/// What is read of XLA's `OpMetadata`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Metadata {
    #[prost(string, tag = "1")]
    pub op_type: String,
    #[prost(string, tag = "2")]
    pub op_name: String,
    #[prost(string, tag = "3")]
    pub source_file: String,
    #[prost(int32, tag = "4")]
    pub source_line: i32,
    #[prost(int64, tag = "8")]
    pub code_size: i64,
    #[prost(int64, tag = "9")]
    pub working_set: i64,
    #[prost(string, tag = "12")]
    pub deduplicated: String,
    #[prost(int32, tag = "15")]
    pub frame: i32,
    #[prost(string, tag = "16")]
    pub scheduling: String,
    #[prost(int32, tag = "17")]
    pub source_end_line: i32,
    #[prost(int32, tag = "18")]
    pub source_column: i32,
    #[prost(int32, tag = "19")]
    pub source_end_column: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReplicaGroup {
    #[prost(int64, repeated, tag = "1")]
    pub ids: Vec<i64>,
}

/// What is read of XLA's `CollectiveDeviceListProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Groups {
    #[prost(message, repeated, tag = "1")]
    pub groups: Vec<ReplicaGroup>,
    #[prost(message, optional, tag = "2")]
    pub iota: Option<IotaGroups>,
}

/// What is read of XLA's `IotaReplicaGroupListProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct IotaGroups {
    #[prost(int64, tag = "1")]
    pub groups: i64,
    #[prost(int64, tag = "2")]
    pub each: i64,
    #[prost(int64, repeated, tag = "3")]
    pub reshape: Vec<i64>,
    #[prost(int32, repeated, tag = "4")]
    pub transpose: Vec<i32>,
}

/// What is read of XLA's `MeshAxesReplicaGroupListProto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct MeshGroups {
    #[prost(message, optional, tag = "1")]
    pub mesh: Option<Mesh>,
    #[prost(message, repeated, tag = "2")]
    pub axes: Vec<AxisRef>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Mesh {
    #[prost(message, repeated, tag = "1")]
    pub axes: Vec<MeshAxis>,
    #[prost(int64, repeated, tag = "2")]
    pub devices: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MeshAxis {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int64, tag = "2")]
    pub size: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct AxisRef {
    #[prost(int64, tag = "1")]
    pub axis: i64,
    #[prost(message, optional, tag = "2")]
    pub part: Option<AxisPart>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct AxisPart {
    #[prost(int64, tag = "1")]
    pub before: i64,
    #[prost(int64, tag = "2")]
    pub size: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Replication {
    #[prost(bool, repeated, tag = "1")]
    pub leaves: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Cholesky {
    #[prost(bool, tag = "1")]
    pub lower: bool,
}
