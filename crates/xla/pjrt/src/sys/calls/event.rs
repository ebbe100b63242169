//! Calls on events.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use super::{Handle, getters};
use crate::sys::bindings::*;
use crate::sys::{Api, CallError};

getters! { PJRT_Event, event:
    is_ready -> bool = PJRT_Event_IsReady_Args => |a| a.is_ready != 0;
    /// The error of an event that has happened. Only for events that are ready.
    error_of_ready -> () = PJRT_Event_Error_Args => |_a| ();
    /// Blocks until the event has happened; its error is the result.
    wait -> () = PJRT_Event_Await_Args => |_a| ();
}

/// What is called when an event has happened.
pub(crate) type WhenReady = Box<dyn FnOnce(Result<(), CallError>) + Send>;

struct Waiting {
    api: &'static Api,
    then: WhenReady,
}

/// Has `then` called once the event has happened: by a thread of the plug-in, or by this one before
/// the call returns. A panic of `then` ends there.
///
/// If the plug-in refuses, the wait is done here instead, so that `then` is called in every case.
pub(crate) fn when_ready(event: &Handle<PJRT_Event>, then: WhenReady) {
    let api = event.api();
    let waiting = Box::into_raw(Box::new(Waiting { api, then }));
    let mut arguments = api.record::<PJRT_Event_OnReady_Args>();
    arguments.event = event.raw();
    arguments.callback = Some(on_ready);
    arguments.user_arg = waiting.cast();
    // SAFETY: the event is alive; the callback takes the box over.
    let refused = unsafe { api.call(&mut arguments) };
    if refused.is_err() {
        // SAFETY: a plug-in that refuses does not call back.
        let waiting = unsafe { Box::from_raw(waiting) };
        let result = wait(event);
        call(waiting.then, result);
    }
}

unsafe extern "C" fn on_ready(error: *mut PJRT_Error, waiting: *mut c_void) {
    let Some(waiting) = NonNull::new(waiting.cast::<Waiting>()) else { return };
    // SAFETY: this is the box of `when_ready`, and the callback is called once.
    let waiting = unsafe { Box::from_raw(waiting.as_ptr()) };
    let result = match NonNull::new(error) {
        None => Ok(()),
        // SAFETY: the error is the host's to free.
        Some(error) => Err(unsafe { waiting.api.take_error("PJRT_Event_OnReady", error) }),
    };
    call(waiting.then, result);
}

fn call(then: WhenReady, result: Result<(), CallError>) {
    let ended: Result<(), Box<dyn Any + Send>> =
        catch_unwind(AssertUnwindSafe(move || then(result)));
    if let Err(panic) = ended {
        // Dropping what was thrown may throw again.
        std::mem::forget(panic);
    }
}
