//! Callbacks of a program that sends to the host, or receives from it, while it runs.

use std::sync::Arc;

use super::{Error, LoadedExecutable, Pending};
use crate::ErrorCode;
use crate::sys::bindings::PJRT_CopyToDeviceStream;
use crate::sys::calls::streams::{self, OfDevice};
use crate::sys::calls::{Handle, Owned};

/// The callbacks of one device, by the number of the channel.
#[derive(Default)]
pub struct DeviceCallbacks {
    raw: OfDevice,
}

impl DeviceCallbacks {
    /// A set without any callbacks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has `take` called with each part of what the program sends: the part, the size of the whole in
    /// bytes, and whether it is the last part. Its error ends the execution. A thread of the plug-in
    /// calls it; a panic of it becomes an error.
    #[must_use]
    pub fn on_send(
        mut self,
        channel: i64,
        take: impl Fn(&[u8], usize, bool) -> Result<(), (ErrorCode, String)> + Send + Sync + 'static,
    ) -> Self {
        self.raw.send.push((channel, Box::new(take)));
        self
    }

    /// Has `give` called when the program receives, with the stream that it reads. A thread of the
    /// plug-in calls it; the stream may go to another.
    #[must_use]
    pub fn on_receive(
        mut self,
        channel: i64,
        give: impl Fn(ToDevice) + Send + Sync + 'static,
    ) -> Self {
        let give = move |raw| give(ToDevice { raw });
        self.raw.receive.push((channel, Box::new(give)));
        self
    }
}

/// The callbacks of a program, for [`ExecuteOptions::callbacks`](crate::ExecuteOptions::callbacks).
#[derive(Clone, Debug)]
pub struct Callbacks {
    raw: Arc<streams::Callbacks>,
}

impl Callbacks {
    pub(crate) fn raw(&self) -> &Arc<streams::Callbacks> {
        &self.raw
    }
}

impl LoadedExecutable {
    /// Callbacks for its executions, device by device in the order of [`LoadedExecutable::devices`].
    /// Other programs of the same client, on as many devices, take them too.
    ///
    /// # Errors
    /// [`Error::Uneven`] if the devices have different numbers of them.
    pub fn callbacks(&self, devices: Vec<DeviceCallbacks>) -> Result<Callbacks, Error> {
        let devices = devices.into_iter().map(|device| device.raw).collect();
        Ok(Callbacks { raw: Arc::new(streams::Callbacks::new(self.raw(), devices)?) })
    }
}

/// What a program receives, in parts.
#[derive(Debug)]
pub struct ToDevice {
    raw: Owned<PJRT_CopyToDeviceStream>,
}

impl ToDevice {
    fn raw(&self) -> &Handle<PJRT_CopyToDeviceStream> {
        &self.raw
    }

    /// How many bytes the program receives in all.
    ///
    /// # Errors
    /// If the plug-in does not answer; so for all that follow.
    pub fn total_bytes(&self) -> Result<i64, Error> {
        streams::total_bytes(self.raw()).map_err(Into::into)
    }

    /// The size of which parts must be multiples, in bytes.
    pub fn granule_size(&self) -> Result<i64, Error> {
        streams::granule_size(self.raw()).map_err(Into::into)
    }

    /// How many bytes it has received.
    pub fn current_bytes(&self) -> Result<i64, Error> {
        streams::current_bytes(self.raw()).map_err(Into::into)
    }

    /// Sends the next part, and keeps it until the plug-in needs it no more.
    ///
    /// # Errors
    /// If the plug-in refuses it; what fails later is the result of what is returned.
    pub fn send(&self, part: impl AsRef<[u8]> + Send + 'static) -> Result<Pending<()>, Error> {
        let (pending, finish) = Pending::new();
        let finish = Box::new(move |done: Result<(), _>| finish(done.map_err(Error::from)));
        streams::add_chunk(self.raw(), part, finish)?;
        Ok(pending)
    }
}
