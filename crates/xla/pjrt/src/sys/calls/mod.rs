//! The calls of the interface as safe functions over handles.
//!
//! A [`Handle`] is an address of an object of a plug-in together with what keeps that object alive, so a
//! function that takes handles has nothing left that a caller could get wrong. An [`Owned`] handle also
//! frees its object. What is read from a plug-in is copied before anything can free it; lengths and
//! counts have limits.

pub(crate) mod buffer;
pub(crate) mod client;
pub(crate) mod compile;
pub(crate) mod contents;
pub(crate) mod dense;
pub(crate) mod device;
pub(crate) mod element;
pub(crate) mod event;
pub(crate) mod executable;
pub(crate) mod execute;
pub(crate) mod extension;
pub(crate) mod failure;
pub(crate) mod foreign;
pub(crate) mod handle;
pub(crate) mod host_data;
pub(crate) mod memory;
pub(crate) mod named;
mod order;
pub(crate) mod plugin;
pub(crate) mod process;
pub(crate) mod promise;
pub(crate) mod read;
pub(crate) mod streams;
pub(crate) mod transfer;

use std::path::Path;

pub(crate) use handle::{Handle, Keep, Owned};

use super::TableError;
use plugin::Resident;

/// Loads a plug-in. Its code is run, which is what the caller of [`Plugin::load`] asks for.
///
/// [`Plugin::load`]: crate::host::Plugin::load
pub(crate) fn open_plugin(
    path: &Path,
) -> Result<Result<&'static Resident, TableError>, unskew_abi::LibraryError> {
    // SAFETY: whoever loads a plug-in accepts that its code runs in this process.
    unsafe { Resident::open(path) }
}

/// Whether the loader finds the library of this bare name.
pub(crate) fn library_available(name: &str) -> bool {
    // SAFETY: these are the libraries that a plug-in itself would have pulled in.
    unsafe { unskew_abi::Library::available(name) }
}

/// A function that asks an object one thing.
macro_rules! getters {
    ($object:ty, $as:ident: $($(#[$attribute:meta])* $name:ident -> $out:ty
        = $arguments:ident => |$a:ident| $read:expr;)*) => { $(
        $(#[$attribute])*
        #[allow(unused_unsafe, reason = "plain numbers are read without")]
        pub(crate) fn $name(of: &$crate::sys::calls::Handle<$object>)
            -> Result<$out, $crate::sys::CallError>
        {
            let api = of.api();
            let mut arguments = api.record::<$arguments>();
            arguments.$as = of.raw();
            // SAFETY: the handle is alive, and the arguments have no other input.
            unsafe { api.call(&mut arguments) }?;
            let $a = arguments;
            // SAFETY: the plug-in has just filled in what is read, and it lives as long as the object.
            Ok(unsafe { $read })
        }
    )* };
}
pub(crate) use getters;
