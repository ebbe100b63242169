//! The asynchronous host-to-device transfer manager: buffers that are there before their contents.

use std::ptr;
use std::ptr::NonNull;

use super::client_of;
use crate::host::{Buffer, Device, Error, Event};
use crate::sys::bindings::*;
use crate::sys::calls::read::some;
use crate::sys::calls::{Keep, Owned};

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
        let api = client.api();
        let memory = device.default_memory()?;
        let spec = |(kind, dims): &(PJRT_Buffer_Type, &[i64])| {
            let mut spec = api.record::<PJRT_ShapeSpec>();
            spec.dims = dims.as_ptr();
            spec.num_dims = dims.len();
            spec.element_type = *kind;
            spec
        };
        let mut specs: Vec<PJRT_ShapeSpec> = shapes.iter().map(spec).collect();
        let mut arguments = api.record::<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
        arguments.client = client.raw();
        arguments.shape_specs = specs.as_mut_ptr();
        arguments.num_shape_specs = specs.len();
        arguments.memory = memory.raw.raw();
        // SAFETY: client and memory are alive; the shapes are there during the call.
        unsafe { api.call(&mut arguments) }?;
        let raw = some(function, arguments.transfer_manager)?;
        // SAFETY: the manager is the caller's to free.
        Ok(Self(unsafe { Owned::new(raw, client.keep().clone()) }))
    }

    /// How many buffers it has.
    pub(crate) fn count(&self) -> Result<usize, Error> {
        let api = self.0.api();
        let mut ask = api.record::<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>();
        ask.transfer_manager = self.0.raw();
        // SAFETY: the manager is alive.
        unsafe { api.call(&mut ask) }?;
        Ok(ask.buffer_count)
    }

    /// How many bytes a buffer takes on the device.
    pub(crate) fn size(&self, buffer: i32) -> Result<usize, Error> {
        let api = self.0.api();
        let mut ask = api.record::<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>();
        ask.transfer_manager = self.0.raw();
        ask.buffer_index = buffer;
        // SAFETY: the manager is alive.
        unsafe { api.call(&mut ask) }?;
        Ok(ask.buffer_size)
    }

    /// Whether this is its device.
    pub(crate) fn is_of(&self, device: &Device) -> Result<bool, Error> {
        let api = self.0.api();
        let mut ask = api.record::<PJRT_AsyncHostToDeviceTransferManager_Device_Args>();
        ask.transfer_manager = self.0.raw();
        // SAFETY: the manager is alive.
        unsafe { api.call(&mut ask) }?;
        Ok(ptr::eq(ask.device_out, device.raw.raw()))
    }

    /// The buffer, whose contents come later.
    pub(crate) fn retrieve(&self, buffer: i32) -> Result<Buffer, Error> {
        let api = self.0.api();
        let mut ask = api.record::<PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args>();
        ask.transfer_manager = self.0.raw();
        ask.buffer_index = buffer;
        // SAFETY: the manager is alive.
        unsafe { api.call(&mut ask) }?;
        let raw = some("PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer", ask.buffer_out)?;
        // SAFETY: the buffer is the caller's to free.
        Ok(Buffer::new(unsafe { Owned::new(raw, self.0.keep().clone()) }))
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
        // Without a layout plug-ins built from XLA end the process.
        let order: Vec<i64> = (0..dims.len() as i64).rev().collect();
        let mut tiled = api.record::<PJRT_Buffer_MemoryLayout_Tiled>();
        tiled.minor_to_major = order.as_ptr();
        tiled.minor_to_major_size = order.len();
        let mut layout = api.record::<PJRT_Buffer_MemoryLayout>();
        layout.layout = PJRT_Buffer_MemoryLayout_Either { tiled };
        layout.r#type = PJRT_Buffer_MemoryLayout_Type::Tiled;
        let mut send = api.record::<PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args>();
        send.transfer_manager = self.0.raw();
        send.buffer_index = buffer;
        send.data = data.as_ptr().cast();
        send.shape_dims = dims.as_ptr();
        send.shape_num_dims = dims.len();
        send.shape_element_type = kind;
        send.shape_layout = &raw mut layout;
        // SAFETY: the manager is alive; the shape and its layout are there during the call, the data until the event
        // below has happened.
        unsafe { api.call(&mut send) }?;
        done(send.done_with_h2d_transfer, self.0.keep())
    }

    /// Puts an error in place of a buffer's contents.
    pub(crate) fn fail(&self, buffer: i32, message: &str) -> Result<(), Error> {
        let api = self.0.api();
        let mut ask = api.record::<PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args>();
        ask.transfer_manager = self.0.raw();
        ask.buffer_index = buffer;
        ask.error_code = PJRT_Error_Code::ABORTED;
        ask.error_message = message.as_ptr();
        ask.error_message_size = message.len();
        // SAFETY: the manager is alive; the message is there during the call.
        unsafe { api.call(&mut ask) }.map_err(Into::into)
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
