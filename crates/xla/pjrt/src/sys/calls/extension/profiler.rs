//! The extension Profiler: a table of its own behind the first slot, with errors of its own.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::NonNull;

use unskew_abi::ForeignStruct;

use crate::host::Error;
use crate::sys::bindings::*;
use crate::sys::calls::read::{self, bytes, room};
use crate::sys::{Api, CallError, Record, error};

type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PLUGIN_Profiler_Error;
type Infallible = unsafe extern "C" fn(*mut c_void);

/// The first minor that has the extension.
const SINCE: i32 = 41;

/// The table of the profiler of a plug-in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    api: &'static Api,
    address: NonNull<c_void>,
    size: usize,
}

// SAFETY: the table is constant, and its functions may be called from any thread.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// The table, if the plug-in has the extension, the extension says that it is so long, and the size
/// of the table can be true.
pub(crate) fn table(api: &'static Api) -> Option<Table> {
    let address = api.extension("Profiler")?.slot(0)?;
    if !address.cast::<usize>().is_aligned() {
        return None;
    }
    let least = offset_of!(PLUGIN_Profiler_Api, error_destroy);
    // SAFETY: the plug-in says that the table of a profiler is there; sizes that cannot be true are
    // refused.
    let head = unsafe { ForeignStruct::announced(address, least) }.ok()?;
    Some(Table { api, address, size: head.size() })
}

impl Table {
    /// The function in this slot: there if the table reaches so far and the slot is not null.
    fn slot(&self, offset: usize) -> Option<*mut c_void> {
        // SAFETY: the table says that it has so many bytes; the plug-in stays loaded.
        let table = unsafe { ForeignStruct::sized(self.address, self.size) };
        table.pointer(offset).and_then(NonNull::new).map(NonNull::as_ptr)
    }

    /// # Safety
    /// The arguments are those of the function in the slot: handles are alive, pointers and lengths
    /// are true during the call.
    unsafe fn call<T: Record>(
        &self,
        (function, offset): (&'static str, usize),
        arguments: &mut T,
    ) -> Result<(), CallError> {
        let Some(address) = self.slot(offset) else {
            let plugin = self.api.version();
            return Err(CallError::Unimplemented { function, since: SINCE, plugin });
        };
        // SAFETY: the caller says that the slot is one of a function that returns an error or null.
        let call = unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) };
        // SAFETY: the caller says that the arguments are right.
        match NonNull::new(unsafe { call((&raw mut *arguments).cast()) }) {
            None => Ok(()),
            // SAFETY: the plug-in has just returned it.
            Some(error) => Err(unsafe { self.take_error(function, error) }),
        }
    }

    /// Calls one of the two functions that return nothing, if it is there.
    ///
    /// # Safety
    /// As [`Table::call`].
    unsafe fn call_void<T: Record>(&self, offset: usize, arguments: &mut T) {
        let Some(address) = self.slot(offset) else { return };
        // SAFETY: the caller says that the slot is one of a function that returns nothing.
        let call = unsafe { std::mem::transmute::<*mut c_void, Infallible>(address) };
        // SAFETY: the caller says that the arguments are right.
        unsafe { call((&raw mut *arguments).cast()) };
    }

    /// Reads an error of the profiler, and frees it.
    ///
    /// # Safety
    /// The profiler returned it, and nobody uses it afterwards.
    unsafe fn take_error(
        &self,
        function: &'static str,
        error: NonNull<PLUGIN_Profiler_Error>,
    ) -> CallError {
        let error = error.as_ptr();
        let mut ask = self.api.record::<PLUGIN_Profiler_Error_Message_Args>();
        ask.error = error;
        // SAFETY: the error is alive.
        unsafe { self.call_void(offset_of!(PLUGIN_Profiler_Api, error_message), &mut ask) };
        // SAFETY: the text is there as long as the error.
        let message = unsafe { error::text(ask.message.cast(), ask.message_size) };
        let code = self.code_of(error);
        let mut destroy = self.api.record::<PLUGIN_Profiler_Error_Destroy_Args>();
        destroy.error = error;
        // SAFETY: nobody uses the error afterwards.
        unsafe { self.call_void(offset_of!(PLUGIN_Profiler_Api, error_destroy), &mut destroy) };
        CallError::Plugin { function, code, message, payloads: Vec::new() }
    }

    fn code_of(&self, error: *const PLUGIN_Profiler_Error) -> PJRT_Error_Code {
        let offset = offset_of!(PLUGIN_Profiler_Api, error_get_code);
        let Some(address) = self.slot(offset) else { return PJRT_Error_Code::UNKNOWN };
        // SAFETY: the slot is one of a function that returns an error or null.
        let call = unsafe { std::mem::transmute::<*mut c_void, Fallible>(address) };
        let mut ask = self.api.record::<PLUGIN_Profiler_Error_GetCode_Args>();
        ask.error = error;
        // SAFETY: the error is alive.
        let Some(failed) = NonNull::new(unsafe { call((&raw mut ask).cast()) }) else {
            return PJRT_Error_Code(ask.code);
        };
        let mut destroy = self.api.record::<PLUGIN_Profiler_Error_Destroy_Args>();
        destroy.error = failed.as_ptr();
        // SAFETY: an error about an error is dropped unread.
        unsafe { self.call_void(offset_of!(PLUGIN_Profiler_Api, error_destroy), &mut destroy) };
        PJRT_Error_Code::UNKNOWN
    }

    /// Makes a profiler with a serialized `ProfileOptions`.
    pub(crate) fn create(&self, options: &[u8]) -> Result<Profile, Error> {
        let mut arguments = self.api.record::<PLUGIN_Profiler_Create_Args>();
        arguments.options = options.as_ptr();
        arguments.options_size = options.len();
        let slot = ("PLUGIN_Profiler_Create", offset_of!(PLUGIN_Profiler_Api, create));
        // SAFETY: the options are there during the call.
        unsafe { self.call(slot, &mut arguments) }?;
        Ok(Profile { table: *self, raw: read::some(slot.0, arguments.profiler)? })
    }
}

