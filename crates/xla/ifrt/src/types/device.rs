//! Devices.

use unskew_serdes::proto::Message;

use super::Ifrt;

/// Devices by their ids, in the order in which shards are on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Message)]
#[message(family = Ifrt, name = "xla.ifrt.DeviceListProto", version = 2)]
pub struct DeviceList {
    /// The ids of the devices, in their order.
    #[field(1, repeated, int32)]
    pub device_ids: Vec<i32>,
}
