//! Transfers from the host in parts.

use std::ptr::NonNull;

use super::dense::Dense;
use super::read;
use super::{Handle, Owned, event, getters, named};
use crate::Attribute;
use crate::host::{Error, HostFailure};
use crate::sys::bindings::*;
use crate::sys::{Call, CallError};

type Manager = PJRT_AsyncHostToDeviceTransferManager;

getters! { Manager, transfer_manager:
    count -> usize = PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args => |a| a.buffer_count;
}

/// Makes buffers whose contents come later.
pub(crate) fn begin(
    client: &Handle<PJRT_Client>,
    shapes: &[(PJRT_Buffer_Type, &[i64])],
    memory: &Handle<PJRT_Memory>,
) -> Result<Owned<Manager>, Error> {
    // Without it nobody could take the buffers out.
    let retrieve = Function::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer;
    if !client.api().has(retrieve) {
        return Err(client.api().unimplemented(retrieve).into());
    }
    create(client, shapes, memory)
}

/// The same of a plug-in whose buffers may never be taken out.
pub(crate) fn create(
    client: &Handle<PJRT_Client>,
    shapes: &[(PJRT_Buffer_Type, &[i64])],
    memory: &Handle<PJRT_Memory>,
) -> Result<Owned<Manager>, Error> {
    Error::same_client(client, memory)?;
    let api = client.api();
    let shape = |&(element_type, dims): &(PJRT_Buffer_Type, &[i64])| {
        let mut shape = api.record::<PJRT_ShapeSpec>();
        shape.dims = dims.as_ptr();
        shape.num_dims = dims.len();
        shape.element_type = element_type;
        shape
    };
    let mut shapes: Vec<PJRT_ShapeSpec> = shapes.iter().map(shape).collect();
    let mut arguments = api.record::<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>();
    arguments.client = client.raw();
    arguments.shape_specs = shapes.as_mut_ptr();
    arguments.num_shape_specs = shapes.len();
    arguments.memory = memory.raw();
    // SAFETY: client and memory are alive and belong together; the shapes live during the call.
    unsafe { api.call(&mut arguments) }?;
    let function = "PJRT_Client_CreateBuffersForAsyncHostToDevice";
    let raw = read::some(function, arguments.transfer_manager)?;
    // SAFETY: the manager is the caller's to free.
    Ok(unsafe { Owned::new(raw, client.keep().clone()) })
}

/// The size of one of its buffers, in bytes.
pub(crate) fn size(manager: &Handle<Manager>, index: i32) -> Result<usize, CallError> {
    type Arguments = PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args;
    let mut arguments = manager.api().record::<Arguments>();
    arguments.transfer_manager = manager.raw();
    arguments.buffer_index = index;
    // SAFETY: the manager is alive and has a buffer of this number.
    unsafe { manager.api().call(&mut arguments) }?;
    Ok(arguments.buffer_size)
}

/// The device that it sends to.
pub(crate) fn device(manager: &Handle<Manager>) -> Result<Handle<PJRT_Device>, Error> {
    type Arguments = PJRT_AsyncHostToDeviceTransferManager_Device_Args;
    let mut arguments = manager.api().record::<Arguments>();
    arguments.transfer_manager = manager.raw();
    // SAFETY: the manager is alive.
    unsafe { manager.api().call(&mut arguments) }?;
    let function = "PJRT_AsyncHostToDeviceTransferManager_Device";
    let raw = read::some(function, arguments.device_out)?;
    // SAFETY: a device lives as long as the client.
    Ok(unsafe { Handle::new(raw, manager.keep().clone()) })
}

/// Takes one of its buffers out, which is there to be taken.
pub(crate) fn retrieve(manager: &Handle<Manager>, index: i32) -> Result<Owned<PJRT_Buffer>, Error> {
    type Arguments = PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args;
    let mut arguments = manager.api().record::<Arguments>();
    arguments.transfer_manager = manager.raw();
    arguments.buffer_index = index;
    // SAFETY: the manager is alive and has a buffer of this number.
    unsafe { manager.api().call(&mut arguments) }?;
    let function = "PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer";
    let raw = read::some(function, arguments.buffer_out)?;
    // SAFETY: the buffer is the caller's to free.
    Ok(unsafe { Owned::new(raw, manager.keep().clone()) })
}

/// Where a part of the contents of a buffer goes: checked, so that it lies in the buffer.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) index: i32,
    pub(crate) offset: i64,
    pub(crate) size: i64,
    pub(crate) last: bool,
}

