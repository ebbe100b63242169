//! Events.

use std::ffi::c_void;
use std::ptr::null_mut;

use unskew_pjrt::sys::bindings::*;

use super::{object, release, serve};
use crate::event::Happening;
use crate::ffi::error_object::ErrorObject;
use crate::ffi::handle_objects::Shared;

serve!(PJRT_Event_Destroy_Args to event, |a, _| {
    release::<Happening, _>(a.event);
});
serve!(PJRT_Event_IsReady_Args to is_ready, |a, _| {
    a.is_ready = u8::from(object::<Happening, _>(a.event)?.result().is_some());
});
serve!(PJRT_Event_Error_Args to event, |a, _| {
    object::<Happening, _>(a.event)?.result().unwrap_or(Ok(()))?;
});
serve!(PJRT_Event_Await_Args to event, |a, _| {
    object::<Happening, _>(a.event)?.wait()?;
});
serve!(PJRT_Event_OnReady_Args to user_arg, |a, _| {
    let event = object::<Happening, _>(a.event)?;
    let told = a.callback.map(|callback| (callback, Shared(a.user_arg)));
    event.then(Box::new(move |result| {
        let Some((callback, user)) = told else { return };
        let user: Shared<*mut c_void> = user;
        let error = result.map_or_else(ErrorObject::leak, |()| null_mut());
        callback(error, user.0);
    }));
});
