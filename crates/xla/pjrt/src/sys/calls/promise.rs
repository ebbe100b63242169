//! Promises to a plug-in, made now and told later: each promise is kept or broken once, at the latest
//! when it is dropped.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

use super::dense::Dense;
use super::host_data::Incoming;
use super::read::{self, room};
use super::{Handle, Keep, Owned, host_data};
use crate::host::{Error, HostFailure};
use crate::sys::bindings::*;
use crate::sys::{Api, CallError};

/// What is told: all went well, or the failure.
type PromiseResult<'a> = Result<(), HostFailure<'a>>;

fn told<'a>(outcome: &PromiseResult<'a>) -> (PJRT_Error_Code, &'a str) {
    match outcome {
        Ok(()) => (PJRT_Error_Code::OK, ""),
        Err(failure) => (failure.code, failure.message),
    }
}

#[derive(Debug)]
pub(crate) struct HostEvent {
    event: Owned<PJRT_Event>,
    set: AtomicBool,
}

impl HostEvent {
    pub(crate) fn new(api: &'static Api) -> Result<Self, Error> {
        for function in [Function::PJRT_Event_Create, Function::PJRT_Event_Set] {
            if !api.has(function) {
                return Err(api.unimplemented(function).into());
            }
        }
        let mut arguments = api.record::<PJRT_Event_Create_Args>();
        // SAFETY: it has no inputs.
        unsafe { api.call(&mut arguments) }?;
        let raw = read::some("PJRT_Event_Create", arguments.event)?;
        // SAFETY: the event is the caller's to free.
        let event = unsafe { Owned::new(raw, Keep::Plugin(api)) };
        Ok(Self { event, set: AtomicBool::new(false) })
    }

    pub(crate) fn raw(&self) -> &Handle<PJRT_Event> {
        &self.event
    }

    pub(crate) fn set(&self, outcome: PromiseResult<'_>) -> Result<(), Error> {
        if self.set.swap(true, Ordering::AcqRel) {
            return Err(Error::Taken);
        }
        let mut arguments = self.event.api().record::<PJRT_Event_Set_Args>();
        arguments.event = self.event.raw();
        let (code, message) = told(&outcome);
        arguments.error_code = code;
        arguments.error_message = message.as_ptr();
        arguments.error_message_size = message.len();
        // SAFETY: the event is alive and not set yet; the text is there during the call.
        unsafe { self.event.api().call(&mut arguments) }.map_err(Into::into)
    }
}

impl Drop for HostEvent {
    fn drop(&mut self) {
        // Who waits must not wait for ever; there is nobody to tell of an error.
        let _ = self.set(Err(HostFailure::BROKEN));
    }
}

/// A buffer that is named later.
#[derive(Debug)]
pub(crate) struct Alias {
    client: Handle<PJRT_Client>,
    callback: Option<NonNull<PJRT_FulfillAliasBufferCallback>>,
}

// SAFETY: the interface says that its functions may be called from any thread, on any object.
unsafe impl Send for Alias {}
// SAFETY: it is used through `&mut` only.
unsafe impl Sync for Alias {}

/// A buffer that will stand for another.
pub(crate) fn alias(
    client: &Handle<PJRT_Client>,
    element_type: PJRT_Buffer_Type,
    dims: &[i64],
    memory: &Handle<PJRT_Memory>,
) -> Result<(Owned<PJRT_Buffer>, Alias), Error> {
    Error::same_client(client, memory)?;
    let api = client.api();
    if !api.has(Function::PJRT_Client_FulfillAliasBuffer) {
        return Err(api.unimplemented(Function::PJRT_Client_FulfillAliasBuffer).into());
    }
    let mut arguments = api.record::<PJRT_Client_CreateAliasBuffer_Args>();
    arguments.client = client.raw();
    arguments.memory = memory.raw();
    arguments.shape_dims = dims.as_ptr();
    arguments.shape_num_dims = dims.len();
    arguments.shape_element_type = element_type;
    let mut layout = Dense::new(api, dims);
    arguments.shape_layout = layout.as_mut_ptr();
    // SAFETY: client and memory are alive and belong together, the dimensions are there.
    unsafe { api.call(&mut arguments) }?;
    let function = "PJRT_Client_CreateAliasBuffer";
    let raw = read::some(function, arguments.alias_buffer)?;
    // SAFETY: the new buffer is the caller's to free.
    let buffer = unsafe { Owned::new(raw, client.keep().clone()) };
    let callback = Some(read::some(function, arguments.fulfill_alias_buffer_cb)?);
    Ok((buffer, Alias { client: client.clone(), callback }))
}

