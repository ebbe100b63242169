//! A plug-in that is loaded, with stand-ins for the libraries of TensorFlow that it needs.

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::NonNull;

use unskew_abi::SharedObject;

use super::{functions, status};
use crate::cpp::is_cpp;
use crate::exports::{FRAMEWORK, every_function, is_library, libraries};
use crate::plugin::is_c_api;
use crate::preflight::stand_in::{ADDRESSES, CALLED, PAGE, library};

/// Stand-ins for the libraries of TensorFlow, in this process and its copies.
pub(crate) struct StandIns {
    /// The functions of the stand-in, with the byte that says whether it was called.
    functions: Vec<String>,
    called: *mut u8,
}

impl StandIns {
    /// Loads what the plug-in needs of whose file `object` was read.
    ///
    /// # Errors
    /// What the system's loader says.
    pub(crate) fn load(object: &SharedObject) -> Result<Self, String> {
        let here = functions::functions().map(|(name, _)| name.to_owned());
        let strong = object.imports.iter().filter(|import| !import.weak);
        let wanted = strong.filter(|import| is_c_api(&import.name) || is_cpp(&import.name));
        // The libraries that the plug-in brings along have imports too.
        let known = every_function().map(str::to_owned);
        let mut functions: Vec<String> =
            here.chain(known).chain(wanted.map(|import| import.name.clone())).collect();
        functions.sort_unstable();
        functions.dedup();
        let called = stand_in(FRAMEWORK, &functions)?;
        share(called, functions.len())?;
        let needed = object.needed.iter().filter_map(|needed| needed.rsplit('/').next());
        let needed = needed.filter(|name| is_library(name)).map(str::to_owned);
        let mut others: Vec<String> = needed.chain(libraries().map(str::to_owned)).collect();
        others.sort_unstable();
        others.dedup();
        for other in others.iter().filter(|name| *name != FRAMEWORK) {
            stand_in(other, &[])?;
        }
        Ok(Self { functions, called })
    }

    /// Takes back what is known of what was called.
    pub(crate) fn forget(&self) {
        // SAFETY: as in `lacking`; no copy of this process runs.
        unsafe { self.called.write_bytes(0, self.functions.len()) };
    }

    /// The functions of TensorFlow that were called, in this process or a copy of it, and are not here.
    pub(crate) fn lacking(&self) -> Vec<String> {
        let here: Vec<&str> = functions::functions().map(|(name, _)| name).collect();
        let was_called = |i: usize| {
            // SAFETY: the stand-in has a byte for each of its functions, and is never unloaded.
            unsafe { self.called.add(i).read_volatile() != 0 }
        };
        let named = self
            .functions
            .iter()
            .enumerate()
            .filter(|(i, name)| was_called(*i) && !here.contains(&name.as_str()));
        named.map(|(_, name)| name.clone()).collect()
    }
}

/// A plug-in in this process.
pub(crate) struct LoadedPlugin {
    plugin: *mut c_void,
}

impl LoadedPlugin {
    /// Loads the plug-in at `path`, for whose libraries stand-ins are loaded, as TensorFlow does: its symbols stay
    /// its own. Symbols that no library has are no obstacle until they are used.
    ///
    /// # Errors
    /// What the system's loader says.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        // A bare name is looked for among the installed libraries, a path is opened.
        let path = std::path::absolute(path).map_err(|error| error.to_string())?;
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        let plugin = open(&path, libc::RTLD_LAZY | libc::RTLD_LOCAL)?;
        Ok(Self { plugin })
    }

    /// The address of a function that the plug-in exports.
    pub(super) fn function(&self, name: &str) -> Option<NonNull<c_void>> {
        address(self.plugin, name)
    }

    pub(super) fn unload(&self) {
        // SAFETY: its destructors run, which may do anything: this is a copy of a child process, and
        // nothing of the plug-in is used after.
        unsafe { libc::dlclose(self.plugin) };
    }
}

