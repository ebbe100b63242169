//! ABI version of a serialized executable, and whether a runtime fits, in the plug-in's own words.

use crate::host::{Client, Error, Executable, Plugin};
use crate::sys::bindings::{PJRT_ExecutableAbiVersion, PJRT_RuntimeAbiVersion};
use crate::sys::calls::Owned;
use crate::sys::calls::extension::abi_version;

/// What the runtime of a client can load.
#[derive(Debug)]
pub struct RuntimeAbiVersion {
    raw: Owned<PJRT_RuntimeAbiVersion>,
}

/// What an executable needs.
#[derive(Debug)]
pub struct ExecutableAbiVersion {
    raw: Owned<PJRT_ExecutableAbiVersion>,
}

impl RuntimeAbiVersion {
    /// Whether it can load the executable.
    ///
    /// # Errors
    /// The plug-in's reason if it cannot.
    pub fn fits(&self, executable: &ExecutableAbiVersion) -> Result<(), Error> {
        abi_version::fits_executable(&self.raw, &executable.raw)
    }

    /// Whether it can load what was made for another runtime.
    ///
    /// # Errors
    /// The plug-in's reason if it cannot.
    pub fn fits_runtime(&self, other: &Self) -> Result<(), Error> {
        abi_version::fits_runtime(&self.raw, &other.raw)
    }

    /// It as bytes, for [`Plugin::runtime_abi_version_of`].
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        abi_version::runtime_bytes(&self.raw)
    }

    /// The number of the platform.
    pub fn platform_id(&self) -> Result<u64, Error> {
        abi_version::runtime_platform(&self.raw).map_err(Into::into)
    }
}

impl ExecutableAbiVersion {
    /// It as bytes, for [`Plugin::executable_abi_version_of`].
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        abi_version::executable_bytes(&self.raw)
    }

    /// The number of the platform.
    pub fn platform_id(&self) -> Result<u64, Error> {
        abi_version::executable_platform(&self.raw).map_err(Into::into)
    }
}

impl Client {
    /// What its runtime can load. Since 0.91, by the extension AbiVersion.
    ///
    /// # Errors
    /// If the plug-in does not have the extension.
    pub fn abi_version(&self) -> Result<RuntimeAbiVersion, Error> {
        Ok(RuntimeAbiVersion { raw: abi_version::of_client(self.raw())? })
    }
}

impl Executable {
    /// What a runtime must be to load it. Since 0.91, by the extension AbiVersion.
    ///
    /// # Errors
    /// If the plug-in does not have the extension.
    pub fn abi_version(&self) -> Result<ExecutableAbiVersion, Error> {
        Ok(ExecutableAbiVersion { raw: abi_version::of_executable(self.raw())? })
    }
}

impl Plugin {
    /// A version from the bytes of [`RuntimeAbiVersion::serialize`].
    ///
    /// # Errors
    /// If the plug-in refuses the bytes, or does not have the extension.
    pub fn runtime_abi_version_of(&self, bytes: &[u8]) -> Result<RuntimeAbiVersion, Error> {
        Ok(RuntimeAbiVersion { raw: abi_version::runtime_of(self.api(), bytes)? })
    }

    /// A version from the bytes of [`ExecutableAbiVersion::serialize`].
    ///
    /// # Errors
    /// As [`Plugin::runtime_abi_version_of`].
    pub fn executable_abi_version_of(&self, bytes: &[u8]) -> Result<ExecutableAbiVersion, Error> {
        Ok(ExecutableAbiVersion { raw: abi_version::executable_of(self.api(), bytes)? })
    }
}