impl Alias {
    /// Says which buffer it is, whose shape the caller has compared, or why there is none.
    pub(crate) fn fulfill(
        &mut self,
        buffer: Result<&Handle<PJRT_Buffer>, HostFailure<'_>>,
    ) -> Result<(), Error> {
        if let Ok(buffer) = buffer {
            Error::same_client(&self.client, buffer)?;
        }
        let Some(callback) = self.callback.take() else { return Err(Error::Taken) };
        let mut arguments = self.client.api().record::<PJRT_Client_FulfillAliasBuffer_Args>();
        arguments.client = self.client.raw();
        arguments.fulfill_alias_buffer_cb = callback.as_ptr();
        let (code, message) = told(&buffer.map(|_| ()));
        arguments.buffer = buffer.map_or(std::ptr::null_mut(), Handle::raw);
        arguments.status_code = code;
        arguments.error_message = message.as_ptr();
        arguments.error_message_size = message.len();
        // SAFETY: client and buffer are alive and belong together; the callback is used once.
        match unsafe { self.client.api().call(&mut arguments) } {
            // Builds of XLA answer with the failure that they were told.
            Err(echo) if buffer.is_err() && echo.code() == code => Ok(()),
            done => done.map_err(Into::into),
        }
    }
}

impl Drop for Alias {
    fn drop(&mut self) {
        // Who waits for the buffer must not wait for ever.
        let _ = self.fulfill(Err(HostFailure::BROKEN));
    }
}

/// A function of the plug-in that is called once, with what the plug-in has handed out for it.
struct Callback<T> {
    function: unsafe extern "C" fn(*mut T),
    data: *mut c_void,
    keep: Keep,
}

// SAFETY: the interface says that its functions may be called from any thread.
unsafe impl<T> Send for Callback<T> {}
// SAFETY: it is used by whoever owns it.
unsafe impl<T> Sync for Callback<T> {}

/// Lets a donation go on, or fail.
pub(crate) struct Dependency(
    Option<Callback<PJRT_Buffer_DonateWithControlDependency_Callback_Args>>,
);

/// Donates a buffer to another, which is ready once the dependency is met.
pub(crate) fn donate(
    buffer: &Handle<PJRT_Buffer>,
) -> Result<(Owned<PJRT_Buffer>, Dependency), Error> {
    let function = "PJRT_Buffer_DonateWithControlDependency";
    let keep = buffer.keep().clone();
    let mut arguments = buffer.api().record::<PJRT_Buffer_DonateWithControlDependency_Args>();
    arguments.buffer = buffer.raw();
    // SAFETY: the buffer is alive.
    unsafe { buffer.api().call(&mut arguments) }?;
    let data = arguments.callback_data;
    let call = arguments.dependency_ready_callback.ok_or(Error::Null { function })?;
    let dependency = Dependency(Some(Callback { function: call, data, keep: keep.clone() }));
    let raw = read::some(function, arguments.out_buffer)?;
    // SAFETY: the new buffer is the caller's to free.
    Ok((unsafe { Owned::new(raw, keep) }, dependency))
}