/// Loads a stand-in for the library of this name, for everyone to see, and returns its marks.
fn stand_in(soname: &str, functions: &[String]) -> Result<*mut u8, String> {
    let names: Vec<&str> = functions.iter().map(String::as_str).collect();
    let handle = load(&library(soname, &names))?;
    let table = address(handle, ADDRESSES).ok_or("the stand-in has no table")?;
    let called = address(handle, CALLED).ok_or("the stand-in has no marks")?;
    for (i, name) in functions.iter().enumerate() {
        let known = functions::functions().find(|(here, _)| here == name);
        let target = known.map_or(status::nothing as *const c_void, |(_, function)| function);
        // SAFETY: the table has a word for each function, and nobody calls one yet.
        unsafe { table.cast::<*const c_void>().add(i).write(target) };
    }
    Ok(called.cast::<u8>().as_ptr())
}

/// Lets the marks be seen here when a copy of this process has made them and died.
fn share(called: *mut u8, count: usize) -> Result<(), String> {
    let length = count.next_multiple_of(PAGE);
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the marks begin on a page and have their pages to themselves, so nothing else is replaced;
    // nobody has called a function yet.
    let mapped = unsafe { libc::mmap(called.cast(), length, rights, kind, -1, 0) };
    match mapped == libc::MAP_FAILED {
        true => Err(std::io::Error::last_os_error().to_string()),
        false => Ok(()),
    }
}

/// Loads a shared object that is no file.
fn load(bytes: &[u8]) -> Result<*mut c_void, String> {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::{AsRawFd as _, FromRawFd as _};

    // SAFETY: makes a file in memory and returns its descriptor, or a negative number.
    let descriptor = unsafe { libc::memfd_create(c"stand-in".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    // SAFETY: the descriptor was just made and belongs to nobody else.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(bytes).map_err(|error| error.to_string())?;
    let path = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let path = path.map_err(|error| error.to_string())?;
    // It stays open: the loader would take another file under the same path for this one.
    std::mem::forget(file);
    open(&path, libc::RTLD_NOW | libc::RTLD_GLOBAL)
}

fn open(path: &CStr, flags: i32) -> Result<*mut c_void, String> {
    // SAFETY: the constructors of the library run, which is what this process is for.
    let handle = unsafe { libc::dlopen(path.as_ptr(), flags) };
    if handle.is_null() { Err(refusal()) } else { Ok(handle) }
}

fn refusal() -> String {
    // SAFETY: a text that lives until the loader is used again, or null.
    let text: *const c_char = unsafe { libc::dlerror() };
    match text.is_null() {
        true => "the loader does not say why".to_owned(),
        // SAFETY: it is not null, and nobody uses the loader here.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

fn address(handle: *mut c_void, name: &str) -> Option<NonNull<c_void>> {
    let name = CString::new(name).ok()?;
    // SAFETY: the handle is that of a loaded library; the symbol is only taken as an address.
    NonNull::new(unsafe { libc::dlsym(handle, name.as_ptr()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_in_is_found_by_its_name_and_marks_what_is_called() {
        let names: Vec<String> = (0..300).map(|i| format!("TF_Function{i}")).collect();
        let marks = stand_in("libunskew_stand_in.so.9", &names).unwrap();
        share(marks, names.len()).unwrap();
        stand_in("libunskew_second.so.9", &[]).unwrap();
        assert!(open(c"libunskew_second.so.9", libc::RTLD_NOW | libc::RTLD_NOLOAD).is_ok());
        // The loader takes it for the library of that name, as it does for one that a plug-in needs.
        let handle = open(c"libunskew_stand_in.so.9", libc::RTLD_NOW | libc::RTLD_NOLOAD).unwrap();
        for (i, name) in names.iter().enumerate().step_by(7) {
            let function = address(handle, name).unwrap();
            // SAFETY: the functions of a stand-in go on to `nothing`.
            let function = unsafe {
                std::mem::transmute::<NonNull<c_void>, extern "C" fn() -> usize>(function)
            };
            // SAFETY: a mark for each function.
            let mark = || unsafe { marks.add(i).read_volatile() };
            assert_eq!((mark(), function(), mark()), (0, 0, 1), "{name}");
        }
        assert!(address(handle, "TF_Function300").is_none());
        // SAFETY: as above.
        let called = (0..names.len()).filter(|i| unsafe { marks.add(*i).read_volatile() } == 1);
        assert_eq!(called.count(), 43);
    }
}
