//! Arrays made of parts of others.

use unskew_serdes::proto::Message;

use super::{ArraySpec, DeviceList, Ifrt};

/// Which shards of which arrays become which shards of which others.
#[derive(Clone, Debug, Default, PartialEq, Message)]
#[message(family = Ifrt, name = "xla.ifrt.RemapPlanProto", version = 4)]
pub struct RemapPlan {
    /// The arrays that there are.
    #[field(1, repeated, message)]
    pub input_specs: Vec<ArraySpec>,
    /// The arrays that are made.
    #[field(2, repeated, message)]
    pub output_specs: Vec<ArraySpec>,
    /// Which shards of which input go where.
    #[field(3, repeated, message)]
    pub mappings: Vec<Mapping>,
    /// The devices from which the shards of an output come. It came without a version, three months
    /// after the first: older readers drop it.
    #[field(5, repeated, message, silent_since = 1)]
    pub input_devices_for_output: Vec<InputDevicesForOutput>,
}

/// Shards of one array that become shards of another: intervals of shards, each with its first, the
/// one behind its last, and a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(
    family = Ifrt, name = "xla.ifrt.RemapPlanProto.MappingProto", check = Mapping::checked
)]
pub struct Mapping {
    /// The array that they are from, counted from 0.
    #[field(1, int32)]
    pub in_array: i32,
    /// The array that they go to.
    #[field(2, int32)]
    pub out_array: i32,
    /// Their first shards there.
    #[field(3, repeated, int64)]
    pub from_start: Vec<i64>,
    /// The shards behind their last.
    #[field(4, repeated, int64)]
    pub from_end: Vec<i64>,
    /// From one of them to the next.
    #[field(5, repeated, int64)]
    pub from_step: Vec<i64>,
    /// The first shards that they become.
    #[field(6, repeated, int64)]
    pub to_start: Vec<i64>,
    /// The shards behind the last.
    #[field(7, repeated, int64)]
    pub to_end: Vec<i64>,
    /// From one of them to the next.
    #[field(8, repeated, int64)]
    pub to_step: Vec<i64>,
}

impl Mapping {
    fn checked(&self) -> Result<(), String> {
        let lengths = [
            self.from_start.len(),
            self.from_end.len(),
            self.from_step.len(),
            self.to_start.len(),
            self.to_end.len(),
            self.to_step.len(),
        ];
        if lengths.iter().all(|length| *length == lengths[0]) {
            return Ok(());
        }
        Err(format!("the intervals of a mapping are not as many from as to: {lengths:?}"))
    }
}

/// The devices from which the shards of an output come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.RemapPlanProto.InputDevicesForOutput", silent_since = 1)]
pub struct InputDevicesForOutput {
    /// The output, counted from 0.
    #[field(1, int32)]
    pub out_array: i32,
    /// The devices, by input.
    #[field(2, repeated, message)]
    pub input_devices: Vec<InputDevices>,
}

/// The devices of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.RemapPlanProto.InputDevices", silent_since = 1)]
pub struct InputDevices {
    /// The input, counted from 0.
    #[field(1, int32)]
    pub in_array: i32,
    /// The devices of the sharding.
    #[field(2, message)]
    pub device_list: DeviceList,
}