impl Dependency {
    /// Says whether the dependency is met.
    pub(crate) fn meet(&mut self, outcome: PromiseResult<'_>) {
        let Some(Callback { function, data, keep }) = self.0.take() else { return };
        type Arguments = PJRT_Buffer_DonateWithControlDependency_Callback_Args;
        let mut arguments = keep.api().record::<Arguments>();
        arguments.callback_data = data;
        let (code, message) = told(&outcome);
        arguments.error_code = code;
        arguments.error_message = message.as_ptr();
        arguments.error_message_size = message.len();
        // SAFETY: the plug-in's own function, called once; the text is there during the call.
        unsafe { function(&raw mut arguments) };
    }
}

impl Drop for Dependency {
    fn drop(&mut self) {
        self.meet(Err(HostFailure::BROKEN));
    }
}

/// A raw copy to the host whose room is given later.
pub(crate) struct RawCopy {
    callback: Option<Callback<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>>,
    event: Option<Owned<PJRT_Event>>,
    size: usize,
}

/// Announces a raw copy.
pub(crate) fn raw_copy(
    buffer: &Handle<PJRT_Buffer>,
    offset: usize,
    size: usize,
) -> Result<RawCopy, Error> {
    let function = "PJRT_Buffer_CopyRawToHostFuture";
    let (from, count) = host_data::range_of(buffer, offset, size)?;
    let keep = buffer.keep().clone();
    let mut arguments = buffer.api().record::<PJRT_Buffer_CopyRawToHostFuture_Args>();
    arguments.buffer = buffer.raw();
    arguments.offset = from;
    arguments.transfer_size = count;
    // SAFETY: the buffer is alive and has these bytes.
    unsafe { buffer.api().call(&mut arguments) }?;
    let event = read::some(function, arguments.event)?;
    // SAFETY: the event is the caller's to free.
    let event = Some(unsafe { Owned::new(event, keep.clone()) });
    let data = arguments.callback_data;
    let call = arguments.future_ready_callback.ok_or(Error::Null { function })?;
    Ok(RawCopy { callback: Some(Callback { function: call, data, keep }), event, size })
}

impl RawCopy {
    /// Gives it room now.
    pub(crate) fn begin(mut self) -> Result<Incoming, Error> {
        let mut bytes = room("PJRT_Buffer_CopyRawToHostFuture", self.size)?;
        bytes.resize(self.size, 0);
        self.call(Ok(bytes.as_mut_ptr().cast()));
        let event = self.event.take().ok_or(Error::Taken)?;
        Ok(Incoming::new(bytes, event))
    }

    /// Says that there will be no room.
    pub(crate) fn fail(mut self, failure: HostFailure<'_>) {
        self.call(Err(failure));
    }

    fn call(&mut self, room: Result<*mut c_void, HostFailure<'_>>) {
        let Some(Callback { function, data, keep }) = self.callback.take() else { return };
        let mut arguments = keep.api().record::<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
        arguments.callback_data = data;
        let (code, message) = told(&room.map(|_| ()));
        arguments.error_code = code;
        arguments.error_message = message.as_ptr();
        arguments.error_message_size = message.len();
        arguments.dst = room.unwrap_or(std::ptr::null_mut());
        // SAFETY: the plug-in's own function, called once; the room is as large as was announced, and
        // is not freed before the event has happened.
        unsafe { function(&raw mut arguments) };
    }
}

impl Drop for RawCopy {
    fn drop(&mut self) {
        self.call(Err(HostFailure::BROKEN));
    }
}

/// A mark that an operation is under way on a device.
pub(crate) fn tracking(
    device: &Handle<PJRT_Device>,
    description: &str,
) -> Result<Option<Owned<PJRT_AsyncTrackingEvent>>, CallError> {
    let mut arguments = device.api().record::<PJRT_Device_CreateAsyncTrackingEvent_Args>();
    arguments.device = device.raw();
    arguments.description = description.as_ptr();
    arguments.description_size = description.len();
    // SAFETY: the device is alive, the text is there during the call.
    unsafe { device.api().call(&mut arguments) }?;
    let raw = NonNull::new(arguments.event);
    // SAFETY: the mark is the caller's to free.
    Ok(raw.map(|raw| unsafe { Owned::new(raw, device.keep().clone()) }))
}
