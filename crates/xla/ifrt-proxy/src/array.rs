//! Arrays of a session: shards in buffers of the plug-in, or of texts.

use std::sync::Arc;

use unskew_ifrt::types::{
    ConcreteEvenSharding, DTypeKind, DeviceList, Shape, Sharding, SingleDeviceSharding,
};
use unskew_pjrt::Buffer;

use crate::contents::ShardContents;
use crate::pieces::Cut;
use crate::status::Status;

#[derive(Clone, Debug)]
pub struct ShardedArray {
    /// The type of its elements.
    pub kind: DTypeKind,
    pub dims: Vec<i64>,
    pub spread: Spread,
    /// Its shards, in the order of its devices.
    pub shards: Vec<ArrayShard>,
}

/// A part of an array, on one device.
#[derive(Clone, Debug)]
pub struct ArrayShard {
    /// The id of the device.
    pub device: i32,
    pub contents: Arc<ShardContents>,
}

impl ArrayShard {
    /// A shard that is not shared yet.
    pub fn new(device: i32, contents: impl Into<ShardContents>) -> Self {
        Self { device, contents: Arc::new(contents.into()) }
    }
}

/// On which devices an array is, and in which of their memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The ids of the devices.
    pub devices: Vec<i32>,
    /// The kind of memory; none is the default.
    pub memory_kind: Option<String>,
    /// Which piece of it each of them has.
    pub cut: Cut,
}

impl From<&Sharding> for Spread {
    fn from(sharding: &Sharding) -> Self {
        let (devices, memory_kind) = match sharding {
            Sharding::SingleDevice(one) => (vec![one.device_id], &one.memory_kind),
            Sharding::Opaque(of) => (of.devices.device_ids.clone(), &of.memory_kind),
            Sharding::Concrete(of) => (of.devices.device_ids.clone(), &of.memory_kind),
            Sharding::ConcreteEven(of) => (of.devices.device_ids.clone(), &of.memory_kind),
            Sharding::ShardingParam(of) => (of.devices.device_ids.clone(), &of.memory_kind),
            Sharding::Hlo(of) => (of.devices.device_ids.clone(), &of.memory_kind),
        };
        let memory_kind = memory_kind.clone().filter(|kind| !kind.is_empty());
        Self { devices, memory_kind, cut: Cut::from(sharding) }
    }
}

impl Spread {
    pub fn on(device: i32, memory_kind: Option<String>) -> Self {
        Self { devices: vec![device], memory_kind, cut: Cut::Whole }
    }

    /// The sharding of an array of these dimensions with shards of those: in a form that every client
    /// since protocol 3 reads.
    pub fn sharding(&self, dims: &[i64], shard_dims: &[i64]) -> Sharding {
        let memory_kind = self.memory_kind.clone();
        if let [device_id] = self.devices[..] {
            return Sharding::SingleDevice(SingleDeviceSharding { device_id, memory_kind });
        }
        Sharding::ConcreteEven(ConcreteEvenSharding {
            devices: DeviceList { device_ids: self.devices.clone() },
            shape: Shape { dims: dims.to_vec() },
            shard_shape: Shape { dims: shard_dims.to_vec() },
            memory_kind,
            is_fully_replicated: dims == shard_dims,
        })
    }
}

/// Whether this is how JAX up to 0.7 makes a token: it declares booleans of `[0]` and hands over one boolean. Nothing is
/// ever read of it.
fn is_token(kind: DTypeKind, wanted: &[i64], found: &[i64]) -> bool {
    matches!(kind, DTypeKind::Pred | DTypeKind::Token) && wanted == [0] && found.is_empty()
}

impl ShardedArray {
    /// An array of these shards.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if one of them is not what the sharding says, where it says it; what the plug-in
    /// answers.
    pub(crate) fn of_shards(
        (kind, dims): (DTypeKind, Vec<i64>),
        spread: Spread,
        shards: Vec<ArrayShard>,
    ) -> Result<Self, Status> {
        if let Some(pieces) = spread.cut.pieces(&dims, spread.devices.len())? {
            for (shard, piece) in shards.iter().zip(&pieces) {
                let (found, wanted) = (shard.contents.dimensions()?, &piece.dims);
                if found != *wanted && !is_token(kind, wanted, &found) {
                    let device = shard.device;
                    return Err(Status::invalid(format!(
                        "the shard of device {device} is to be {wanted:?}, and is {found:?}"
                    )));
                }
            }
        }
        Ok(Self { kind, dims, spread, shards })
    }

    /// The buffer of its shard on a device.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if it has none there; UNIMPLEMENTED for texts.
    pub fn on_device(&self, device: i32) -> Result<&Arc<Buffer>, Status> {
        let found = self.shards.iter().find(|shard| shard.device == device);
        let found =
            found.ok_or_else(|| Status::invalid(format!("it has no shard on device {device}")));
        found?.contents.device()
    }

    /// A shard that is all of the array.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if there is none; what the plug-in answers.
    pub fn whole(&self) -> Result<&ArrayShard, Status> {
        let first = self.shards.first();
        let first = first.ok_or_else(|| Status::invalid("the array has no shard here"))?;
        if self.spread.devices.len() > 1 && first.contents.dimensions()? != self.dims {
            let devices = self.spread.devices.len();
            return Err(Status::invalid(format!(
                "the array is spread over devices, and no one of them has all of it: {devices} devices"
            )));
        }
        Ok(first)
    }

    /// An array of one of its shards.
    ///
    /// # Errors
    /// What the plug-in answers.
    pub(crate) fn of_shard(&self, shard: &ArrayShard) -> Result<Self, Status> {
        Ok(Self {
            kind: self.kind,
            dims: shard.contents.dimensions()?,
            spread: Spread::on(shard.device, self.spread.memory_kind.clone()),
            shards: vec![shard.clone()],
        })
    }
}
