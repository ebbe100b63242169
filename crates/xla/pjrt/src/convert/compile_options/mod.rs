//! `CompileOptionsProto`: the options that `PJRT_Client_Compile` is given.
//!
//! What is read and written here, by field number. It was checked against the messages of JAX 0.4.20
//! to 0.4.30, and against the descriptors inside the plug-ins 0.81 and 0.115.
//!
//! | message | field | meaning |
//! | --- | --- | --- |
//! | `CompileOptionsProto` | 3 | the `ExecutableBuildOptionsProto` |
//! | | 4 | the executable is portable (any device) |
//! | | 7 | overrides of debug options: a map of names to values |
//! | `ExecutableBuildOptionsProto` | 1 | device ordinal, -1 for any |
//! | | 3 | the `DebugOptions` |
//! | | 4, 5 | the numbers of replicas and partitions |
//! | | 6 | partition by SPMD, without which more than one partition is refused |
//! | | 9 | the `DeviceAssignmentProto` |
//! | `DeviceAssignmentProto` | 1, 2 | the numbers of replicas and computations |
//! | | 3 | one message per computation: field 1, the device of each replica |
//!
//! The fewest bytes that the CPU plug-ins 0.81, 0.106 and 0.115 compile with are the six of
//! [`CompileOptions::default`]. Where a number of replicas or partitions is missing or 0 those plug-ins
//! end the process ("Check failed: replica_count > 0"), so a host looks at both before it compiles. More
//! than one partition needs SPMD; a device assignment is optional.
//!
//! ```
//! use unskew_pjrt::convert::compile_options::CompileOptions;
//! let one = CompileOptions::default();
//! assert_eq!(one.write(), [0x1a, 4, 0x20, 1, 0x28, 1]);
//! let four = CompileOptions::new(1, 4);
//! assert_eq!(four.write(), [0x1a, 6, 0x20, 1, 0x28, 4, 0x30, 1]);
//! assert_eq!(CompileOptions::read(&four.write()).unwrap(), four);
//! ```

mod debug_options;
#[cfg(feature = "host")]
mod mesh;
mod read;
mod write;

pub use debug_options::update_debug_options;
#[cfg(feature = "host")]
pub use mesh::without_mesh_shardings;
pub use unskew_source::ReadError;

/// The largest message that is read, in bytes; a real one has a few hundred.
pub const LARGEST: usize = 16 << 20;

mod field {
    pub(super) const BUILD_OPTIONS: u32 = 3;
    pub(super) const PORTABLE: u32 = 4;
    pub(super) const OVERRIDES: u32 = 7;
    pub(super) mod build {
        pub(in super::super) const DEVICE_ORDINAL: u32 = 1;
        pub(in super::super) const DEBUG_OPTIONS: u32 = 3;
        pub(in super::super) const NUM_REPLICAS: u32 = 4;
        pub(in super::super) const NUM_PARTITIONS: u32 = 5;
        pub(in super::super) const SPMD: u32 = 6;
        pub(in super::super) const DEVICE_ASSIGNMENT: u32 = 9;
    }
    pub(super) mod assignment {
        pub(in super::super) const REPLICAS: u32 = 1;
        pub(in super::super) const COMPUTATIONS: u32 = 2;
        pub(in super::super) const DEVICES: u32 = 3;
        pub(in super::super) const DEVICE_IDS: u32 = 1;
    }
}

/// What a `CompileOptionsProto` says, as far as a host or an adapter needs it.
///
/// Other fields are neither read nor written; to change a message and keep them, edit the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// How many replicas of the program run.
    pub num_replicas: i64,
    /// Into how many partitions the program is split.
    pub num_partitions: i64,
    /// The device to compile for; -1 for any. A message without the field means 0.
    pub device_ordinal: i64,
    /// Whether the partitions are made by SPMD.
    pub spmd: bool,
    /// Whether the executable may run on any device.
    pub portable: bool,
    /// The device of each replica of each partition; none lets the plug-in choose.
    pub device_assignment: Option<DeviceAssignment>,
}

impl CompileOptions {
    /// Options for this many replicas and partitions; the plug-in chooses the devices.
    pub fn new(num_replicas: i64, num_partitions: i64) -> Self {
        Self {
            num_replicas,
            num_partitions,
            device_ordinal: 0,
            spmd: num_partitions > 1,
            portable: false,
            device_assignment: None,
        }
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self::new(1, 1)
    }
}

/// Which devices run a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceAssignment {
    /// The number of replicas, as the message has it.
    pub replicas: i64,
    /// The number of computations (partitions), as the message has it.
    pub computations: i64,
    /// For each computation the device of each replica, by its global number.
    pub devices: Vec<Vec<i64>>,
}

impl DeviceAssignment {
    /// An assignment of `devices`, one list per partition, each with one device per replica.
    pub fn from_devices(devices: Vec<Vec<i64>>) -> Self {
        let count = |len: usize| i64::try_from(len).unwrap_or(i64::MAX);
        let replicas = devices.first().map_or(0, |computation| count(computation.len()));
        Self { replicas, computations: count(devices.len()), devices }
    }
}

#[cfg(test)]
mod tests;
