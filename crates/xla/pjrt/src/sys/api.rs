//! The table of one plug-in, in the dialect of its age.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use unskew_abi::{ForeignStruct, Implausible};
use unskew_core::Version;

use super::bindings::*;
use super::call::{Call, ExtensionCall, Record};
use super::error::CallError;
use super::extensions::{self, ExtensionTable};
use super::padded::{CAPACITY, PaddedStruct};
use crate::layout::{self, FIRST_SLOT, FLOOR, StructHistory};

/// A function of the table: takes its arguments, returns an error or null.
pub(crate) type Fallible = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

/// The two functions of the table that return nothing.
type Infallible = unsafe extern "C" fn(*mut c_void);

/// The major version that this crate speaks; there has been no other.
pub const MAJOR: i32 = 0;

/// What one plug-in offers: its functions, gated; the size to announce for each struct; its
/// extensions.
///
/// A function is there if the plug-in's minor has it, *and* its table reaches so far, *and* the slot
/// is not null. Sizes are exactly those that the header of the plug-in's own minor declares: plug-ins
/// built from XLA accept no less, others accept nothing else, and the memory behind is always as
/// large as the struct is today, and zeroed.
#[derive(Debug)]
pub struct Api {
    major: i32,
    minor: i32,
    announced: usize,
    functions: Box<[Option<Fallible>]>,
    sizes: Box<[AtomicUsize]>,
    /// Whether a size was learned that is larger than the struct of today.
    grown: AtomicBool,
    extensions: Vec<ExtensionTable>,
    extensions_broken: Option<&'static str>,
    address: NonNull<c_void>,
}

// SAFETY: the table is constant once `GetPjrtApi` has returned it, and the interface says that its
// functions may be called from any thread.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

/// Why a table cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// The library has no entry point, or that returns null.
    #[error("{0}")]
    NoTable(&'static str),
    /// The table's own size cannot be true.
    #[error("PJRT_Api: {0}")]
    Implausible(#[from] Implausible),
    /// Frameworks do not support plug-ins of another major version.
    #[error(
        "the plug-in is of another major version of the PJRT C API: {found}, wanted 0.{FLOOR} or later"
    )]
    OtherMajor {
        /// The version that the table says.
        found: Version,
    },
    /// Before 0.29 functions were inserted in the middle of the table.
    #[error(
        "the plug-in is older than any that can be called safely: {found}, wanted 0.{FLOOR} or later"
    )]
    TooOld {
        /// The version that the table says.
        found: Version,
    },
}

impl Api {
    /// Reads the head of a table and its extensions.
    ///
    /// # Errors
    /// [`TableError`] if the table is of another major version, below the [`FLOOR`], or not a table.
    ///
    /// # Safety
    /// `table` is what a plug-in's `GetPjrtApi` returned, and the plug-in stays loaded.
    pub unsafe fn from_table(table: NonNull<c_void>) -> Result<Self, TableError> {
        if !table.cast::<usize>().is_aligned() {
            return Err(TableError::NoTable("GetPjrtApi returned an address that is not aligned"));
        }
        // SAFETY: the plug-in says that a table is there; sizes that cannot be true are refused.
        let head = unsafe { ForeignStruct::announced(table, FIRST_SLOT)? };
        let major = head.int(32).unwrap_or_default();
        let minor = head.int(36).unwrap_or_default();
        let found = Version::pair(major.into(), minor.into());
        if major != MAJOR {
            return Err(TableError::OtherMajor { found });
        }
        if minor < FLOOR {
            return Err(TableError::TooOld { found });
        }
        let announced = head.size();
        let end = layout::true_table_size(minor, announced);
        // SAFETY: every plug-in of this minor that announces this size has a table of this end.
        let whole = unsafe { ForeignStruct::sized(table, end) };
        let functions = layout::slots().iter().map(|slot| {
            let there = slot.since <= minor;
            let address = whole.pointer(slot.offset_in(minor, announced)).and_then(NonNull::new);
            // SAFETY: since 0.29 every slot is a function that takes a pointer to its arguments;
            // the two that return nothing are only called through `raw_void`.
            address.filter(|_| there).map(|address| unsafe {
                std::mem::transmute::<*mut c_void, Fallible>(address.as_ptr())
            })
        });
        let size = |record: &StructHistory| {
            let size = record.size(minor, None).or(record.sizes.last());
            AtomicUsize::new(size.map_or(0, |size| size.declared))
        };
        // SAFETY: the chain is the plug-in's own; the walk stops where it cannot be true.
        let (extensions, extensions_broken) = unsafe {
            extensions::walk(
                minor,
                head.pointer(offset_of!(PJRT_Client_Destroy_Args, extension_start)),
            )
        };
        Ok(Self {
            major,
            minor,
            announced,
            functions: functions.collect(),
            sizes: layout::structs().iter().map(size).collect(),
            grown: AtomicBool::new(false),
            extensions,
            extensions_broken,
            address: table,
        })
    }

