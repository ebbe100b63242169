//! Data of the host: into buffers, and out of them.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::dense::Dense;
use super::order::{Turn, names_every_axis_once};
use super::read::{self, zeroed};
use super::{Handle, Owned, event};
use crate::host::{Error, host_bytes};
use crate::sys::bindings::*;

#[derive(Clone, Copy)]
pub(crate) enum RawPlace<'a> {
    Device(&'a Handle<PJRT_Device>),
    Memory(&'a Handle<PJRT_Memory>),
}

/// What a buffer is made of: checked, so that the plug-in reads nothing beyond `data`.
#[derive(Clone, Copy)]
pub(crate) struct Array<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) element_type: PJRT_Buffer_Type,
    pub(crate) dims: &'a [i64],
    pub(crate) strides: Option<&'a [i64]>,
    /// The order of its axes on the device, the fastest first; none is the plug-in's own.
    pub(crate) order: Option<&'a [i64]>,
}

/// A buffer of a copy that is made before the call returns.
pub(crate) fn from_slice(
    client: &Handle<PJRT_Client>,
    array: Array<'_>,
    place: RawPlace<'_>,
) -> Result<Owned<PJRT_Buffer>, Error> {
    let semantics = PJRT_HostBufferSemantics::kImmutableOnlyDuringCall;
    // SAFETY: the plug-in reads the data only during the call.
    let (buffer, done) = unsafe { from_memory(client, array, place, semantics) }?;
    drop(done);
    Ok(buffer)
}

/// A buffer of data that the plug-in reads later, or for as long as the buffer lives; `owner` is kept
/// until it has said that it is done.
pub(crate) fn from_owner<T: AsRef<[u8]> + Send + 'static>(
    client: &Handle<PJRT_Client>,
    owner: T,
    (element_type, dims): (PJRT_Buffer_Type, &[i64]),
    place: RawPlace<'_>,
    semantics: PJRT_HostBufferSemantics,
) -> Result<Owned<PJRT_Buffer>, Error> {
    let owner = Box::new(owner);
    let data = (*owner).as_ref();
    let wanted = host_bytes(element_type, dims, None)?;
    if data.len() < wanted {
        return Err(Error::TooShort { wanted, given: data.len() });
    }
    let array = Array { data, element_type, dims, strides: None, order: None };
    // SAFETY: the owner, which does not move, stays until the event has happened.
    let made = unsafe { from_memory(client, array, place, semantics) };
    match made {
        Ok((buffer, Some(done))) => {
            event::when_ready(&done, Box::new(move |_| drop(owner)));
            Ok(buffer)
        }
        // Without an event nobody knows when the plug-in is done with the data.
        Ok((buffer, None)) => {
            std::mem::forget(owner);
            Ok(buffer)
        }
        Err(error) => Err(error),
    }
}

/// # Safety
/// The data stay as they are for as long as the semantics say.
unsafe fn from_memory(
    client: &Handle<PJRT_Client>,
    array: Array<'_>,
    place: RawPlace<'_>,
    semantics: PJRT_HostBufferSemantics,
) -> Result<(Owned<PJRT_Buffer>, Option<Owned<PJRT_Event>>), Error> {
    let api = client.api();
    if array.order.is_some_and(|order| !names_every_axis_once(order, array.dims.len())) {
        return Err(Error::NotAShape("a layout that does not name every axis once"));
    }
    let mut layout = array.order.map(|order| Dense::in_order(api, order.to_vec()));
    let mut arguments = api.record::<PJRT_Client_BufferFromHostBuffer_Args>();
    arguments.client = client.raw();
    arguments.data = array.data.as_ptr().cast();
    arguments.r#type = array.element_type;
    arguments.dims = array.dims.as_ptr();
    arguments.num_dims = array.dims.len();
    if let Some(strides) = array.strides {
        arguments.byte_strides = strides.as_ptr();
        arguments.num_byte_strides = strides.len();
    }
    if let Some(layout) = &mut layout {
        arguments.device_layout = layout.as_mut_ptr();
    }
    arguments.host_buffer_semantics = semantics;
    match place {
        RawPlace::Device(device) => {
            Error::same_client(client, device)?;
            arguments.device = device.raw();
        }
        RawPlace::Memory(memory) => {
            Error::same_client(client, memory)?;
            arguments.memory = memory.raw();
        }
    }
    // SAFETY: all handles are alive and of one client, the data are as large as they must be, and the layout, which
    // names every axis, lives as long as the call.
    unsafe { api.call(&mut arguments) }?;
    let done = NonNull::new(arguments.done_with_host_buffer);
    // SAFETY: the event is the caller's to free.
    let done = done.map(|done| unsafe { Owned::new(done, client.keep().clone()) });
    let raw = read::some("PJRT_Client_BufferFromHostBuffer", arguments.buffer)?;
    // SAFETY: the buffer is the caller's to free.
    Ok((unsafe { Owned::new(raw, client.keep().clone()) }, done))
}

