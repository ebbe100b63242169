//! Topologies: devices without their hardware.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{Error, Executable, PjrtDeviceDescription, PjrtProgram, Plugin, or_if_absent};
use crate::Attribute;
use crate::sys::bindings::PJRT_TopologyDescription;
use crate::sys::calls::{Handle, Keep, Owned, compile, executable};

/// The devices of a job and how they are connected, of a client or without one.
#[derive(Clone, Debug)]
pub struct Topology {
    raw: TopologyHandle,
}

#[derive(Clone, Debug)]
enum TopologyHandle {
    OfClient(Handle<PJRT_TopologyDescription>),
    Own(Arc<Owned<PJRT_TopologyDescription>>),
}

impl Topology {
    pub(crate) fn of_client(raw: Handle<PJRT_TopologyDescription>) -> Self {
        Self { raw: TopologyHandle::OfClient(raw) }
    }

    pub(crate) fn create(plugin: Plugin, name: &str, options: &[Attribute]) -> Result<Self, Error> {
        Ok(Self { raw: TopologyHandle::Own(compile::topology(plugin.api(), name, options)?) })
    }

    pub(crate) fn deserialize(plugin: Plugin, bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self { raw: TopologyHandle::Own(compile::topology_from(plugin.api(), bytes)?) })
    }

    pub(crate) fn raw(&self) -> &Handle<PJRT_TopologyDescription> {
        match &self.raw {
            TopologyHandle::OfClient(raw) => raw,
            TopologyHandle::Own(raw) => raw,
        }
    }

    pub(crate) fn keep(&self) -> Keep {
        match &self.raw {
            TopologyHandle::OfClient(raw) => raw.keep().clone(),
            TopologyHandle::Own(own) => Keep::Topology(Arc::clone(own)),
        }
    }

    /// The name of the platform.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn platform_name(&self) -> Result<String, Error> {
        executable::topology_platform_name(self.raw()).map_err(Into::into)
    }

    /// The version of the platform, as a text for people.
    pub fn platform_version(&self) -> Result<String, Error> {
        executable::topology_platform_version(self.raw()).map_err(Into::into)
    }

    /// The devices of the topology, attached or not.
    pub fn devices(&self) -> Result<Vec<PjrtDeviceDescription>, Error> {
        let devices = executable::topology_devices(self.raw(), &self.keep())?;
        Ok(devices.into_iter().map(PjrtDeviceDescription::new).collect())
    }

    /// What the vendor says of it.
    pub fn attributes(&self) -> Result<Vec<Attribute>, Error> {
        executable::topology_attributes(self.raw()).map_err(Into::into)
    }

    /// The topology in the plug-in's own serialized form.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        executable::serialize_topology(self.raw())
    }

    /// A number that tells topologies apart; before 0.101 one made of its bytes.
    pub fn fingerprint(&self) -> Result<u64, Error> {
        or_if_absent(executable::topology_fingerprint(self.raw()), || {
            let digest = Sha256::digest(self.serialize()?);
            Ok(digest.first_chunk().map_or(0, |head| u64::from_le_bytes(*head)))
        })
    }

    /// Compiles a program for it, without a client.
    ///
    /// # Errors
    /// If the plug-in refuses the program, or needs a client:
    /// [`Client::compile_for`](super::Client::compile_for).
    pub fn compile(&self, program: PjrtProgram<'_>, options: &[u8]) -> Result<Executable, Error> {
        let PjrtProgram { code, format } = program;
        let made = compile::compile_for(self.raw(), (code, format), options, None, self.keep())?;
        Ok(Executable::new(made))
    }
}
