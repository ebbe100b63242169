//! Memories.

use sha2::{Digest, Sha256};

use super::{Device, Error, or_if_absent};
use crate::sys::bindings::PJRT_Memory;
use crate::sys::calls::{Handle, memory};

/// A memory that devices of a client can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    pub(crate) raw: Handle<PJRT_Memory>,
}

impl Memory {
    pub(crate) fn new(raw: Handle<PJRT_Memory>) -> Self {
        Self { raw }
    }

    /// Its number, unique in the job.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn id(&self) -> Result<i32, Error> {
        memory::id(&self.raw).map_err(Into::into)
    }

    /// Its kind: `device`, `pinned_host`.
    pub fn kind(&self) -> Result<String, Error> {
        memory::kind(&self.raw).map_err(Into::into)
    }

    /// Its kind as a number, which tells kinds of one plug-in apart; before 0.48 a number made of the
    /// kind's name.
    pub fn kind_id(&self) -> Result<i32, Error> {
        or_if_absent(memory::kind_id(&self.raw), || Ok(number_of(&self.kind()?)))
    }

    /// A text for logs.
    pub fn debug_string(&self) -> Result<String, Error> {
        memory::debug_string(&self.raw).map_err(Into::into)
    }

    /// A text for people.
    pub fn text(&self) -> Result<String, Error> {
        memory::to_string(&self.raw).map_err(Into::into)
    }

    /// The devices that can use it.
    pub fn devices(&self) -> Result<Vec<Device>, Error> {
        Ok(memory::devices(&self.raw)?.into_iter().map(Device::new).collect())
    }
}

/// A number made of a name, the same on every machine.
fn number_of(name: &str) -> i32 {
    let digest = Sha256::digest(name);
    digest.first_chunk().map_or(0, |head| i32::from_le_bytes(*head) & i32::MAX)
}
