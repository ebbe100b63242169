//! Transfers from the host in parts, into buffers that can be used before their contents are there.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Buffer, Client, Device, Error, HostFailure, Memory, Pending, host_bytes};
use crate::Attribute;
use crate::sys::CallError;
use crate::sys::bindings::{
    PJRT_AsyncHostToDeviceTransferManager, PJRT_Buffer_Type as ElementType,
};
use crate::sys::calls::host_data::range_in;
use crate::sys::calls::transfer::{self, Part};
use crate::sys::calls::{Handle, Owned};

/// Buffers whose contents the host sends in parts. Since 0.62.
///
/// A buffer can be taken out at any time, and given to a program; what uses it waits for its last part.
/// A buffer whose last part was not sent when the transfer is dropped holds an error.
#[derive(Debug)]
pub struct Transfer {
    raw: Owned<PJRT_AsyncHostToDeviceTransferManager>,
    buffers: Mutex<Vec<TransferState>>,
}

#[derive(Clone, Copy, Debug)]
struct TransferState {
    size: usize,
    taken: bool,
    complete: bool,
}

impl Client {
    /// Makes buffers of these types and dimensions in a memory, whose contents are sent later. Since
    /// 0.62.
    ///
    /// # Errors
    /// [`Error::NotAShape`] if no array is such; if the plug-in is too old, or refuses.
    pub fn begin_transfer(
        &self,
        shapes: &[(ElementType, &[i64])],
        memory: &Memory,
    ) -> Result<Transfer, Error> {
        for (element_type, dims) in shapes {
            host_bytes(*element_type, dims, None)?;
        }
        let raw = transfer::begin(self.raw(), shapes, &memory.raw)?;
        let count = transfer::count(&raw)?;
        if count != shapes.len() {
            let function = "PJRT_AsyncHostToDeviceTransferManager_BufferCount";
            return Err(Error::Implausible { function, count });
        }
        let state = |index| {
            let size = transfer::size(&raw, number(index))?;
            Ok(TransferState { size, taken: false, complete: false })
        };
        let buffers = (0..count).map(state).collect::<Result<Vec<TransferState>, CallError>>()?;
        Ok(Transfer { raw, buffers: Mutex::new(buffers) })
    }
}

/// The number of a buffer as the interface has it.
fn number(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

impl Transfer {
    fn raw(&self) -> &Handle<PJRT_AsyncHostToDeviceTransferManager> {
        &self.raw
    }

    fn lock(&self) -> MutexGuard<'_, Vec<TransferState>> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many buffers it has.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// The size of a buffer on its device, in bytes; none if it has no buffer of this number.
    pub fn size(&self, index: usize) -> Option<usize> {
        self.lock().get(index).map(|state| state.size)
    }

    /// The device that it sends to.
    ///
    /// # Errors
    /// If the plug-in does not answer.
    pub fn device(&self) -> Result<Device, Error> {
        transfer::device(self.raw()).map(Device::new)
    }

    /// Sends bytes of a buffer, as they lie on the device, to `offset` in it. `last` says that no part
    /// follows. The part is kept until it is sent, which the result tells; parts may overtake another.
    ///
    /// # Errors
    /// [`Error::NoSuchBuffer`], [`Error::Range`], [`Error::Complete`]; if the plug-in refuses.
    pub fn send(
        &self,
        index: usize,
        part: impl AsRef<[u8]> + Send + 'static,
        offset: usize,
        last: bool,
    ) -> Result<Pending<()>, Error> {
        let mut buffers = self.lock();
        let state = writable(&mut buffers, index)?;
        let size = part.as_ref().len();
        let (offset, size) = range_in(state.size, offset, size)?;
        let part_of = Part { index: number(index), offset, size, last };
        let (pending, finish) = Pending::new();
        let finish = Box::new(move |done: Result<(), _>| finish(done.map_err(Error::from)));
        transfer::send(self.raw(), part_of, part, finish)?;
        state.complete = last;
        Ok(pending)
    }

    /// Sends the whole contents of a buffer, dense and in row-major order, as
    /// [`HostArray`](super::HostArray) has them. Since 0.83.
    ///
    /// # Errors
    /// As [`Transfer::send`]; [`Error::TooShort`] if the data do not fill the shape.
    pub fn send_whole(
        &self,
        index: usize,
        data: impl AsRef<[u8]> + Send + 'static,
        element_type: ElementType,
        dims: &[i64],
    ) -> Result<Pending<()>, Error> {
        let mut buffers = self.lock();
        let state = writable(&mut buffers, index)?;
        let (pending, finish) = Pending::new();
        let finish = Box::new(move |done: Result<(), _>| finish(done.map_err(Error::from)));
        let shape = (element_type, dims);
        transfer::send_whole(self.raw(), number(index), data, shape, finish)?;
        state.complete = true;
        Ok(pending)
    }

    /// Puts a failure in place of the contents of a buffer.
    ///
    /// # Errors
    /// [`Error::NoSuchBuffer`], [`Error::Complete`]; [`Error::NoPayloads`] if the failure has some; if
    /// the plug-in refuses.
    pub fn fail<'a>(&self, index: usize, failure: impl Into<HostFailure<'a>>) -> Result<(), Error> {
        let mut buffers = self.lock();
        let state = writable(&mut buffers, index)?;
        transfer::fail(self.raw(), number(index), &failure.into())?;
        state.complete = true;
        Ok(())
    }

    /// Takes a buffer out.
    ///
    /// # Errors
    /// [`Error::NoSuchBuffer`]; [`Error::Taken`] if it was taken; if the plug-in refuses.
    pub fn take(&self, index: usize) -> Result<Buffer, Error> {
        let mut buffers = self.lock();
        let state = state_of(&mut buffers, index)?;
        if state.taken {
            return Err(Error::Taken);
        }
        let buffer = transfer::retrieve(self.raw(), number(index)).map(Buffer::new)?;
        state.taken = true;
        Ok(buffer)
    }

    /// Tells the vendor more about it.
    ///
    /// # Errors
    /// If the plug-in refuses.
    pub fn annotate(&self, metadata: &[Attribute]) -> Result<(), Error> {
        transfer::annotate(self.raw(), metadata).map_err(Into::into)
    }
}

fn state_of(buffers: &mut [TransferState], index: usize) -> Result<&mut TransferState, Error> {
    let count = buffers.len();
    buffers.get_mut(index).ok_or(Error::NoSuchBuffer { index, count })
}

fn writable(buffers: &mut [TransferState], index: usize) -> Result<&mut TransferState, Error> {
    let state = state_of(buffers, index)?;
    if state.complete { Err(Error::Complete { index }) } else { Ok(state) }
}
