//! Envelope of every request and every response.

use prost::{Message, Oneof};

use super::*;

/// A protocol version, and since 15 a SerDes version.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct ProxyVersion {
    /// The version of the protocol.
    #[prost(int32, tag = "1")]
    pub protocol: i32,
    /// The SerDes version; 0 where none is announced.
    #[prost(int32, tag = "2")]
    pub serdes: i32,
}

/// What a client sends, one after the other.
#[derive(Clone, PartialEq, Message)]
pub struct Request {
    /// The number by which its response is known.
    #[prost(message, optional, tag = "1")]
    pub metadata: Option<RequestMetadata>,
    /// What the client asks for, exactly one.
    #[prost(
        oneof = "RequestBody",
        tags = "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, \
                24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34"
    )]
    pub ask: Option<RequestBody>,
}

/// Which request it is.
#[derive(Clone, PartialEq, Message)]
pub struct RequestMetadata {
    /// The client's number of it, which the response has too.
    #[prost(fixed64, tag = "1")]
    pub op_id: u64,
    /// Where in the program of the user it comes from, as the client knows it. Field 3 before jax 0.5.
    #[prost(fixed64, tag = "5")]
    pub user_context_id: u64,
}

/// What the server answers to one request.
#[derive(Clone, PartialEq, Message)]
pub struct Response {
    /// Of which request, and how it went.
    #[prost(message, optional, tag = "1")]
    pub metadata: Option<ResponseMetadata>,
    /// The answer; none if the status is an error.
    #[prost(
        oneof = "ResponseBody",
        tags = "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 23, 24, 25, 26, \
                27, 28, 29, 32, 33, 34"
    )]
    pub answer: Option<ResponseBody>,
}

/// Of which request a response is, and how it went.
#[derive(Clone, PartialEq, Message)]
pub struct ResponseMetadata {
    /// The number of the request.
    #[prost(fixed64, tag = "1")]
    pub op_id: u64,
    /// What went wrong; none if nothing did.
    #[prost(message, optional, tag = "2")]
    pub status: Option<StatusMessage>,
    /// The number of the response, from 0 on.
    #[prost(int64, tag = "3")]
    pub seq_num: i64,
    /// Contexts of the user that the server will not name again.
    #[prost(fixed64, repeated, tag = "4")]
    pub destroyed_user_context_ids: Vec<u64>,
}

/// A code and a text.
#[derive(Clone, PartialEq, Message)]
pub struct StatusMessage {
    /// The code, of the numbers that gRPC has too.
    #[prost(int32, tag = "1")]
    pub code: i32,
    /// What went wrong, for people.
    #[prost(string, tag = "2")]
    pub message: String,
}

macro_rules! asks {
    ($($tag:literal $name:ident($type:ident) = $wire:literal;)*) => {
        /// What a client can ask for.
        #[derive(Clone, PartialEq, Oneof)]
        pub enum RequestBody {
            $(#[doc = concat!("`", $wire, "`")]
            #[prost(message, tag = $tag)]
            $name($type),)*
        }

        impl RequestBody {
            /// The names of all.
            pub const NAMES: &[&str] = &[$($wire,)*];

            /// Its name in the protocol.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => $wire,)* }
            }
        }
    };
}