/// How many bytes the contents of a buffer take on the host.
pub(crate) fn host_size(buffer: &Handle<PJRT_Buffer>) -> Result<usize, Error> {
    let mut arguments = buffer.api().record::<PJRT_Buffer_ToHostBuffer_Args>();
    arguments.src = buffer.raw();
    // SAFETY: the buffer is alive; without a destination only the size is asked.
    unsafe { buffer.api().call(&mut arguments) }?;
    if let Some(event) = NonNull::new(arguments.event) {
        // SAFETY: an event that nobody asked for is the caller's to free all the same.
        drop(unsafe { Owned::new(event, buffer.keep().clone()) });
    }
    Ok(arguments.dst_size)
}

/// Memory of the host that is being written, which must not be freed before the event has happened.
pub(crate) struct Incoming {
    bytes: Vec<u8>,
    event: Owned<PJRT_Event>,
    turn: Option<Turn>,
}

impl Incoming {
    /// What is written until the event happens, which the plug-in knows of.
    pub(crate) fn new(bytes: Vec<u8>, event: Owned<PJRT_Event>) -> Self {
        Self { bytes, event, turn: None }
    }

    pub(crate) fn wait(self) -> Result<Vec<u8>, Error> {
        let Self { bytes, event, turn } = self;
        event::wait(&event).map(|()| turned(turn, bytes)).map_err(Into::into)
    }

    /// Has `then` called with the bytes.
    pub(crate) fn when_ready(self, then: impl FnOnce(Result<Vec<u8>, Error>) + Send + 'static) {
        let Self { bytes, event, turn } = self;
        event::when_ready(
            &event,
            Box::new(move |done| then(done.map(|()| turned(turn, bytes)).map_err(Into::into))),
        );
    }
}

fn turned(turn: Option<Turn>, bytes: Vec<u8>) -> Vec<u8> {
    match turn {
        Some(turn) => turn.turned(bytes),
        None => bytes,
    }
}

/// Begins to copy the contents of a buffer to the host, where they come in row-major order.
pub(crate) fn to_host(buffer: &Handle<PJRT_Buffer>) -> Result<Incoming, Error> {
    let function = "PJRT_Buffer_ToHostBuffer";
    let turn = Turn::from_buffer(buffer)?;
    let size = host_size(buffer)?;
    let mut bytes = zeroed(function, size)?;
    let mut arguments = buffer.api().record::<PJRT_Buffer_ToHostBuffer_Args>();
    arguments.src = buffer.raw();
    arguments.dst = bytes.as_mut_ptr().cast();
    arguments.dst_size = size;
    // SAFETY: the buffer is alive, and there is as much room as the plug-in asked for, which is not
    // freed before the event has happened.
    unsafe { buffer.api().call(&mut arguments) }?;
    Ok(Incoming { turn, ..incoming(function, bytes, arguments.event, buffer)? })
}

/// So many bytes from `offset` on, which the buffer has.
pub(crate) fn range_of(
    buffer: &Handle<PJRT_Buffer>,
    offset: usize,
    size: usize,
) -> Result<(i64, i64), Error> {
    let there = super::buffer::on_device_size(buffer)?;
    range_in(there, offset, size)
}

/// The same in something of this size.
pub(crate) fn range_in(there: usize, offset: usize, size: usize) -> Result<(i64, i64), Error> {
    let outside = Error::Range { offset, size, there };
    if offset.checked_add(size).is_none_or(|end| end > there) {
        return Err(outside);
    }
    i64::try_from(offset).ok().zip(i64::try_from(size).ok()).ok_or(outside)
}

/// Begins to copy bytes of a buffer, as they lie on its device, to the host.
pub(crate) fn raw_to_host(
    buffer: &Handle<PJRT_Buffer>,
    offset: usize,
    size: usize,
) -> Result<Incoming, Error> {
    let function = "PJRT_Buffer_CopyRawToHost";
    let (from, count) = range_of(buffer, offset, size)?;
    let mut bytes = zeroed(function, size)?;
    let mut arguments = buffer.api().record::<PJRT_Buffer_CopyRawToHost_Args>();
    arguments.buffer = buffer.raw();
    arguments.dst = bytes.as_mut_ptr().cast::<c_void>();
    arguments.offset = from;
    arguments.transfer_size = count;
    // SAFETY: the buffer is alive and has these bytes, and the room for them is not freed before the
    // event has happened.
    unsafe { buffer.api().call(&mut arguments) }?;
    incoming(function, bytes, arguments.event, buffer)
}

fn incoming(
    function: &'static str,
    bytes: Vec<u8>,
    event: *mut PJRT_Event,
    buffer: &Handle<PJRT_Buffer>,
) -> Result<Incoming, Error> {
    let Some(event) = NonNull::new(event) else {
        // Nobody knows when the plug-in is done with the room.
        std::mem::forget(bytes);
        return Err(Error::Null { function });
    };
    // SAFETY: the event is the caller's to free.
    let event = unsafe { Owned::new(event, buffer.keep().clone()) };
    Ok(Incoming { bytes, event, turn: None })
}
