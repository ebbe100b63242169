//! Plug-ins that are made for a test: the table of a real one, with other functions, another version,
//! other extensions.
#![allow(unsafe_code, reason = "tables are foreign memory, and a test may fail")]

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use unskew_pjrt::layout::slots;
use unskew_pjrt::sys::TableError;
use unskew_pjrt::sys::bindings::*;
use unskew_pjrt::{ErrorCode, Plugin};

/// A copy of a table.
pub struct Table {
    words: Vec<u64>,
    minor: i32,
}

impl Table {
    /// The table of a plug-in.
    pub fn of(plugin: Plugin) -> Self {
        let count = plugin.api().announced_size() / 8;
        let start = plugin.api().address().cast::<u64>();
        // SAFETY: the table has the size that it announces, and is made of words.
        let words = unsafe { std::slice::from_raw_parts(start.as_ptr(), count) }.to_vec();
        Self { words, minor: plugin.api().minor() }
    }

    pub fn version(mut self, major: u32, minor: u32) -> Self {
        self.words[4] = u64::from(major) | u64::from(minor) << 32;
        self
    }

    pub fn size(mut self, size: u64) -> Self {
        self.words[0] = size;
        self
    }

    /// With another function, or none.
    pub fn function(mut self, function: Function, address: *const c_void) -> Self {
        let slot = &slots()[function as usize];
        let at = slot.offset_in(self.minor, self.words.len() * 8);
        self.words[at / 8] = address.expose_provenance() as u64;
        self
    }

    /// With another chain of extensions.
    pub fn extensions(mut self, first: *const c_void) -> Self {
        self.words[1] = first.expose_provenance() as u64;
        self
    }

    pub fn first_extension(&self) -> u64 {
        self.words[1]
    }

    /// The table as a plug-in.
    pub fn load(self) -> Result<Plugin, TableError> {
        let table = Box::leak(self.words.into_boxed_slice());
        let table = NonNull::from(table).cast::<c_void>();
        // SAFETY: the table is one, and stays until the process ends.
        unsafe { Plugin::from_table(table) }.map(Result::unwrap)
    }
}

/// The addresses of the errors of tests that are alive: one at a time in a test, but tests run beside each other.
static ERRORS: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

struct Text(ErrorCode, String);

/// The functions of the real plug-in for its errors: that of all tests, the newest of the corpus.
static REAL: [AtomicPtr<c_void>; 3] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 3];

const OF_ERRORS: [Function; 3] =
    [Function::PJRT_Error_Destroy, Function::PJRT_Error_Message, Function::PJRT_Error_GetCode];

impl Table {
    /// With errors that [`error`] makes, besides those of the plug-in.
    pub fn errors(self, plugin: Plugin) -> Self {
        for (real, function) in REAL.iter().zip(OF_ERRORS) {
            real.store(plugin.api().function(function).unwrap(), Ordering::SeqCst);
        }
        self.function(OF_ERRORS[0], destroy as *const c_void)
            .function(OF_ERRORS[1], message as *const c_void)
            .function(OF_ERRORS[2], code as *const c_void)
            .function(Function::PJRT_Error_ForEachPayload, std::ptr::null())
    }
}

pub fn error(code: ErrorCode, text: String) -> *mut PJRT_Error {
    let made = Box::into_raw(Box::new(Text(code, text)));
    ERRORS.lock().unwrap().insert(made.addr());
    made.cast()
}

fn mine(error: *const PJRT_Error) -> bool {
    ERRORS.lock().unwrap().contains(&error.addr())
}

unsafe fn real<T>(at: usize, arguments: *mut T) -> *mut PJRT_Error {
    type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;
    // SAFETY: a function of the real plug-in, and its arguments.
    unsafe {
        let function = REAL[at].load(Ordering::SeqCst);
        std::mem::transmute::<*mut c_void, Fallible>(function)(arguments.cast())
    }
}

unsafe extern "C" fn destroy(arguments: *mut PJRT_Error_Destroy_Args) {
    // SAFETY: the arguments of a host.
    unsafe {
        if mine((*arguments).error) {
            ERRORS.lock().unwrap().remove(&(*arguments).error.addr());
            drop(Box::from_raw((*arguments).error.cast::<Text>()));
        } else {
            real(0, arguments);
        }
    }
}

unsafe extern "C" fn message(arguments: *mut PJRT_Error_Message_Args) {
    // SAFETY: the arguments of a host.
    unsafe {
        if mine((*arguments).error) {
            let Text(_, text) = &*(*arguments).error.cast::<Text>();
            (*arguments).message = text.as_ptr();
            (*arguments).message_size = text.len();
        } else {
            real(1, arguments);
        }
    }
}

unsafe extern "C" fn code(arguments: *mut PJRT_Error_GetCode_Args) -> *mut PJRT_Error {
    // SAFETY: the arguments of a host.
    unsafe {
        if !mine((*arguments).error) {
            return real(2, arguments);
        }
        (*arguments).code = (*(*arguments).error.cast::<Text>()).0;
        std::ptr::null_mut()
    }
}
