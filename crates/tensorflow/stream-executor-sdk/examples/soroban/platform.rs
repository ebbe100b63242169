//! The platform: one device.

use unskew_stream_executor_sdk::{Error, Host, Kernels, Platform};

use crate::device::Abacus;
use crate::kernels;

/// The platform, which has one kind of device.
pub struct Soroban;

impl Platform for Soroban {
    type Device = Abacus;

    fn name(&self) -> &str {
        "SOROBAN"
    }

    fn device_type(&self) -> &str {
        "SOROBAN"
    }

    fn device_count(&self) -> Result<usize, Error> {
        Ok(1)
    }

    fn device(&self, ordinal: usize, _: &Host) -> Result<Abacus, Error> {
        if ordinal > 0 {
            return Err(Error::invalid(format!("there is one device, 0; wanted: {ordinal}")));
        }
        Ok(Abacus::default())
    }

    fn kernels(&self, kernels: &mut Kernels<Abacus>) -> Result<(), Error> {
        kernels::register(kernels)
    }
}
