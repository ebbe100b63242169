//! Programs in the intermediate representation of IFRT: several programs, and what goes between them.

use std::collections::BTreeSet;

use unskew_serdes::proto::Message;

use super::{CompileOptions, Ifrt};

/// A program in the intermediate representation, with the programs that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.IfrtIrProgramProto", version = 4,
    type_name = "xla::ifrt::IfrtIRProgram"
)]
pub struct IfrtIrProgram {
    /// The program, as MLIR bytecode.
    #[field(1, bytes)]
    pub ifrt_program: Vec<u8>,
    /// The version of the representation that it was written for.
    #[field(2, optional, string)]
    pub ifrt_version: Option<String>,
    /// The programs that it calls, by their names.
    #[field(3, repeated, message)]
    pub atom_programs: Vec<AtomProgram>,
}

/// A program that others call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.IfrtIrAtomProgramProto")]
pub struct AtomProgram {
    /// The name by which the program calls it.
    #[field(1, string)]
    pub name: String,
    /// The StableHLO version that it was written for.
    #[field(2, optional, string)]
    pub version: Option<String>,
    /// The program, as a StableHLO artifact.
    #[field(3, bytes)]
    pub program: Vec<u8>,
}

/// What such a program is compiled with.
#[derive(Clone, Debug, Default, PartialEq, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.IfrtIrCompileOptionsProto", version = 4, as_requested,
    type_name = "xla::ifrt::IfrtIRCompileOptions", check = IfrtIrCompileOptions::checked
)]
pub struct IfrtIrCompileOptions {
    /// The devices that it runs on.
    #[field(1, repeated, int32)]
    pub device_ids: Vec<i32>,
    /// Options of single programs, by a name that the program gives.
    #[field(2, repeated, message)]
    pub compile_option_overrides: Vec<CompileOptionOverride>,
    /// Whether shardings go from program to program.
    #[field(3, bool)]
    pub propagate_shardings: bool,
    /// Where the program is dumped while it is compiled.
    #[field(5, optional, string, silent_since = 1)]
    pub mlir_dump_to: Option<String>,
    /// A pattern of the passes after which it is dumped.
    #[field(6, optional, string, silent_since = 1)]
    pub mlir_dump_pass_re: Option<String>,
    /// A pattern of the functions that are dumped.
    #[field(7, optional, string, silent_since = 1)]
    pub mlir_dump_func_re: Option<String>,
    /// Whether passes are timed.
    #[field(8, optional, bool, silent_since = 1)]
    pub mlir_enable_timing: Option<bool>,
    /// Where the graph of programs is dumped.
    #[field(9, optional, string, silent_since = 1)]
    pub dot_graph_dump_to: Option<String>,
    /// Programs that need less memory are left out of it.
    #[field(10, optional, int64, silent_since = 1)]
    pub dot_graph_min_executable_peak_memory_bytes: Option<i64>,
    /// Programs with fewer operations are left out of it.
    #[field(11, optional, float, silent_since = 1)]
    pub dot_graph_min_executable_flops: Option<f32>,
    /// Smaller transfers are left out of it.
    #[field(12, optional, int64, silent_since = 1)]
    pub dot_graph_min_per_device_transfer_size_bytes: Option<i64>,
    /// Whether memory is reserved before anything runs.
    #[field(13, bool, silent_since = 2)]
    pub strict_memory_reservation: bool,
    /// How many results go into each bundle.
    #[field(14, repeated, int32, since = 4)]
    pub outputs_bundle_slice_sizes: Vec<i32>,
}

/// Options of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.IfrtIrCompileOptionsProto.CompileOptionOverridesEntry"
)]
pub struct CompileOptionOverride {
    /// What the program calls them.
    #[field(1, string, always, name = "key")]
    pub name: String,
    /// The options for the program of that name.
    #[field(2, opaque = "xla.CompileOptionsProto", name = "value")]
    pub options: CompileOptions,
}

impl IfrtIrCompileOptions {
    fn checked(&self) -> Result<(), String> {
        let mut names = BTreeSet::new();
        let mut all = self.compile_option_overrides.iter().map(|entry| entry.name.as_str());
        let twice = all.find(|name| !names.insert(*name));
        twice.map_or(Ok(()), |name| Err(format!("the options are there twice: {name}")))
    }
}