/// Sends a part, which the owner keeps until it is sent; `then` is told.
pub(crate) fn send<T: AsRef<[u8]> + Send + 'static>(
    manager: &Handle<Manager>,
    part: Part,
    owner: T,
    then: event::WhenReady,
) -> Result<(), Error> {
    type Arguments = PJRT_AsyncHostToDeviceTransferManager_TransferData_Args;
    let owner = Box::new(owner);
    let data = (*owner).as_ref();
    if i64::try_from(data.len()).is_ok_and(|size| size < part.size) {
        return Err(Error::TooShort { wanted: part.size as usize, given: data.len() });
    }
    let mut arguments = manager.api().record::<Arguments>();
    arguments.transfer_manager = manager.raw();
    arguments.buffer_index = part.index;
    arguments.data = data.as_ptr().cast();
    arguments.offset = part.offset;
    arguments.transfer_size = part.size;
    arguments.is_last_transfer = u8::from(part.last);
    // SAFETY: the manager is alive, the part lies in its buffer; the owner, which does not move, stays
    // until the event has happened.
    unsafe { manager.api().call(&mut arguments) }?;
    keep(manager, Arguments::FUNCTION.name(), arguments.done_with_h2d_transfer, owner, then)
}

/// Sends the whole contents of a buffer, by shape.
pub(crate) fn send_whole<T: AsRef<[u8]> + Send + 'static>(
    manager: &Handle<Manager>,
    index: i32,
    owner: T,
    (element_type, dims): (PJRT_Buffer_Type, &[i64]),
    then: event::WhenReady,
) -> Result<(), Error> {
    type Arguments = PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args;
    let owner = Box::new(owner);
    let data = (*owner).as_ref();
    let wanted = crate::host::host_bytes(element_type, dims, None)?;
    if data.len() < wanted {
        return Err(Error::TooShort { wanted, given: data.len() });
    }
    let mut arguments = manager.api().record::<Arguments>();
    arguments.transfer_manager = manager.raw();
    arguments.buffer_index = index;
    arguments.data = data.as_ptr().cast();
    arguments.shape_dims = dims.as_ptr();
    arguments.shape_num_dims = dims.len();
    arguments.shape_element_type = element_type;
    let mut layout = Dense::new(manager.api(), dims);
    arguments.shape_layout = layout.as_mut_ptr();
    // SAFETY: the manager is alive, the data are as long as their shape; the owner, which does not move,
    // stays until the event has happened.
    unsafe { manager.api().call(&mut arguments) }?;
    keep(manager, Arguments::FUNCTION.name(), arguments.done_with_h2d_transfer, owner, then)
}

fn keep<T: Send + 'static>(
    manager: &Handle<Manager>,
    function: &'static str,
    done: *mut PJRT_Event,
    owner: Box<T>,
    then: event::WhenReady,
) -> Result<(), Error> {
    let Some(done) = NonNull::new(done) else {
        // Nobody knows when the plug-in is done with the data.
        std::mem::forget(owner);
        return Err(Error::Null { function });
    };
    // SAFETY: the event is the caller's to free.
    let done: Owned<PJRT_Event> = unsafe { Owned::new(done, manager.keep().clone()) };
    event::when_ready(
        &done,
        Box::new(move |outcome| {
            drop(owner);
            then(outcome);
        }),
    );
    Ok(())
}

/// Puts a failure in place of the contents of a buffer.
pub(crate) fn fail(
    manager: &Handle<Manager>,
    index: i32,
    failure: &HostFailure<'_>,
) -> Result<(), Error> {
    type Arguments = PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args;
    failure.plain(Arguments::FUNCTION.name())?;
    let mut arguments = manager.api().record::<Arguments>();
    arguments.transfer_manager = manager.raw();
    arguments.buffer_index = index;
    arguments.error_code = failure.code;
    arguments.error_message = failure.message.as_ptr();
    arguments.error_message_size = failure.message.len();
    // SAFETY: the manager is alive and has a buffer of this number; the text is there.
    unsafe { manager.api().call(&mut arguments) }.map_err(Into::into)
}

/// Tells the vendor more about the transfer.
pub(crate) fn annotate(manager: &Handle<Manager>, metadata: &[Attribute]) -> Result<(), CallError> {
    type Arguments = PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args;
    let metadata = named::to_c(manager.api(), metadata);
    let mut arguments = manager.api().record::<Arguments>();
    arguments.transfer_manager = manager.raw();
    arguments.transfer_metadata = metadata.as_ptr();
    arguments.num_metadata = metadata.len();
    // SAFETY: the manager is alive; the metadata live during the call.
    unsafe { manager.api().call(&mut arguments) }
}
