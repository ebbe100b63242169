//! What happens around every call: sizes, copies, panics.

use std::ffi::c_void;
use std::mem::size_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use unskew_pjrt::sys::Call;
use unskew_pjrt::sys::bindings::PJRT_Error;

use super::error_object::ErrorObject;
use super::{Exported, Exports};
use crate::Error;

/// A function that is implemented.
pub(crate) trait Serve: Call {
    /// Answers a call.
    ///
    /// # Safety
    /// Handles among the arguments are of this plug-in and alive, pointers and lengths are true.
    unsafe fn serve(arguments: &mut Self, plugin: &'static Exported) -> Result<(), Error>;

    /// The least size that a host may announce: that of the oldest version of the struct, and of
    /// headers that announced less than they had.
    fn least() -> usize {
        let sizes = Self::history().sizes.iter().map(|size| size.declared.min(size.end));
        sizes.min().unwrap_or(size_of::<usize>())
    }
}

/// How many bytes of a struct are there, of which a host announces `announced`. Some headers announced
/// less than they had; where others had no more than the same size says, that size is all that is sure.
fn there<T: Serve>(announced: usize) -> usize {
    let same = T::history().sizes.iter().filter(|size| size.declared == announced);
    same.map(|size| size.end).min().unwrap_or(announced).min(size_of::<T>())
}

/// The function of a slot.
pub(crate) unsafe extern "C" fn entry<P: Exports, T: Serve>(
    arguments: *mut c_void,
) -> *mut PJRT_Error {
    let plugin = P::exported();
    if arguments.is_null() {
        return ErrorObject::leak(Error::invalid(format!("{}: no arguments", T::FUNCTION)));
    }
    // SAFETY: the first word of all arguments is their size.
    let announced = unsafe { arguments.cast::<usize>().read_unaligned() };
    if announced < T::least() {
        return ErrorObject::leak(too_small::<T>(plugin, announced));
    }
    let there = there::<T>(announced);
    let mut own = T::zeroed();
    // SAFETY: the host announces as many bytes, and `own` has room for them. What it did not send stays
    // zero.
    unsafe {
        std::ptr::copy_nonoverlapping(arguments.cast::<u8>(), (&raw mut own).cast::<u8>(), there);
    }
    // SAFETY: the host says that its arguments are right.
    let served = catch_unwind(AssertUnwindSafe(|| unsafe { T::serve(&mut own, plugin) }));
    let served = served.unwrap_or_else(|panic| Err(panicked::<T>(&*panic)));
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
    let (name, least) = (T::history().name, T::least());
    Error::invalid(format!(
        "Unexpected {name} size: expected {least}, got {announced}. The plugin is likely built with a \
         later version than the framework. This plugin is built with PJRT API version 0.{}.",
        plugin.minor
    ))
}

#[cold]
fn panicked<T: Serve>(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
    Error::internal(format!("{}: the plug-in panicked: {text}", T::FUNCTION))
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
