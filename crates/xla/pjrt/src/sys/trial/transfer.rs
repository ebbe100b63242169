//! The asynchronous host-to-device transfer manager: buffers that are there before their contents.

use std::ptr;
use std::ptr::NonNull;

use super::client_of;
use crate::host::{Buffer, Device, Error, Event, HostFailure};
use crate::sys::bindings::*;
use crate::sys::calls::dense::Dense;
use crate::sys::calls::{Keep, Owned, transfer};

/// A transfer manager of one device's default memory.
pub(crate) struct Transfer(Owned<PJRT_AsyncHostToDeviceTransferManager>);

impl Transfer {
    /// One for a buffer of each shape. Since 0.60.
    pub(crate) fn begin(
        device: &Device,
        shapes: &[(PJRT_Buffer_Type, &[i64])],
    ) -> Result<Self, Error> {
        let function = "PJRT_Client_CreateBuffersForAsyncHostToDevice";
        let client = client_of(device).ok_or(Error::Null { function })?;
        let memory = device.default_memory()?;
        transfer::create(&client, shapes, &memory.raw).map(Self)
    }

    /// How many buffers it has.
    pub(crate) fn count(&self) -> Result<usize, Error> {
        Ok(transfer::count(&self.0)?)
    }

    /// How many bytes a buffer takes on the device.
    pub(crate) fn size(&self, buffer: i32) -> Result<usize, Error> {
        Ok(transfer::size(&self.0, buffer)?)
    }

    /// Whether this is its device.
    pub(crate) fn is_of(&self, device: &Device) -> Result<bool, Error> {
        Ok(ptr::eq(transfer::device(&self.0)?.raw(), device.raw.raw()))
    }

    /// The buffer, whose contents come later.
    pub(crate) fn retrieve(&self, buffer: i32) -> Result<Buffer, Error> {
        transfer::retrieve(&self.0, buffer).map(Buffer::new)
    }

    /// Sends bytes of a buffer from an offset on, and waits until they are no longer needed here.
    pub(crate) fn send(
        &self,
        buffer: i32,
        (offset, data): (usize, &[u8]),
        last: bool,
    ) -> Result<(), Error> {
        let api = self.0.api();
        let mut send = api.record::<PJRT_AsyncHostToDeviceTransferManager_TransferData_Args>();
        send.transfer_manager = self.0.raw();
        send.buffer_index = buffer;
        send.data = data.as_ptr().cast();
        send.offset = offset as i64;
        send.transfer_size = data.len() as i64;
        send.is_last_transfer = last.into();
        // SAFETY: the manager is alive; the data are there until the event below has happened.
        unsafe { api.call(&mut send) }?;
        done(send.done_with_h2d_transfer, self.0.keep())
    }

    /// Sends the whole of a buffer as an array. Since 0.83.
    pub(crate) fn send_array(
        &self,
        buffer: i32,
        data: &[u8],
        (kind, dims): (PJRT_Buffer_Type, &[i64]),
    ) -> Result<(), Error> {
        let api = self.0.api();
        let mut layout = Dense::new(api, dims);
        let mut send = api.record::<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
        send.transfer_manager = self.0.raw();
        send.buffer_index = buffer;
        send.data = data.as_ptr().cast();
        send.shape_dims = dims.as_ptr();
        send.shape_num_dims = dims.len();
        send.shape_element_type = kind;
        send.shape_layout = layout.as_mut_ptr();
        // SAFETY: the manager is alive; the shape and its layout are there during the call, the data until the event
        // below has happened.
        unsafe { api.call(&mut send) }?;
        done(send.done_with_h2d_transfer, self.0.keep())
    }

    /// Puts an error in place of a buffer's contents.
    pub(crate) fn fail(&self, buffer: i32, message: &str) -> Result<(), Error> {
        transfer::fail(&self.0, buffer, &HostFailure::new(PJRT_Error_Code::ABORTED, message))
    }
}

/// Waits for an event, if there is one.
fn done(event: *mut PJRT_Event, keep: &Keep) -> Result<(), Error> {
    match NonNull::new(event) {
        // SAFETY: the plug-in has just made it for us.
        Some(event) => Event::new(unsafe { Owned::new(event, keep.clone()) }).wait(),
        None => Ok(()),
    }
}