    /// The version of the plug-in: `0.81`.
    pub fn version(&self) -> Version {
        Version::pair(self.major.into(), self.minor.into())
    }

    /// The minor version of the plug-in.
    pub fn minor(&self) -> i32 {
        self.minor
    }

    /// The size that the table announces, in bytes.
    pub fn announced_size(&self) -> usize {
        self.announced
    }

    /// The table itself, for those that hand it on.
    pub fn address(&self) -> NonNull<c_void> {
        self.address
    }

    /// Whether the plug-in has the function.
    pub fn has(&self, function: Function) -> bool {
        self.functions[function as usize].is_some()
    }

    /// The address of the function, for those that hand it on.
    pub fn function(&self, function: Function) -> Option<*mut c_void> {
        self.functions[function as usize].map(|function| function as *mut c_void)
    }

    /// The error of calling what is not there.
    #[cold]
    pub fn unimplemented(&self, function: Function) -> CallError {
        let plugin = self.version();
        CallError::Unimplemented { function: function.name(), since: function.since(), plugin }
    }

    /// The size that is announced for the struct to this plug-in, in bytes: never more than the struct
    /// has today, whatever the plug-in has asked for.
    pub fn size_of<T: Record>(&self) -> usize {
        self.wanted_size::<T>().min(size_of::<T>())
    }

    /// The size that the plug-in wants, which may be larger than the struct of today: that of its
    /// header, or what it has said when it refused another.
    pub fn wanted_size<T: Record>(&self) -> usize {
        self.sizes[T::INDEX].load(Ordering::Relaxed)
    }

    /// Takes to heart what the plug-in says of a size that it refused; whether there is something
    /// new in it, so that the call is worth repeating.
    #[cold]
    fn learn(&self, error: &CallError) -> bool {
        let CallError::Plugin { message, .. } = error else { return false };
        let Some((name, wanted)) = wanted_size(message) else { return false };
        let Some(index) = layout::structs().iter().position(|known| known.name == name) else {
            return false;
        };
        if !(size_of::<usize>()..=CAPACITY).contains(&wanted) {
            return false;
        }
        if wanted > layout::structs()[index].sizes.last().map_or(0, |size| size.end) {
            self.grown.store(true, Ordering::Relaxed);
        }
        self.sizes[index].swap(wanted, Ordering::Relaxed) != wanted
    }

    /// An empty struct that announces the size of the plug-in's own age.
    pub fn record<T: Record>(&self) -> T {
        let mut record = T::zeroed();
        if T::ANNOUNCES_SIZE {
            // SAFETY: the first word of the struct is its size.
            unsafe { (&raw mut record).cast::<usize>().write(self.size_of::<T>()) };
        }
        record
    }

    /// Whether a field of the struct that ends at `end` is there for this plug-in: whether it reads
    /// or fills it in.
    #[cfg(feature = "host")]
    pub(crate) fn knows_field<T: Record>(&self, end: usize) -> bool {
        let size = T::history().size(self.minor, None);
        size.is_some_and(|size| unskew_abi::has_field(size.end, end))
    }

    /// Calls the function whose arguments these are.
    ///
    /// A plug-in that refuses the size of a struct and says which it wants is asked again, once, with
    /// that size and zeros behind: this is how plug-ins that are newer than this crate are called.
    ///
    /// # Errors
    /// [`CallError::Unimplemented`] if the plug-in does not have it, [`CallError::Plugin`] if it
    /// answers with an error.
    ///
    /// # Safety
    /// The arguments are what the function documents: handles are alive and of this plug-in, pointers
    /// and lengths are true for as long as the plug-in may use them. A struct of which a plug-in may
    /// want more, and to which the arguments point, lies in a [`PaddedStruct`].
    #[inline]
    pub unsafe fn call<T: Call>(&self, arguments: &mut T) -> Result<(), CallError> {
        let done = if self.grown.load(Ordering::Relaxed) {
            // SAFETY: the caller says that the arguments are right.
            unsafe { self.call_padded(arguments) }
        } else {
            // SAFETY: the caller says that the arguments are right.
            unsafe { self.call_once(T::FUNCTION, std::ptr::from_mut(arguments).cast()) }
        };
        match done {
            Err(error) if self.learn(&error) => {
                // SAFETY: a plug-in checks sizes before it does anything.
                unsafe { self.call_padded(arguments) }
            }
            done => done,
        }
    }

    /// Calls with room behind the arguments for what a newer plug-in reads or writes there.
    #[cold]
    unsafe fn call_padded<T: Call>(&self, arguments: &mut T) -> Result<(), CallError> {
        let mut padded = PaddedStruct::new(*arguments, self.wanted_size::<T>());
        // SAFETY: the caller says that the arguments are right.
        let done = unsafe { self.call_once(T::FUNCTION, padded.as_mut_ptr().cast()) };
        *arguments = *padded.record();
        done
    }

