//! Reading what a plug-in hands out: texts, bytes, lists.

use std::ptr::NonNull;

use super::{Handle, Keep};
use crate::host::Error;
use crate::sys::error;

/// The most elements of a list that are believed: devices, dimensions, outputs.
pub(crate) const MOST: usize = 1 << 20;

/// The most bytes that are believed to be one serialized thing: an executable, an optimized program.
pub(crate) const MOST_BYTES: usize = 1 << 40;

/// A text of the plug-in.
///
/// # Safety
/// As [`error::text`].
pub(crate) unsafe fn text(start: *const u8, size: usize) -> String {
    // SAFETY: the caller says so.
    unsafe { error::text(start, size) }
}

/// A list of plain values, copied.
///
/// # Safety
/// `start` is null, or so many values are there.
pub(crate) unsafe fn list<T: Copy>(
    function: &'static str,
    start: *const T,
    count: usize,
) -> Result<Vec<T>, Error> {
    if start.is_null() || count == 0 {
        return Ok(Vec::new());
    }
    if count > MOST || !start.is_aligned() {
        return Err(Error::Implausible { function, count });
    }
    // SAFETY: the caller says so.
    Ok(unsafe { std::slice::from_raw_parts(start, count) }.to_vec())
}

/// Bytes, copied.
///
/// # Safety
/// `start` is null, or so many bytes are there.
pub(crate) unsafe fn bytes(
    function: &'static str,
    start: *const u8,
    count: usize,
) -> Result<Vec<u8>, Error> {
    let mut copy = room(function, count)?;
    // SAFETY: the caller says so.
    copy.extend_from_slice(unsafe { error::bytes(start, count) });
    Ok(copy)
}

/// Room for so many bytes.
pub(crate) fn room(function: &'static str, count: usize) -> Result<Vec<u8>, Error> {
    let mut room = Vec::new();
    if count > MOST_BYTES || room.try_reserve_exact(count).is_err() {
        return Err(Error::Implausible { function, count });
    }
    Ok(room)
}

/// So many bytes that are 0. Of many, the system has the pages written only when they are used.
pub(crate) fn zeroed(function: &'static str, count: usize) -> Result<Vec<u8>, Error> {
    let wrong = Error::Implausible { function, count };
    if count == 0 || count > MOST_BYTES {
        return if count == 0 { Ok(Vec::new()) } else { Err(wrong) };
    }
    let Ok(layout) = std::alloc::Layout::array::<u8>(count) else { return Err(wrong) };
    // SAFETY: the layout is not empty.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    if start.is_null() {
        return Err(wrong);
    }
    // SAFETY: the memory is of the allocator that `Vec` frees it to, with the layout of so many bytes, all
    // of which are written.
    Ok(unsafe { Vec::from_raw_parts(start, count, count) })
}

/// A list of objects that live in `keep`.
///
/// # Safety
/// `start` is null, or so many addresses of objects are there, which live as long as `keep`.
pub(crate) unsafe fn handles<T>(
    function: &'static str,
    start: *const *mut T,
    count: usize,
    keep: &Keep,
) -> Result<Vec<Handle<T>>, Error> {
    // SAFETY: the caller says so.
    let found = unsafe { list(function, start, count) }?;
    let handle = |raw: *mut T| {
        let raw = NonNull::new(raw).ok_or(Error::Null { function })?;
        // SAFETY: the caller says so.
        Ok(unsafe { Handle::new(raw, keep.clone()) })
    };
    found.into_iter().map(handle).collect()
}

/// An object that must not be null.
pub(crate) fn some<T>(function: &'static str, raw: *mut T) -> Result<NonNull<T>, Error> {
    NonNull::new(raw).ok_or(Error::Null { function })
}

/// Texts that lie in two lists, of starts and of lengths.
///
/// # Safety
/// Either list is null, or so many texts are there.
pub(crate) unsafe fn texts(
    function: &'static str,
    starts: *const *const u8,
    sizes: *const usize,
    count: usize,
) -> Result<Vec<String>, Error> {
    // SAFETY: the caller says so.
    let starts = unsafe { list(function, starts, count) }?;
    // SAFETY: as above.
    let sizes = unsafe { list(function, sizes, count) }?;
    // SAFETY: as above.
    Ok(starts.iter().zip(&sizes).map(|(&start, &size)| unsafe { text(start, size) }).collect())
}
