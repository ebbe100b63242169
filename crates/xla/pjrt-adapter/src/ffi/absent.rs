//! Functions that the plug-in does not have.
//!
//! Hosts call some functions without asking whether the plug-in has them, past the end of an older
//! table. The adapter's table is as long as that of today, so what they find there is either a function
//! made of others that the plug-in has, or one that says UNIMPLEMENTED.

use std::ffi::c_void;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::*;

use super::{ADAPTER, Adapter, FAILURE, errors};

/// The function at place `N`, which the plug-in does not have.
pub unsafe extern "C" fn absent<const N: usize>(_: *mut c_void) -> *mut PJRT_Error {
    if ADAPTER.get().is_none() {
        return failed();
    }
    unimplemented(Function::ALL[N])
}

/// The error of a function that the plug-in does not have.
#[cold]
pub fn unimplemented(function: Function) -> *mut PJRT_Error {
    let text = match ADAPTER.get() {
        Some(adapter) => adapter.api.unimplemented(function).to_string(),
        None => function.name().to_owned(),
    };
    errors::raise(PJRT_Error_Code::UNIMPLEMENTED, text)
}

/// The error of every function of an adapter that could not be set up.
#[cold]
pub fn failed() -> *mut PJRT_Error {
    let why = FAILURE.get().map_or("it was not set up", String::as_str);
    errors::raise(PJRT_Error_Code::FAILED_PRECONDITION, format!("unskew adapter: {why}"))
}

/// The function of an extension behind the end of what the host is shown.
pub unsafe extern "C" fn foreign(_: *mut c_void) -> *mut PJRT_Error {
    errors::raise(
        PJRT_Error_Code::UNIMPLEMENTED,
        "unskew adapter: this function of the extension is not the same at the host's version of the \
         interface and at the plug-in's",
    )
}

/// The attributes of an adapter that could not be set up: none. Hosts end the process if this fails.
pub unsafe extern "C" fn no_attributes(arguments: *mut c_void) -> *mut PJRT_Error {
    let arguments = arguments.cast::<PJRT_Plugin_Attributes_Args>();
    // SAFETY: every host since 0.29 has these 32 bytes, whatever it announces.
    unsafe {
        (*arguments).attributes = std::ptr::null();
        (*arguments).num_attributes = 0;
    }
    std::ptr::null_mut()
}

/// `PJRT_Buffer_CopyToMemory` (0.32) by `PJRT_Buffer_CopyToDevice`: right where the memory is the
/// default one of a device that can reach it.
pub unsafe extern "C" fn copy_to_memory(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return failed() };
    let host = arguments.cast::<PJRT_Buffer_CopyToMemory_Args>();
    // SAFETY: the host passes the arguments of this function.
    let (buffer, memory) = unsafe { ((*host).buffer, (*host).dst_memory) };
    let Some(device) = device_of(adapter, memory) else {
        return unimplemented(Function::PJRT_Buffer_CopyToMemory);
    };
    let mut copy = adapter.api.record::<PJRT_Buffer_CopyToDevice_Args>();
    copy.buffer = buffer;
    copy.dst_device = device;
    // SAFETY: buffer and device are alive and of this plug-in.
    let error = unsafe { adapter.api.raw(&mut copy) };
    // SAFETY: as above.
    unsafe { (*host).dst_buffer = copy.dst_buffer };
    error.unwrap_or_else(|| unimplemented(Function::PJRT_Buffer_CopyToDevice))
}

/// A device whose default memory this is.
fn device_of(adapter: &Adapter, memory: *mut PJRT_Memory) -> Option<*mut PJRT_Device> {
    let mut ask = adapter.api.record::<PJRT_Memory_AddressableByDevices_Args>();
    ask.memory = memory;
    // SAFETY: the memory is alive and of this plug-in.
    let error = unsafe { adapter.api.raw(&mut ask) }?;
    if !error.is_null() {
        errors::drop_error(error);
        return None;
    }
    (0..ask.num_devices).find_map(|i| {
        // SAFETY: the plug-in says that so many devices are listed.
        let device = unsafe { ask.devices.add(i).read() };
        let mut default = adapter.api.record::<PJRT_Device_DefaultMemory_Args>();
        default.device = device;
        // SAFETY: the device is alive and of this plug-in.
        let error = unsafe { adapter.api.raw(&mut default) }?;
        errors::drop_error(error);
        (error.is_null() && default.memory == memory).then_some(device)
    })
}
