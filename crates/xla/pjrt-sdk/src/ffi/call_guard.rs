//! Guard around every call: sizes, copies, panics.

use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::null_mut;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::PJRT_Error;
use unskew_pjrt::sys::{Call, Record};

use super::error_object::ErrorObject;
use super::serve::least_size;
use super::{Exported, Exports};
use crate::{Error, OlderHosts};

/// A function that is implemented.
pub(crate) trait Serve: Call {
    /// Answers a call.
    ///
    /// # Safety
    /// Handles among the arguments are of this plug-in and alive, pointers and lengths are true.
    unsafe fn serve(arguments: &mut Self, plugin: &'static Exported) -> Result<(), Error>;

    /// Where the last field ends that the function cannot do without. A host whose arguments reach so
    /// far is served, whatever its version.
    const NEEDS: usize;

    /// What a host that is refused should have announced: the least size of any version that is enough.
    fn expected() -> usize {
        let sizes = Self::history().sizes.iter().filter(|size| size.end >= Self::NEEDS);
        sizes.map(|size| size.declared).min().unwrap_or(Self::NEEDS)
    }
}

/// Where a field ends that begins at `offset`; `field` is there for its type.
pub(crate) const fn end<T, F>(offset: usize, field: fn(&T) -> *const F) -> usize {
    let _ = field;
    offset + size_of::<F>()
}

/// How many bytes of a struct are there, of which a host announces `announced`: up to the end of the last
/// field that is there as a whole. Some headers announced less than they had; where others had no more than
/// the same size says, that size is all that is sure.
pub(crate) fn there<T: Record>(announced: usize) -> usize {
    let history = T::history();
    let same = history.sizes.iter().filter(|size| size.declared == announced);
    let there = same.map(|size| size.end).min().unwrap_or(announced);
    if there >= size_of::<T>() {
        return size_of::<T>();
    }
    // Half a pointer is no pointer.
    let ends = history.fields.iter().map(|field| field.at + field.bytes);
    ends.filter(|end| *end <= there).max().unwrap_or(0)
}

/// The function of a slot.
pub(crate) unsafe extern "C" fn entry<P: Exports, T: Serve>(
    arguments: *mut c_void,
) -> *mut PJRT_Error {
    let plugin = P::exported();
    if let Some(broken) = &plugin.broken {
        return ErrorObject::leak(broken.clone());
    }
    if arguments.is_null() {
        return ErrorObject::leak(Error::invalid(format!("{}: no arguments", T::FUNCTION)));
    }
    // SAFETY: the first word of all arguments is their size.
    let announced = unsafe { arguments.cast::<usize>().read_unaligned() };
    let there = there::<T>(announced);
    if there < T::NEEDS {
        return ErrorObject::leak(too_small::<T>(plugin, announced));
    }
    let mut own = T::zeroed();
    // SAFETY: the host announces as many bytes, and `own` has room for them. What it did not send stays
    // zero.
    unsafe {
        std::ptr::copy_nonoverlapping(arguments.cast::<u8>(), (&raw mut own).cast::<u8>(), there);
    }
    // SAFETY: the host says that its arguments are right.
    let served = caught(T::FUNCTION.name(), || unsafe { T::serve(&mut own, plugin) });
    // The first word is the host's own; nothing is written behind what it has.
    let head = size_of::<usize>();
    // SAFETY: `there` bytes are the host's, and this writes those after the first word.
    unsafe {
        let (from, to) = ((&raw const own).cast::<u8>(), arguments.cast::<u8>());
        std::ptr::copy_nonoverlapping(from.add(head), to.add(head), there.saturating_sub(head));
    }
    served.map_or_else(ErrorObject::leak, |()| null_mut())
}

#[cold]
fn too_small<T: Serve>(plugin: &Exported, announced: usize) -> Error {
    let (name, mut least) = (T::history().name, T::expected());
    // The one call whose size tells how old a host is.
    if let (OlderHosts::RefuseBelow(minor), Function::PJRT_Client_Create) =
        (plugin.older_hosts, T::FUNCTION)
    {
        least = least.max(least_size(name, minor));
    }
    Error::invalid(format!(
        "Unexpected {name} size: expected {least}, got {announced}. The plugin is likely built with a \
         later version than the framework. This plugin is built with PJRT API version 0.{}.",
        plugin.minor
    ))
}

/// What `body` gives; a panic in it becomes an error that says where it was.
pub(crate) fn caught<R>(place: &str, body: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    unskew_abi::caught(body)
        .unwrap_or_else(|panicked| Err(Error::internal(format!("{place}: {panicked}"))))
}

#[cfg(test)]
mod tests {
    use unskew_pjrt::sys::bindings::*;

    use super::there;

    #[test]
    fn an_understated_size_counts_for_more_only_if_every_header_had_more() {
        assert_eq!(there::<PJRT_Plugin_Attributes_Args>(24), 32);
        assert_eq!(there::<PJRT_Device_AddressableMemories_Args>(32), 40);
        // 48 bytes in 0.29 to 0.55, 64 under the same number later.
        assert_eq!(there::<PJRT_Executable_DeserializeAndLoad_Args>(48), 48);
    }
}