    /// Calls a function, whose arguments these are. It is not generic: it would be compiled for each of them.
    unsafe fn call_once(
        &self,
        function: Function,
        arguments: *mut c_void,
    ) -> Result<(), CallError> {
        let Some(slot) = self.functions[function as usize] else {
            return Err(self.unimplemented(function));
        };
        // SAFETY: the caller says that the arguments are right; the slot is of their function.
        match NonNull::new(unsafe { slot(arguments) }) {
            None => Ok(()),
            // SAFETY: the plug-in has just returned it.
            Some(error) => Err(unsafe { self.take_error(function.name(), error) }),
        }
    }

    /// The same without reading the error, which is the caller's; none if the function is not there.
    ///
    /// # Safety
    /// As [`Api::call`].
    #[inline]
    pub unsafe fn raw<T: Call>(&self, arguments: &mut T) -> Option<*mut PJRT_Error> {
        let function = self.functions[T::FUNCTION as usize]?;
        // SAFETY: the caller says that the arguments are right; the slot is of their function.
        Some(unsafe { function(std::ptr::from_mut(arguments).cast()) })
    }

    /// Calls one of the two functions that return nothing, if it is there.
    ///
    /// # Safety
    /// As [`Api::call`]; the function is `PJRT_Error_Destroy` or `PJRT_Error_Message`.
    pub(crate) unsafe fn raw_void<T: Call>(&self, arguments: &mut T) {
        let Some(function) = self.functions[T::FUNCTION as usize] else { return };
        // SAFETY: the caller says that the function returns nothing.
        let function = unsafe { std::mem::transmute::<Fallible, Infallible>(function) };
        // SAFETY: the caller says that the arguments are right.
        unsafe { function((&raw mut *arguments).cast()) };
    }

    /// The extensions of the plug-in, in the order of the chain.
    pub fn extensions(&self) -> &[ExtensionTable] {
        &self.extensions
    }

    /// Why the chain of extensions could not be walked to its end.
    pub fn extensions_broken(&self) -> Option<&'static str> {
        self.extensions_broken
    }

    /// The extension of this name.
    pub fn extension(&self, name: &str) -> Option<&ExtensionTable> {
        let kind = layout::extension(name)?.kind;
        self.extensions.iter().find(|extension| extension.kind == kind)
    }

    /// Whether the plug-in has the function of an extension.
    #[cfg(feature = "host")]
    pub(crate) fn has_extension_call<T: ExtensionCall>(&self) -> bool {
        self.extension_function::<T>().is_some()
    }

    /// Calls the function of an extension: gated by the extension's own size, by the minor from which
    /// the slot has meant this, and by null.
    ///
    /// # Errors
    /// As [`Api::call`].
    ///
    /// # Safety
    /// As [`Api::call`].
    pub unsafe fn call_extension<T: ExtensionCall>(
        &self,
        arguments: &mut T,
    ) -> Result<(), CallError> {
        let Some(function) = self.extension_function::<T>() else {
            let since = extensions::slot_since::<T>();
            return Err(CallError::Unimplemented {
                function: T::SLOT,
                since,
                plugin: self.version(),
            });
        };
        let arguments = (&raw mut *arguments).cast();
        if !T::RETURNS_ERROR {
            // SAFETY: the data say that this function returns nothing.
            let function = unsafe { std::mem::transmute::<Fallible, Infallible>(function) };
            // SAFETY: the caller says that the arguments are right.
            unsafe { function(arguments) };
            return Ok(());
        }
        // SAFETY: the caller says that the arguments are right.
        match NonNull::new(unsafe { function(arguments) }) {
            None => Ok(()),
            // SAFETY: the plug-in has just returned it.
            Some(error) => Err(unsafe { self.take_error(T::SLOT, error) }),
        }
    }

    fn extension_function<T: ExtensionCall>(&self) -> Option<Fallible> {
        let extension = self.extension(T::EXTENSION)?;
        if self.minor < extensions::slot_since::<T>() {
            return None;
        }
        let address = extension.slot(<T as ExtensionCall>::INDEX)?;
        // SAFETY: the extension's size covers the slot, which since this minor is a function that
        // takes a pointer to its arguments.
        Some(unsafe { std::mem::transmute::<*mut c_void, Fallible>(address.as_ptr()) })
    }
}

/// The struct and the size in `Unexpected PJRT_ExecuteOptions size: expected 112, got 88.`
fn wanted_size(message: &str) -> Option<(&str, usize)> {
    let (_, rest) = message.split_once("Unexpected ")?;
    let (name, rest) = rest.split_once(" size: expected ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((name, rest[..end].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wanted_size_is_read_from_the_plug_ins_words_and_from_no_others() {
        let text =
            "Unexpected PJRT_ExecuteOptions size: expected 112, got 88. The plugin is likely built";
        assert_eq!(wanted_size(text), Some(("PJRT_ExecuteOptions", 112)));
        assert_eq!(wanted_size("Unexpected PJRT_ExecuteOptions size: expected , got 88."), None);
        assert_eq!(wanted_size("Unexpected x size: expected 99999999999999999999999"), None);
        assert_eq!(wanted_size("out of memory"), None);
    }
}
