//! The extension Stream: what a device computes on, for other libraries.

use crate::host::{Buffer, Device, Error};
use crate::sys::calls::extension::stream;

impl Device {
    /// The stream on which other libraries wait for its buffers, as the platform's own handle. Since
    /// 0.49, by the extension Stream.
    pub fn stream(&self) -> Result<isize, Error> {
        stream::of_device(&self.raw).map_err(Into::into)
    }

    /// Has its stream wait until a buffer is ready. Since 0.49, by the extension Stream.
    pub fn wait_for(&self, buffer: &Buffer) -> Result<(), Error> {
        stream::wait_on_device(&self.raw, buffer.raw())
    }
}
