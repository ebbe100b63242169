//! The chain of extensions that the host sees: copies of those that mean the same to both sides, and a profiler.

use std::ffi::c_void;
use std::ptr;

use unskew_pjrt::sys::bindings::PJRT_Extension_Base;
use unskew_pjrt::sys::{Api, ExtensionTable};

use super::absent::foreign;
use super::profiler;
use crate::ExtensionPolicy;
use crate::ages::Ages;
use crate::visible;

/// The size of the head of an extension, in words.
const HEAD: usize = 3;

/// How many functions stand behind the end of what is shown: hosts do not look at the size, and no
/// extension has ever had more.
const BEHIND: usize = 40;

/// The start of the chain that the host gets. It lives as long as the process.
///
/// # Safety
/// The plug-in stays loaded, and its chain is what it says.
pub unsafe fn presented(api: &Api, ages: &Ages, wanted: ExtensionPolicy) -> *mut c_void {
    if wanted == ExtensionPolicy::None {
        return ptr::null_mut();
    }
    // SAFETY: as the caller says.
    let (chain, has_profiler) = unsafe { filtered(api, ages) };
    if has_profiler || ages.emulates { chain } else { profiler::before(chain, ages) }
}

/// The extensions of the plug-in that mean the same to both sides, and whether its profiler is among them.
///
/// # Safety
/// As [`presented`].
unsafe fn filtered(api: &Api, ages: &Ages) -> (*mut c_void, bool) {
    let mut next: *mut PJRT_Extension_Base = ptr::null_mut();
    let mut has_profiler = false;
    if !visible::any(ages) || api.extensions_broken().is_some() {
        return (next.cast(), has_profiler);
    }
    for extension in api.extensions().iter().rev() {
        // SAFETY: the caller says that the extension is there, in the size that it announces.
        if let Some(node) = unsafe { copied(extension, ages) } {
            // SAFETY: the copy has at least the head of an extension.
            unsafe { (*node).next = next };
            next = node;
            has_profiler |= extension.name() == Some(profiler::EXTENSION);
        }
    }
    (next.cast(), has_profiler)
}

/// A copy of what the host may see of an extension.
unsafe fn copied(extension: &ExtensionTable, ages: &Ages) -> Option<*mut PJRT_Extension_Base> {
    let size = extension.size?;
    let shown = visible::shown(extension.kind, size, ages)?;
    let bytes = shown.min(size).min(unskew_abi::LARGEST_STRUCT);
    let words = bytes.div_ceil(8).max(HEAD);
    let mut copy = vec![0_u64; words];
    copy.resize(words + BEHIND, (foreign as *const c_void).expose_provenance() as u64);
    let mut copy = copy.into_boxed_slice();
    // SAFETY: the extension has so many bytes, and the copy has room for them.
    unsafe {
        let source = extension.address().as_ptr().cast::<u8>();
        copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(source, bytes);
    }
    copy[0] = shown as u64;
    Some(Box::leak(copy).as_mut_ptr().cast())
}
