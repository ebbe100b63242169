//! Plug-ins in this process: each table is read once, and initialized once.

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Mutex, OnceLock, PoisonError};

use unskew_abi::Library;

use super::named;
use crate::Attribute;
use crate::sys::bindings::*;
use crate::sys::{Api, CallError, TableError};

type GetPjrtApi = unsafe extern "C" fn() -> *const c_void;

/// A plug-in of this process, which stays until the process ends.
#[derive(Debug)]
pub(crate) struct Resident {
    pub(crate) api: Api,
    initialized: OnceLock<Result<(), CallError>>,
}

impl Resident {
    /// The plug-in with this table; the same for every call with the same table.
    ///
    /// # Safety
    /// As [`Api::from_table`]; and the table stays as it is until the process ends.
    pub(crate) unsafe fn of_table(table: NonNull<c_void>) -> Result<&'static Self, TableError> {
        static RESIDENTS: Mutex<Option<HashMap<usize, &'static Resident>>> = Mutex::new(None);
        let mut residents = RESIDENTS.lock().unwrap_or_else(PoisonError::into_inner);
        let residents = residents.get_or_insert_default();
        let key = table.as_ptr().expose_provenance();
        if let Some(known) = residents.get(&key) {
            return Ok(known);
        }
        // SAFETY: the caller says so.
        let api = unsafe { Api::from_table(table) }?;
        let resident = Box::leak(Box::new(Self { api, initialized: OnceLock::new() }));
        residents.insert(key, resident);
        Ok(resident)
    }

    /// Loads the library and asks for its table.
    ///
    /// # Safety
    /// As [`Library::open`].
    pub(crate) unsafe fn open(
        path: &Path,
    ) -> Result<Result<&'static Self, TableError>, unskew_abi::LibraryError> {
        // SAFETY: the caller says so.
        let library = unsafe { Library::open(path) }?;
        let no_table = TableError::NoTable("it has no symbol GetPjrtApi");
        let Some(entry) = library.address("GetPjrtApi") else { return Ok(Err(no_table)) };
        // SAFETY: a function of this name has had this signature in every version of the interface.
        let entry = unsafe { std::mem::transmute::<*mut c_void, GetPjrtApi>(entry.as_ptr()) };
        // SAFETY: it takes nothing and may be called at any time.
        let table = unsafe { entry() }.cast_mut();
        let no_table = TableError::NoTable("its GetPjrtApi returned null");
        let Some(table) = NonNull::new(table) else { return Ok(Err(no_table)) };
        // SAFETY: the table is a static of the library, which is never unloaded.
        Ok(unsafe { Self::of_table(table) })
    }

    /// Calls `PJRT_Plugin_Initialize` if nobody has yet.
    pub(crate) fn initialize(&self) -> Result<(), CallError> {
        let initialize = || {
            let mut arguments = self.api.record::<PJRT_Plugin_Initialize_Args>();
            // SAFETY: it takes nothing, and is called once.
            match unsafe { self.api.call(&mut arguments) } {
                // What has no function for it needs no set-up.
                Err(CallError::Unimplemented { .. }) => Ok(()),
                done => done,
            }
        };
        self.initialized.get_or_init(initialize).clone()
    }

    /// What the plug-in says of itself.
    pub(crate) fn attributes(&self) -> Result<Vec<Attribute>, CallError> {
        let mut arguments = self.api.record::<PJRT_Plugin_Attributes_Args>();
        // SAFETY: it has no inputs; the record has room for the outputs even where the size that was
        // announced does not cover them.
        unsafe { self.api.call(&mut arguments) }?;
        // SAFETY: the plug-in says that so many attributes are there, for as long as it is loaded.
        Ok(unsafe { named::from_c(arguments.attributes, arguments.num_attributes) })
    }
}
