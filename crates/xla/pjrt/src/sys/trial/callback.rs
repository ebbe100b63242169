//! Callbacks of an event, counted.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::host::{Buffer, Error};
use crate::sys::bindings::*;
use crate::sys::calls::{buffer, event};

/// Counts in the result how often the event of a buffer's being there calls back; waits for the event,
/// not for the call.
pub(crate) fn count_callbacks(of: &Buffer) -> Result<&'static AtomicU32, Error> {
    let event = buffer::ready_event(of.raw())?;
    let count: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(0)));
    let api = event.api();
    let mut arguments = api.record::<PJRT_Event_OnReady_Args>();
    arguments.event = event.raw();
    arguments.callback = Some(called_back);
    arguments.user_arg = ptr::from_ref(count).cast_mut().cast();
    // SAFETY: the event is alive; the counter is never freed, however late the callback comes.
    unsafe { api.call(&mut arguments) }?;
    event::wait(&event)?;
    Ok(count)
}

/// Counts. An error that comes with the call goes with the process.
unsafe extern "C" fn called_back(_: *mut PJRT_Error, count: *mut c_void) {
    // SAFETY: `count` is the counter that was passed, which is never freed.
    let count = unsafe { &*count.cast::<AtomicU32>() };
    count.fetch_add(1, Ordering::SeqCst);
}