asks! {
    "2" Init(Empty) = "init_request";
    "3" CheckFuture(Handle) = "check_future_request";
    "4" MakeArray(MakeArray) = "make_array_from_host_buffer_request";
    "5" Assemble(Assemble) = "assemble_array_from_single_device_arrays_request";
    "6" CopyToHost(CopyToHost) = "copy_to_host_buffer_request";
    "7" Disassemble(Disassemble) = "disassemble_into_single_device_arrays_request";
    "8" CheckValueReady(HandleList) = "check_value_ready_request";
    "9" DeleteArray(OldOrNewHandles) = "delete_array_request";
    "10" OldReshard(OldReshard) = "reshard_request";
    "11" IsArrayDeleted(Handle) = "is_array_deleted_request";
    "12" DestructArray(OldOrNewHandles) = "destruct_array_request";
    "13" Compile(CompileRequest) = "compile_request";
    "14" ExecutableMetadata(Handle) = "loaded_executable_metadata_request";
    "15" Execute(Execute) = "loaded_executable_execute_request";
    "16" DeleteExecutable(Handle) = "loaded_executable_delete_request";
    "17" IsExecutableDeleted(Handle) = "loaded_executable_is_deleted_request";
    "18" DestructExecutable(Handle) = "loaded_executable_destruct_request";
    "19" DefaultDeviceAssignment(DefaultDeviceAssignment) = "get_default_device_assignment_request";
    "20" FullyReplicatedShard(FullyReplicatedShard) = "fully_replicated_shard_request";
    "21" PollHostCallback(Empty) = "loaded_host_callback_poll_request";
    "22" ReturnHostCallback(Empty) = "loaded_host_callback_return_request";
    "23" Remap(Remap) = "remap_arrays_request";
    "24" CopyArrays(CopyArrays) = "copy_arrays_request";
    "25" MakeArraysFromShards(MakeArraysFromShards) = "make_arrays_from_host_buffer_shards_request";
    "26" MakeErrorArrays(MakeErrorArrays) = "make_error_arrays_request";
    "27" DefaultLayout(DefaultLayout) = "get_default_layout_request";
    "28" CostAnalysis(Handle) = "loaded_executable_cost_analysis_request";
    "29" ProgramText(Handle) = "loaded_executable_human_readable_program_text_request";
    "30" MpmdMetadata(Empty) = "loaded_executable_mpmd_metadata_request";
    "31" MpmdCostAnalysis(Empty) = "loaded_executable_mpmd_cost_analysis_request";
    "32" FetchExecuteResult(Handle) = "loaded_executable_fetch_execute_result_request";
    "33" Reshard(Respec) = "reshard_arrays_request";
    "34" Bitcast(Respec) = "bitcast_arrays_request";
}

/// What a server can answer.
#[derive(Clone, PartialEq, Oneof)]
#[allow(missing_docs, reason = "each is the answer to the request of the same name")]
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and it is sent at once")]
pub enum ResponseBody {
    #[prost(message, tag = "2")]
    Init(Init),
    #[prost(message, tag = "3")]
    CheckFuture(Empty),
    #[prost(message, tag = "4")]
    MakeArray(Handle),
    #[prost(message, tag = "5")]
    Assemble(Handle),
    #[prost(message, tag = "6")]
    CopyToHost(Empty),
    #[prost(message, tag = "7")]
    Disassemble(HandleList),
    #[prost(message, tag = "8")]
    CheckValueReady(Empty),
    #[prost(message, tag = "9")]
    DeleteArray(Handle),
    #[prost(message, tag = "10")]
    OldReshard(Handle),
    #[prost(message, tag = "11")]
    IsArrayDeleted(Flag),
    #[prost(message, tag = "12")]
    DestructArray(Empty),
    #[prost(message, tag = "13")]
    Compile(CompileResponse),
    #[prost(message, tag = "14")]
    ExecutableMetadata(ExecutableMetadata),
    #[prost(message, tag = "15")]
    Execute(Executed),
    #[prost(message, tag = "16")]
    DeleteExecutable(Handle),
    #[prost(message, tag = "17")]
    IsExecutableDeleted(Flag),
    #[prost(message, tag = "18")]
    DestructExecutable(Empty),
    #[prost(message, tag = "19")]
    DefaultDeviceAssignment(DeviceAssignmentMessage),
    #[prost(message, tag = "20")]
    FullyReplicatedShard(Handle),
    #[prost(message, tag = "23")]
    Remap(HandleList),
    #[prost(message, tag = "24")]
    CopyArrays(HandleList),
    #[prost(message, tag = "25")]
    MakeArraysFromShards(HandleList),
    #[prost(message, tag = "26")]
    MakeErrorArrays(HandleList),
    #[prost(message, tag = "27")]
    DefaultLayout(SerializedLayout),
    #[prost(message, tag = "28")]
    CostAnalysis(CostAnalysis),
    #[prost(message, tag = "29")]
    ProgramText(ProgramText),
    #[prost(message, tag = "32")]
    FetchExecuteResult(ExecuteResult),
    #[prost(message, tag = "33")]
    Reshard(HandleList),
    #[prost(message, tag = "34")]
    Bitcast(HandleList),
}

/// A message without fields, or of which none is read.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Empty {}

/// A message of one handle: of an array, an executable or a future.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Handle {
    /// The handle, which the client or the server chose.
    #[prost(fixed64, tag = "1")]
    pub handle: u64,
}

/// A message of handles.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct HandleList {
    /// The handles, in the order of what they name.
    #[prost(fixed64, repeated, tag = "1")]
    pub handles: Vec<u64>,
}

/// A message of one truth.
#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub struct Flag {
    /// The answer, yes or no.
    #[prost(bool, tag = "1")]
    pub is: bool,
}