/// A profiler of the plug-in.
#[derive(Debug)]
pub(crate) struct Profile {
    table: Table,
    raw: NonNull<PLUGIN_Profiler>,
}

// SAFETY: it is bound to no thread; everything that changes it takes it exclusively.
unsafe impl Send for Profile {}

impl Drop for Profile {
    fn drop(&mut self) {
        let mut arguments = self.table.api.record::<PLUGIN_Profiler_Destroy_Args>();
        arguments.profiler = self.raw.as_ptr();
        let slot = ("PLUGIN_Profiler_Destroy", offset_of!(PLUGIN_Profiler_Api, destroy));
        // SAFETY: the profiler is ours, and nobody can use it afterwards.
        let _ = unsafe { self.table.call(slot, &mut arguments) };
    }
}

impl Profile {
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        let mut arguments = self.table.api.record::<PLUGIN_Profiler_Start_Args>();
        arguments.profiler = self.raw.as_ptr();
        let slot = ("PLUGIN_Profiler_Start", offset_of!(PLUGIN_Profiler_Api, start));
        // SAFETY: the profiler is alive.
        unsafe { self.table.call(slot, &mut arguments) }.map_err(Into::into)
    }

    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        let mut arguments = self.table.api.record::<PLUGIN_Profiler_Stop_Args>();
        arguments.profiler = self.raw.as_ptr();
        let slot = ("PLUGIN_Profiler_Stop", offset_of!(PLUGIN_Profiler_Api, stop));
        // SAFETY: the profiler is alive.
        unsafe { self.table.call(slot, &mut arguments) }.map_err(Into::into)
    }

    /// Asks how many bytes there are, and then for the bytes. A plug-in that names a place of its own
    /// in the first answer is not asked twice.
    pub(crate) fn collect(&mut self) -> Result<Vec<u8>, Error> {
        let slot = ("PLUGIN_Profiler_CollectData", offset_of!(PLUGIN_Profiler_Api, collect_data));
        let mut arguments = self.table.api.record::<PLUGIN_Profiler_CollectData_Args>();
        arguments.profiler = self.raw.as_ptr();
        // SAFETY: the profiler is alive; without a place for them nothing is written.
        unsafe { self.table.call(slot, &mut arguments) }?;
        let count = arguments.buffer_size_in_bytes;
        if !arguments.buffer.is_null() {
            // SAFETY: the plug-in says that so many bytes are there until the profiler is freed.
            return unsafe { bytes(slot.0, arguments.buffer, count) };
        }
        let mut collected = room(slot.0, count)?;
        if count == 0 {
            return Ok(collected);
        }
        collected.resize(count, 0);
        arguments.buffer = collected.as_mut_ptr();
        // SAFETY: there is as much room as the plug-in has said; nothing was recorded since, because
        // the profiler is borrowed exclusively.
        unsafe { self.table.call(slot, &mut arguments) }?;
        collected.truncate(arguments.buffer_size_in_bytes);
        Ok(collected)
    }
}
