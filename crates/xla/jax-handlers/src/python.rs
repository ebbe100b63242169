//! Python in this process: the only unsafe code of this crate.
#![allow(unsafe_code, reason = "functions of libpython are called through C pointers")]

use std::path::Path;

use crate::HandlersError;

/// Where programs cannot take up an interpreter like this.
#[cfg(not(unix))]
pub(crate) fn run(library: &Path, _: &str) -> Result<(), HandlersError> {
    let what = "the library of an interpreter is loaded on Unix only".to_owned();
    Err(HandlersError::Library { library: library.to_owned(), what })
}

#[cfg(unix)]
pub(crate) use unix::run;

#[cfg(unix)]
mod unix {
    use std::ffi::{CString, c_char, c_int, c_void};

    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW, Symbol};

    use super::{HandlersError, Path};

    /// Starts Python and runs a program. Afterwards other threads may take Python's lock: handlers that are written in
    /// Python do.
    pub(crate) fn run(library: &Path, program: &str) -> Result<(), HandlersError> {
        let failed = |what: String| HandlersError::Library { library: library.to_owned(), what };
        let program = CString::new(program).map_err(|error| failed(error.to_string()))?;
        // SAFETY: the user named this interpreter to have its code run. Its symbols are for all, because the modules that
        // Python loads do not name the library that they need.
        let python = unsafe { Library::open(Some(library), RTLD_NOW | RTLD_GLOBAL) };
        let python = python.map_err(|error| failed(error.to_string()))?;
        let absent = |error: libloading::Error| failed(error.to_string());
        // SAFETY: these are functions of Python's stable ABI since 3.2, with these signatures.
        let (is_there, start, run, release) = unsafe {
            let is_there: Symbol<extern "C" fn() -> c_int> =
                python.get(b"Py_IsInitialized").map_err(absent)?;
            let start: Symbol<extern "C" fn(c_int)> =
                python.get(b"Py_InitializeEx").map_err(absent)?;
            let run: Symbol<unsafe extern "C" fn(*const c_char, *mut c_void) -> c_int> =
                python.get(b"PyRun_SimpleStringFlags").map_err(absent)?;
            let release: Symbol<extern "C" fn() -> *mut c_void> =
                python.get(b"PyEval_SaveThread").map_err(absent)?;
            (is_there, start, run, release)
        };
        if is_there() != 0 {
            return Err(failed("Python runs in this process already".to_owned()));
        }
        // Signals stay as they are.
        start(0);
        // SAFETY: the program ends with a zero, and none of the flags is set.
        let status = unsafe { run(program.as_ptr(), std::ptr::null_mut()) };
        release();
        // Its code runs until the process ends.
        std::mem::forget(python);
        match status {
            0 => Ok(()),
            _ => Err(HandlersError::Refused("the program for Python failed".to_owned())),
        }
    }
}
