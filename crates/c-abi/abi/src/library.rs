//! Loading shared objects into this process.
#![allow(unsafe_code, reason = "loading a library runs its code")]

use std::ffi::c_void;
use std::path::{Component, Path};
use std::ptr::NonNull;

/// A shared object that is loaded into this process, for as long as the process lives.
///
/// It is never unloaded: plug-ins start threads and register exit handlers that would outlive it.
#[derive(Debug)]
pub struct Library {
    loaded: std::mem::ManuallyDrop<libloading::Library>,
}

/// Why a shared object could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// A library that it needs is not on this machine.
    #[error("needs a library that is not here: {name}")]
    MissingLibrary {
        /// The first such library, as the loader names it.
        name: String,
    },
    /// Whatever else the loader says.
    #[error("{0}")]
    Refused(String),
}

impl Library {
    /// Loads the shared object at `path`: all symbols bound now, none visible to other libraries.
    ///
    /// # Errors
    /// [`LibraryError`] with what the system's loader says.
    ///
    /// # Safety
    /// Runs the constructors of foreign code, which may do anything. Tools that only look call this
    /// in a child process.
    pub unsafe fn open(path: &Path) -> Result<Self, LibraryError> {
        // SAFETY: the caller accepts that the constructors of the library run.
        let loaded = unsafe { load(named_as_file(path).as_os_str()) };
        loaded.map(|library| Self { loaded: std::mem::ManuallyDrop::new(library) })
    }

    /// Whether the loader finds and loads the library of this bare name (`libcuda.so.1`).
    ///
    /// # Safety
    /// As [`Library::open`].
    pub unsafe fn available(name: &str) -> bool {
        // SAFETY: the caller accepts that the constructors of the library run.
        match unsafe { load(name.as_ref()) } {
            Ok(library) => {
                // Its destructors need not run, any more than those of an opened library.
                std::mem::forget(library);
                true
            }
            Err(_) => false,
        }
    }

    /// The address of an exported symbol; none if there is no such symbol, or it is null.
    pub fn address(&self, symbol: &str) -> Option<NonNull<c_void>> {
        // SAFETY: the symbol is only taken as an address; whoever calls through it says what it is.
        let found = unsafe { self.loaded.get::<*mut c_void>(symbol.as_bytes()) };
        found.ok().and_then(|symbol| NonNull::new(*symbol))
    }
}

/// The path so that the loader opens this very file: it takes a bare name for that of an installed
/// library, and looks everywhere but in the current folder.
fn named_as_file(path: &Path) -> std::path::PathBuf {
    let mut components = path.components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(name)), None) => Path::new(".").join(name),
        _ => path.to_owned(),
    }
}

#[cfg(unix)]
unsafe fn load(name: &std::ffi::OsStr) -> Result<libloading::Library, LibraryError> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: the caller accepts that the constructors of the library run.
    let opened = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) };
    opened.map(Into::into).map_err(|error| LibraryError::from_loader(&error))
}

#[cfg(not(unix))]
unsafe fn load(name: &std::ffi::OsStr) -> Result<libloading::Library, LibraryError> {
    // SAFETY: the caller accepts that the constructors of the library run.
    unsafe { libloading::Library::new(name) }.map_err(|error| LibraryError::from_loader(&error))
}

impl LibraryError {
    fn from_loader(error: &libloading::Error) -> Self {
        let cause = std::error::Error::source(error);
        let text = cause.map_or_else(|| error.to_string(), ToString::to_string);
        Self::from_text(&text)
    }

    /// What the loader's sentence says. glibc and musl name a missing library differently.
    fn from_text(text: &str) -> Self {
        let glibc = text
            .strip_suffix(": cannot open shared object file: No such file or directory")
            .filter(|name| !name.contains('/'));
        let musl = text
            .strip_prefix("Error loading shared library ")
            .and_then(|rest| rest.split_once(": No such file or directory"))
            .map(|(name, _)| name);
        match glibc.or(musl) {
            Some(name) => Self::MissingLibrary { name: name.to_owned() },
            None => Self::Refused(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_named() {
        let text = "librocsolver.so.0: cannot open shared object file: No such file or directory";
        let error = LibraryError::from_text(text);
        assert_eq!(error, LibraryError::MissingLibrary { name: "librocsolver.so.0".into() });
        let text =
            "Error loading shared library libze.so.1: No such file or directory (needed by p)";
        assert_eq!(
            LibraryError::from_text(text),
            LibraryError::MissingLibrary { name: "libze.so.1".into() }
        );
    }

    #[test]
    fn a_bare_name_is_a_file_of_the_current_folder() {
        assert_eq!(named_as_file(Path::new("plugin.so")).as_os_str(), "./plugin.so");
        assert_eq!(named_as_file(Path::new("build/plugin.so")).as_os_str(), "build/plugin.so");
        assert_eq!(named_as_file(Path::new("/lib/plugin.so")).as_os_str(), "/lib/plugin.so");
        // SAFETY: there is no such file, so no code is run.
        let error = unsafe { Library::open(Path::new("no-such-plugin.so")) }.unwrap_err();
        assert!(matches!(error, LibraryError::Refused(_)), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_is_no_missing_dependency() {
        let missing = Path::new("/nowhere/plugin.so");
        // SAFETY: there is no such file, so no code is run.
        let error = unsafe { Library::open(missing) }.unwrap_err();
        assert!(matches!(error, LibraryError::Refused(_)), "{error}");
    }
}
