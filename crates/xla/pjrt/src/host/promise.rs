//! Promises of the host to a plug-in: what is named, met or given later. One that is dropped is broken,
//! and what waits for it gets an error.

use super::{Buffer, Client, Device, Error, HostFailure, Memory, Pending, Plugin, host_bytes};
use crate::sys::CallError;
use crate::sys::bindings::{PJRT_AsyncTrackingEvent, PJRT_Buffer_Type as ElementType};
use crate::sys::calls::{Owned, event, promise};

/// An event that the host sets, once.
#[derive(Debug)]
pub struct HostEvent {
    raw: promise::HostEvent,
}

impl Plugin {
    /// An event that the host sets. Since 0.89.
    ///
    /// # Errors
    /// If the plug-in is too old, or refuses.
    pub fn create_event(&self) -> Result<HostEvent, Error> {
        Ok(HostEvent { raw: promise::HostEvent::new(self.api())? })
    }
}

impl HostEvent {
    /// Sets it: all went well, or the failure.
    ///
    /// # Errors
    /// [`Error::Taken`] if it was set; [`Error::NoPayloads`] if the failure has some; if the plug-in
    /// refuses.
    pub fn set(&self, outcome: Result<(), HostFailure<'_>>) -> Result<(), Error> {
        if let Err(failure) = &outcome {
            failure.plain("PJRT_Event_Set")?;
        }
        self.raw.set(outcome)
    }

    /// Whether it was set.
    ///
    /// # Errors
    /// If the plug-in cannot say.
    pub fn is_ready(&self) -> Result<bool, Error> {
        event::is_ready(self.raw.raw()).map_err(Into::into)
    }

    /// Its outcome, once it is set.
    pub fn outcome(&self) -> Pending<()> {
        let (pending, finish) = Pending::new();
        let finish = move |done: Result<(), CallError>| finish(done.map_err(Error::from));
        event::when_ready(self.raw.raw(), Box::new(finish));
        pending
    }
}

/// The promise to say which buffer an alias stands for.
#[derive(Debug)]
pub struct BufferAlias {
    raw: promise::Alias,
    shape: (ElementType, Vec<i64>),
}

impl Client {
    /// A buffer that will stand for another, which [`BufferAlias::fulfill`] names, and which is laid out in
    /// row-major order. Since 0.77.
    ///
    /// # Errors
    /// [`Error::NotAShape`] if no array is such; if the plug-in is too old, or refuses.
    pub fn alias_buffer(
        &self,
        element_type: ElementType,
        dims: &[i64],
        memory: &Memory,
    ) -> Result<(Buffer, BufferAlias), Error> {
        host_bytes(element_type, dims, None)?;
        let (buffer, raw) = promise::alias(self.raw(), element_type, dims, &memory.raw)?;
        Ok((Buffer::new(buffer), BufferAlias { raw, shape: (element_type, dims.to_vec()) }))
    }
}

impl BufferAlias {
    /// Says which buffer it is, or why there is none. The buffer's memory is the alias's from then on:
    /// the buffer is deleted, as if it had been donated.
    ///
    /// # Errors
    /// [`Error::OtherShape`] if the buffer is not of the type and the dimensions of the alias, which
    /// then holds an error; [`Error::NoPayloads`] if the failure has some; if the plug-in refuses.
    pub fn fulfill(mut self, buffer: Result<&Buffer, HostFailure<'_>>) -> Result<(), Error> {
        match buffer {
            Ok(buffer) => {
                let found = (buffer.element_type()?, buffer.dimensions()?);
                if found != self.shape {
                    return Err(Error::OtherShape);
                }
                self.raw.fulfill(Ok(buffer.raw()))
            }
            Err(failure) => {
                failure.plain("PJRT_Client_FulfillAliasBuffer")?;
                self.raw.fulfill(Err(failure))
            }
        }
    }
}

/// The promise to say that the dependency of a donation is met.
pub struct Dependency {
    raw: promise::Dependency,
}

impl Buffer {
    /// Donates its memory to another buffer, which is ready once the dependency is met too. It is
    /// deleted then. Since 0.88.
    ///
    /// # Errors
    /// If the plug-in is too old, or refuses.
    pub fn donate_with_dependency(&self) -> Result<(Self, Dependency), Error> {
        let (buffer, raw) = promise::donate(self.raw())?;
        Ok((Self::new(buffer), Dependency { raw }))
    }

    /// Announces a copy of so many of its bytes, as they lie on the device, from `offset` on; it begins
    /// once there is room for it. Since 0.84.
    ///
    /// # Errors
    /// [`Error::Range`] if there are not so many; if the plug-in is too old, or refuses.
    pub fn announce_raw_copy(&self, offset: usize, size: usize) -> Result<RawCopy, Error> {
        Ok(RawCopy { raw: promise::raw_copy(self.raw(), offset, size)? })
    }
}

impl Dependency {
    /// Says that it is met, or why not.
    ///
    /// # Errors
    /// [`Error::NoPayloads`] if the failure has some; the dependency is then not met.
    pub fn meet(mut self, outcome: Result<(), HostFailure<'_>>) -> Result<(), Error> {
        if let Err(failure) = &outcome {
            failure.plain("PJRT_Buffer_DonateWithControlDependency")?;
        }
        self.raw.meet(outcome);
        Ok(())
    }
}

/// A copy to the host that was announced.
pub struct RawCopy {
    raw: promise::RawCopy,
}

impl RawCopy {
    /// Begins it.
    ///
    /// # Errors
    /// If there is no memory for it; what fails later is the result of what is returned.
    pub fn begin(self) -> Result<Pending<Vec<u8>>, Error> {
        let incoming = self.raw.begin()?;
        let (pending, finish) = Pending::new();
        incoming.when_ready(finish);
        Ok(pending)
    }

    /// Says that it will not be made.
    ///
    /// # Errors
    /// [`Error::NoPayloads`] if the failure has some; the copy is then not made either.
    pub fn cancel<'a>(self, failure: impl Into<HostFailure<'a>>) -> Result<(), Error> {
        let failure = failure.into();
        failure.plain("PJRT_Buffer_CopyRawToHostFuture")?;
        self.raw.fail(failure);
        Ok(())
    }
}

/// A mark that an operation is under way on a device, for who looks for what hangs. It ends when this is
/// dropped.
#[derive(Debug)]
pub struct Tracking {
    _raw: Option<Owned<PJRT_AsyncTrackingEvent>>,
}

impl Device {
    /// Marks an operation as under way on it. Nothing is marked by plug-ins that keep no such list.
    /// Since 0.86.
    ///
    /// # Errors
    /// If the plug-in is too old, or refuses.
    pub fn track(&self, description: &str) -> Result<Tracking, Error> {
        Ok(Tracking { _raw: promise::tracking(&self.raw, description)? })
    }
}
