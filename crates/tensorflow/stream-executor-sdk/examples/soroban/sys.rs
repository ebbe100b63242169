//! The memory of the device, which is the CPU's: the only unsafe code of this plug-in.
#![allow(unsafe_code, reason = "a device's memory is known by its addresses")]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use unskew_stream_executor_sdk::{DataType, Error, Tensor};

use crate::graph::LEFT_OUT;

/// How many nodes the graph optimizer has left out, for who asks the library.
#[unsafe(no_mangle)]
pub extern "C" fn soroban_left_out() -> u64 {
    LEFT_OUT.load(Ordering::Relaxed)
}

/// A type of elements that kernels compute with.
///
/// # Safety
/// Any bytes are a value of the type.
pub unsafe trait Element: Copy + 'static {
    /// The same for TensorFlow.
    const TYPE: DataType;
}

// SAFETY: any bytes are a number.
unsafe impl Element for f32 {
    const TYPE: DataType = DataType::FLOAT;
}

// SAFETY: any bytes are a number.
unsafe impl Element for i32 {
    const TYPE: DataType = DataType::INT32;
}

// SAFETY: any bytes are a number.
unsafe impl Element for i64 {
    const TYPE: DataType = DataType::INT64;
}

/// Takes memory, aligned to 64 bytes.
pub fn allocate(bytes: u64) -> Option<*mut c_void> {
    let mut memory = null_mut();
    let bytes = usize::try_from(bytes).ok()?;
    // SAFETY: the alignment is a power of two, and the result is written to a place of ours.
    let failed = unsafe { libc::posix_memalign(&raw mut memory, 64, bytes.max(1)) };
    (failed == 0).then_some(memory)
}

/// Gives back what `allocate` gave out.
pub fn deallocate(memory: *mut c_void) {
    // SAFETY: the host gives back what it got, once.
    unsafe { libc::free(memory) }
}

/// Copies so many bytes; the two places do not overlap.
pub fn copy(to: *mut c_void, from: *mut c_void, bytes: u64) -> Result<(), Error> {
    let bytes = usize::try_from(bytes).map_err(|_| Error::invalid("too much to copy"))?;
    if bytes > 0 {
        // SAFETY: the host says that both have as many bytes. They may overlap.
        unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), bytes) }
    }
    Ok(())
}

/// Fills memory with a pattern, over and over.
pub fn fill(memory: *mut c_void, pattern: [u8; 4], bytes: u64) -> Result<(), Error> {
    let bytes = usize::try_from(bytes).map_err(|_| Error::invalid("too much to fill"))?;
    for at in 0..bytes {
        // SAFETY: the host says that the memory has as many bytes.
        unsafe { memory.cast::<u8>().add(at).write(pattern[at % 4]) }
    }
    Ok(())
}

/// The elements of a tensor.
pub fn elements<T: Element>(tensor: &Tensor) -> Result<&[T], Error> {
    let count = checked::<T>(tensor)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: the tensor is alive, has as many elements of this type, and nobody writes to an input.
    Ok(unsafe { std::slice::from_raw_parts(tensor.address().cast::<T>(), count) })
}

/// The elements of a tensor that is an output, or a variable whose lock is held.
pub fn elements_mut<T: Element>(tensor: &mut Tensor) -> Result<&mut [T], Error> {
    let count = checked::<T>(tensor)?;
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as above; the tensor was made for this kernel, or is locked for it.
    Ok(unsafe { std::slice::from_raw_parts_mut(tensor.address().cast::<T>(), count) })
}

fn checked<T: Element>(tensor: &Tensor) -> Result<usize, Error> {
    let (count, found) = (tensor.elements(), tensor.data_type());
    if found != T::TYPE || tensor.bytes() < count.saturating_mul(size_of::<T>()) {
        let (wanted, found) = (T::TYPE.0, found.0);
        return Err(Error::invalid(format!(
            "a tensor of the type {wanted} was wanted, not {found}"
        )));
    }
    if count > 0 && !tensor.address().cast::<T>().is_aligned() {
        return Err(Error::internal("a tensor that is not aligned"));
    }
    Ok(count)
}
