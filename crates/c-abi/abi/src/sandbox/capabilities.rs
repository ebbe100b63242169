//! Capabilities of root, given up by a confined process.
//!
//! A process of root has rights that no other filter knows: to take memory from the machine (`MADV_HWPOISON`), to enter
//! namespaces with a thread, to go past limits. It keeps one, to search folders and to read files of others: which files
//! those are is decided by Landlock, and a plug-in that root names may lie in the home of somebody else.
#![allow(unsafe_code, reason = "capabilities have no interface in the C library")]

use std::io;

/// The version of the structs below.
const VERSION: u32 = 0x2008_0522;

/// `CAP_DAC_READ_SEARCH`, as a bit.
const READ_AND_SEARCH: u32 = 1 << 2;

#[repr(C)]
struct Header {
    version: u32,
    process: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Sets {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Gives up all capabilities of this thread but that one, and the way back to them.
///
/// # Errors
/// If the kernel refuses it.
pub(super) fn give_up() -> io::Result<()> {
    let mut header = Header { version: VERSION, process: 0 };
    // The lower and the upper 32 capabilities.
    let mut sets = [Sets::default(); 2];
    // SAFETY: the kernel fills in as many structs as the version has.
    let read = unsafe { libc::syscall(libc::SYS_capget, &raw mut header, sets.as_mut_ptr()) };
    if read != 0 {
        return Err(io::Error::last_os_error());
    }
    let kept = |set: u32| set & READ_AND_SEARCH;
    let lower = Sets {
        effective: kept(sets[0].effective),
        permitted: kept(sets[0].permitted),
        inheritable: 0,
    };
    let sets = [lower, Sets::default()];
    // SAFETY: the kernel reads as many structs as the version has.
    let set = unsafe { libc::syscall(libc::SYS_capset, &raw mut header, sets.as_ptr()) };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
