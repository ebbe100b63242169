//! The plug-in's client, and what of it does not change.

use std::collections::BTreeMap;

use unskew_core::Version;
use unskew_pjrt::{Buffer, BufferPlace, Client, Device, HostArray, HostData, Memory};

use crate::aligned;
use crate::array::Spread;
use crate::status::Status;

/// The client, its devices and memories.
#[derive(Debug)]
pub struct ServedPlatform {
    /// The client of the plug-in on which everything runs.
    pub client: Client,
    /// The devices that can be used, by their ids, in the order of the plug-in.
    pub devices: Vec<DeviceEntry>,
    /// The StableHLO version that the plug-in reads, if it says.
    pub stablehlo: Option<Version>,
    at: BTreeMap<i32, usize>,
}

/// A device that can be used.
#[derive(Debug)]
pub struct DeviceEntry {
    pub id: i32,
    pub device: Device,
    /// Its memories by their kinds; none if the plug-in knows of no memories.
    pub memories: Vec<(String, Memory)>,
    /// The kind of its default memory.
    pub default_kind: Option<String>,
}

impl ServedPlatform {
    /// Asks a client for its devices.
    ///
    /// # Errors
    /// If the plug-in does not answer.
    pub fn new(client: Client) -> Result<Self, unskew_pjrt::Error> {
        let devices: Result<Vec<_>, _> =
            client.addressable_devices()?.into_iter().map(DeviceEntry::new).collect();
        let devices = devices?;
        let at = devices.iter().enumerate().map(|(at, entry)| (entry.id, at)).collect();
        let stablehlo = client.plugin().stablehlo_version().ok().flatten();
        Ok(Self { client, devices, stablehlo, at })
    }

    /// A device by its id.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if there is none that can be used.
    pub fn device(&self, id: i32) -> Result<&DeviceEntry, Status> {
        let found = self.at.get(&id).and_then(|at| self.devices.get(*at));
        found.ok_or_else(|| Status::invalid(format!("there is no such device here: {id}")))
    }

    /// The devices of an array that is to be made, each once.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if there are none, one is not here or is there twice.
    pub fn devices_of(&self, spread: &Spread) -> Result<Vec<&DeviceEntry>, Status> {
        if spread.devices.is_empty() || spread.devices.len() > self.devices.len() {
            let (given, there) = (spread.devices.len(), self.devices.len());
            return Err(Status::invalid(format!("an array on {given} of {there} devices")));
        }
        let mut ids = spread.devices.clone();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Status::invalid(format!(
                "a device of an array stands twice: {}",
                twice[0]
            )));
        }
        spread.devices.iter().map(|id| self.device(*id)).collect()
    }

    /// A buffer of host data that are copied while this waits; or of dense data without a copy here, and, if
    /// there are many and the plug-in can use them where they are, without any.
    ///
    /// # Errors
    /// If the data do not fit, the memory is not there, or the plug-in refuses.
    pub fn buffer(
        &self,
        data: bytes::Bytes,
        array: (unskew_pjrt::ElementType, &[i64], Option<&[i64]>),
        place: BufferPlace<'_>,
    ) -> Result<Buffer, Status> {
        let (element_type, dims, strides) = array;
        let made = match strides {
            None => {
                let usable = aligned::usable(&data);
                let host_data = if usable { HostData::Shared } else { HostData::Copied };
                self.client.buffer_from_owner(data, (element_type, dims), place, host_data)
            }
            Some(_) => {
                let array = HostArray { data: &data, element_type, dims, strides };
                self.client.buffer(array, place)
            }
        };
        made.map_err(Status::from)
    }
}

impl ServedPlatform {
    /// A buffer that lies on its device in this order of axes, the fastest first; the data are copied while this waits.
    ///
    /// # Errors
    /// As [`ServedPlatform::buffer`]; UNIMPLEMENTED if the plug-in lays it out otherwise than it was asked.
    pub fn buffer_in_order(
        &self,
        data: &[u8],
        (element_type, dims, strides): (unskew_pjrt::ElementType, &[i64], Option<&[i64]>),
        minor_to_major: &[i64],
        place: BufferPlace<'_>,
    ) -> Result<Buffer, Status> {
        let array = HostArray { data, element_type, dims, strides };
        let buffer = self.client.buffer_in_order(array, minor_to_major, place)?;
        let found = buffer.minor_to_major()?;
        // A program that is compiled for the one order would read the other wrongly.
        if found.as_deref() != Some(minor_to_major) {
            return Err(Status::unimplemented(format!(
                "the plug-in lays host data out in an order of its own: asked for {minor_to_major:?}, got {found:?}"
            )));
        }
        // Plug-ins of 2025 take the order, say that they have it, and copy the bytes as they came.
        if strides.is_some() || buffer.to_host()? != data {
            return Err(Status::unimplemented(
                "the plug-in does not lay host data out in the order of axes that it is asked for",
            ));
        }
        Ok(buffer)
    }
}

impl DeviceEntry {
    fn new(device: Device) -> Result<Self, unskew_pjrt::Error> {
        let kinds = |memory: Memory| Some((memory.kind().ok()?, memory));
        let memories =
            device.memories().unwrap_or_default().into_iter().filter_map(kinds).collect();
        let default_kind = device.default_memory().and_then(|memory| memory.kind()).ok();
        Ok(Self { id: device.id()?, device, memories, default_kind })
    }

    /// One of its memories.
    ///
    /// # Errors
    /// INVALID_ARGUMENT if it has none of this kind.
    pub fn place(&self, kind: Option<&str>) -> Result<BufferPlace<'_>, Status> {
        let Some(kind) = kind.filter(|kind| self.default_kind.as_deref() != Some(*kind)) else {
            return Ok(BufferPlace::Device(&self.device));
        };
        if self.memories.is_empty() && kind == UNKNOWN_KIND {
            return Ok(BufferPlace::Device(&self.device));
        }
        let found = self.memories.iter().find(|(known, _)| known == kind);
        let found = found.map(|(_, memory)| BufferPlace::Memory(memory));
        found.ok_or_else(|| {
            Status::invalid(format!("device {} has no memory of this kind: {kind}", self.id))
        })
    }
}

/// What the one memory of a device is called whose plug-in knows of none.
pub const UNKNOWN_KIND: &str = "device";
