//! Memory of the host, for devices that have no better one.

use std::ffi::c_void;

/// Ordinary memory, aligned to 64 bytes.
pub(crate) fn allocate_host(bytes: u64) -> Option<*mut c_void> {
    let bytes = usize::try_from(bytes).ok()?;
    let mut memory = std::ptr::null_mut();
    // SAFETY: the alignment is a power of two, and the result is written to a place of ours.
    let failed = unsafe { libc::posix_memalign(&raw mut memory, 64, bytes.max(1)) };
    (failed == 0).then_some(memory)
}

/// Gives back what [`allocate_host`] gave.
pub(crate) fn deallocate_host(memory: *mut c_void) {
    // SAFETY: the host gives back what it got, once; null is nothing.
    unsafe { libc::free(memory) }
}
