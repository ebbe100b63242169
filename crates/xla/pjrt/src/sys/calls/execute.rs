//! Running a loaded executable.

use std::ffi::CStr;
use std::ptr::NonNull;

use super::streams::Callbacks;
use super::{Handle, Owned, event};
use crate::host::Error;
use crate::sys::bindings::*;
use crate::sys::{Api, PaddedStruct};

/// What one execution is told, checked against what the plug-in knows.
#[derive(Clone, Copy, Default)]
pub(crate) struct ExecuteCall<'a> {
    pub(crate) launch_id: i32,
    pub(crate) non_donatable: &'a [i64],
    pub(crate) call_location: Option<&'a CStr>,
    pub(crate) context: Option<&'a Handle<PJRT_ExecuteContext>>,
    pub(crate) callbacks: Option<&'a Callbacks>,
}

impl ExecuteCall<'_> {
    fn record(&self, api: &Api) -> Result<PJRT_ExecuteOptions, Error> {
        let mut options = api.record::<PJRT_ExecuteOptions>();
        options.launch_id = self.launch_id;
        if !self.non_donatable.is_empty() {
            Error::known::<PJRT_ExecuteOptions>(api, "non_donatable_input_indices")?;
            options.non_donatable_input_indices = self.non_donatable.as_ptr();
            options.num_non_donatable_input_indices = self.non_donatable.len();
        }
        if let Some(location) = self.call_location
            && Error::known::<PJRT_ExecuteOptions>(api, "call_location").is_ok()
        {
            options.call_location = location.as_ptr().cast();
        }
        if let Some(context) = self.context {
            Error::known::<PJRT_ExecuteOptions>(api, "context")?;
            if !std::ptr::eq(api, context.api()) {
                return Err(Error::OtherClient);
            }
            options.context = context.raw();
        }
        if let Some(callbacks) = self.callbacks {
            callbacks.register(&mut options);
        }
        Ok(options)
    }
}

/// The lists that an execution needs; kept between executions so that none is allocated twice.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    arguments: Vec<*mut PJRT_Buffer>,
    argument_lists: Vec<*const *mut PJRT_Buffer>,
    outputs: Vec<*mut PJRT_Buffer>,
    output_lists: Vec<*mut *mut PJRT_Buffer>,
    events: Vec<*mut PJRT_Event>,
}

// SAFETY: between two calls no address in the lists is used.
unsafe impl Send for Lists {}
// SAFETY: they are used through `&mut` only.
unsafe impl Sync for Lists {}

/// How many devices an execution runs on, and what each takes and yields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) devices: usize,
    pub(crate) arguments: usize,
    pub(crate) outputs: usize,
    pub(crate) with_events: bool,
}

impl Lists {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.arguments.clear();
    }

    /// Adds the next argument, device by device.
    #[inline]
    pub(crate) fn argument(
        &mut self,
        loaded: &Handle<PJRT_LoadedExecutable>,
        buffer: &Handle<PJRT_Buffer>,
    ) -> Result<(), Error> {
        Error::same_client(loaded, buffer)?;
        self.arguments.push(buffer.raw());
        Ok(())
    }

    fn lay_out(&mut self, shape: Shape) {
        self.argument_lists.clear();
        self.output_lists.clear();
        self.outputs.clear();
        self.outputs.resize(shape.devices.saturating_mul(shape.outputs), std::ptr::null_mut());
        self.events.clear();
        self.events.resize(shape.devices, std::ptr::null_mut());
        let (arguments, outputs) = (self.arguments.as_ptr(), self.outputs.as_mut_ptr());
        for device in 0..shape.devices {
            // The lists lie one after another, with as many elements as were counted.
            self.argument_lists.push(arguments.wrapping_add(device * shape.arguments));
            self.output_lists.push(outputs.wrapping_add(device * shape.outputs));
        }
    }
}

/// Runs the executable. The lists then hold its results, to be taken by [`take_outputs`] and
/// [`take_events`].
pub(crate) fn execute(
    loaded: &Handle<PJRT_LoadedExecutable>,
    told: ExecuteCall<'_>,
    device: Option<&Handle<PJRT_Device>>,
    shape: Shape,
    lists: &mut Lists,
) -> Result<(), Error> {
    let api = loaded.api();
    if lists.arguments.len() != shape.devices.saturating_mul(shape.arguments) {
        return Err(Error::Uneven);
    }
    lists.lay_out(shape);
    let mut options = told.record(api)?;
    let mut arguments = api.record::<PJRT_LoadedExecutable_Execute_Args>();
    arguments.executable = loaded.raw();
    arguments.argument_lists = lists.argument_lists.as_ptr();
    arguments.num_devices = shape.devices;
    arguments.num_args = shape.arguments;
    arguments.output_lists = lists.output_lists.as_ptr();
    if shape.with_events {
        arguments.device_complete_events = lists.events.as_mut_ptr();
    }
    if let Some(device) = device {
        Error::same_client(loaded, device)?;
        arguments.execute_device = device.raw();
    }
    arguments.options = &raw mut options;
    let size = api.wanted_size::<PJRT_ExecuteOptions>();
    if size <= size_of::<PJRT_ExecuteOptions>() {
        // SAFETY: all handles are alive and of one client, and the lists are as long as they say.
        let done = unsafe { api.call(&mut arguments) };
        if done.is_ok() || api.wanted_size::<PJRT_ExecuteOptions>() == size {
            return done.map_err(Into::into);
        }
    }
    // The plug-in has said that its options have another size.
    let mut padded = PaddedStruct::new(options, api.wanted_size::<PJRT_ExecuteOptions>());
    arguments.options = padded.as_mut_ptr();
    // SAFETY: as above; a plug-in checks sizes before it does anything.
    unsafe { api.call(&mut arguments) }.map_err(Into::into)
}

/// Takes the results out of the lists, device by device.
#[inline]
pub(crate) fn take_outputs(
    loaded: &Handle<PJRT_LoadedExecutable>,
    lists: &mut Lists,
    mut take: impl FnMut(Owned<PJRT_Buffer>),
) -> Result<(), Error> {
    let mut missing = false;
    for raw in lists.outputs.drain(..) {
        match NonNull::new(raw) {
            // SAFETY: a result is the caller's to free.
            Some(raw) => take(unsafe { Owned::new(raw, loaded.keep().clone()) }),
            None => missing = true,
        }
    }
    if missing { Err(Error::Null { function: "PJRT_LoadedExecutable_Execute" }) } else { Ok(()) }
}

/// Keeps something until all devices are done: for ever, if one of them cannot say when.
pub(crate) fn keep_until<T: Clone + Send + 'static>(
    events: &[Owned<PJRT_Event>],
    devices: usize,
    what: T,
) {
    if events.len() < devices {
        std::mem::forget(what.clone());
    }
    for event in events {
        let what = what.clone();
        event::when_ready(event, Box::new(move |_| drop(what)));
    }
}

pub(crate) fn take_events(
    loaded: &Handle<PJRT_LoadedExecutable>,
    lists: &mut Lists,
) -> Vec<Owned<PJRT_Event>> {
    let events = lists.events.drain(..).filter_map(NonNull::new);
    // SAFETY: an event that was asked for is the caller's to free.
    events.map(|raw| unsafe { Owned::new(raw, loaded.keep().clone()) }).collect()
}
