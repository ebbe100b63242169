//! Devices and their descriptions.

use super::{Error, HostFailure, Memory, MemoryStats, or_if_absent};
use crate::Attribute;
use crate::sys::bindings::{PJRT_Device, PJRT_DeviceDescription};
use crate::sys::calls::extension::memories;
use crate::sys::calls::{Handle, device};

/// A device of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    pub(crate) raw: Handle<PJRT_Device>,
}

impl Device {
    pub(crate) fn new(raw: Handle<PJRT_Device>) -> Self {
        Self { raw }
    }

    /// What it is.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn description(&self) -> Result<PjrtDeviceDescription, Error> {
        device::description(&self.raw).map(PjrtDeviceDescription::new)
    }

    /// Its number, unique in the job.
    pub fn id(&self) -> Result<i32, Error> {
        self.description()?.id()
    }

    /// Whether this process can use it.
    pub fn is_addressable(&self) -> Result<bool, Error> {
        device::is_addressable(&self.raw).map_err(Into::into)
    }

    /// Its number on its machine; none if it has none.
    pub fn local_hardware_id(&self) -> Result<Option<i32>, Error> {
        let id = device::local_hardware_id(&self.raw)?;
        Ok(Some(id).filter(|&id| id >= 0))
    }

    /// The memories that it can use.
    pub fn memories(&self) -> Result<Vec<Memory>, Error> {
        Ok(device::memories(&self.raw)?.into_iter().map(Memory::new).collect())
    }

    /// The memory in which it keeps buffers unless told otherwise.
    pub fn default_memory(&self) -> Result<Memory, Error> {
        device::default_memory(&self.raw).map(Memory::new)
    }

    /// How much memory it uses.
    pub fn memory_stats(&self) -> Result<MemoryStats, Error> {
        let stats = device::memory_stats(&self.raw)?;
        Ok(MemoryStats::from_args(&stats))
    }

    /// Sets the peaks of the memory statistics back. Since 0.106.
    pub fn clear_memory_stats(&self) -> Result<(), Error> {
        device::clear_memory_stats(&self.raw).map_err(Into::into)
    }

    /// What the vendor says of it now; before 0.92 what its description says.
    pub fn attributes(&self) -> Result<Vec<Attribute>, Error> {
        or_if_absent(device::current_attributes(&self.raw), || self.description()?.attributes())
    }

    /// Makes the execution with this number fail that has been enqueued; whether there was one.
    /// Since 0.85.
    pub fn poison_execution<'a>(
        &self,
        launch_id: i32,
        failure: impl Into<HostFailure<'a>>,
    ) -> Result<bool, Error> {
        device::poison(&self.raw, launch_id, &failure.into())
    }
}

/// What a device is, of a client or of a topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PjrtDeviceDescription {
    raw: Handle<PJRT_DeviceDescription>,
}

impl PjrtDeviceDescription {
    pub(crate) fn new(raw: Handle<PJRT_DeviceDescription>) -> Self {
        Self { raw }
    }

    /// The number of the device, unique in the job.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn id(&self) -> Result<i32, Error> {
        device::id(&self.raw).map_err(Into::into)
    }

    /// The process that the device belongs to.
    pub fn process_index(&self) -> Result<i32, Error> {
        device::process_index(&self.raw).map_err(Into::into)
    }

    /// The model of the device.
    pub fn kind(&self) -> Result<String, Error> {
        device::kind(&self.raw).map_err(Into::into)
    }

    /// The memories of the device, the default one marked. Since 0.59, by the extension
    /// MemoryDescriptions, which also describes devices that are not there.
    pub fn memories(&self) -> Result<Vec<MemoryDescription>, Error> {
        let (kinds, default) = memories::described(&self.raw)?;
        let describe = |(at, (kind, kind_id))| MemoryDescription {
            kind,
            kind_id,
            is_default: default == Some(at),
        };
        Ok(kinds.into_iter().enumerate().map(describe).collect())
    }

    /// What the vendor says of it.
    pub fn attributes(&self) -> Result<Vec<Attribute>, Error> {
        device::attributes(&self.raw).map_err(Into::into)
    }

    /// A text for logs.
    pub fn debug_string(&self) -> Result<String, Error> {
        device::debug_string(&self.raw).map_err(Into::into)
    }

    /// A text for people.
    pub fn text(&self) -> Result<String, Error> {
        device::to_string(&self.raw).map_err(Into::into)
    }
}

/// A memory of a device that may only be described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDescription {
    /// Its kind: `device`, `pinned_host`.
    pub kind: String,
    /// Its kind as a number, which tells kinds of one plug-in apart.
    pub kind_id: i32,
    /// Whether the device keeps buffers there unless told otherwise.
    pub is_default: bool,
}
