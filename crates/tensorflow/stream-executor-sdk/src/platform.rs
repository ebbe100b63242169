//! Platform trait, which an author implements: a kind of device.

use crate::{Device, Error, Host, Kernels};

/// A kind of device. It is made once for a process, and lives as long.
pub trait Platform: Send + Sync + 'static {
    /// The type of its devices, of which it may have several.
    type Device: Device;

    /// The name of the platform: capital letters and underscores. No other plug-in of the process may
    /// have the same.
    fn name(&self) -> &str;

    /// What programs ask for, as in `tf.device("/device:NAME:0")`: capital letters and underscores.
    fn device_type(&self) -> &str;

    /// How many devices there are.
    ///
    /// # Errors
    /// If that cannot be found out. TensorFlow then goes on without the platform, or ends.
    fn device_count(&self) -> Result<usize, Error>;

    /// Opens a device, when it is first used.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn device(&self, ordinal: usize, host: &Host) -> Result<Self::Device, Error>;

    /// Who hands out the memory of devices.
    fn allocator(&self) -> Allocator {
        Allocator::Host { grow: true }
    }

    /// Whether devices have memory that they share with the host: then [`Device::allocate_unified`] is used.
    fn unified_memory(&self) -> bool {
        false
    }

    /// Registers the kernels of the devices. An operation without one runs on the CPU.
    ///
    /// # Errors
    /// If a kernel cannot be registered; the others are, and the host is not told, since the interface has no
    /// way: the text goes to the error stream.
    fn kernels(&self, kernels: &mut Kernels<Self::Device>) -> Result<(), Error> {
        let _ = kernels;
        Ok(())
    }
}

/// Who hands out the memory of devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocator {
    /// TensorFlow's own allocator, which takes large pieces from the device.
    Host {
        /// Whether it takes memory only as it is needed. Hosts before 2.9 ask their user instead.
        grow: bool,
    },
    /// The device itself, piece by piece.
    Device,
}
