//! `PJRT_Plugin_Attributes`: what the plug-in says of itself, as the host may read it.
//!
//! Hosts between 2024-10-22 and 2024-11-15 write programs at the StableHLO version that the plug-in
//! names, even if it is newer than they are, and fail. So no more than the host's own is named.

use std::ffi::c_void;

use unskew_core::Version;
use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::Record as _;
use unskew_pjrt::sys::bindings::*;

use super::adapter::Attributes;
use super::{ADAPTER, Adapter, absent, relay};
use crate::Mode;

const CURRENT: &[u8] = b"stablehlo_current_version";

/// The most attributes that are believed.
const MOST: usize = 1024;

/// What a host calls as `PJRT_Plugin_Attributes`.
pub unsafe extern "C" fn attributes(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    // SAFETY: the host passes the arguments of this function.
    let error =
        unsafe { relay::carry(adapter, Function::PJRT_Plugin_Attributes, arguments, |_| {}) };
    let Some(limit) = adapter.config.stablehlo_limit().filter(|_| error.is_null()) else {
        return error;
    };
    let host = arguments.cast::<PJRT_Plugin_Attributes_Args>();
    // SAFETY: every host since 0.29 has these 32 bytes, whatever it announces; the plug-in says that
    // its list is as long as it says.
    unsafe {
        let (list, count) = ((*host).attributes, (*host).num_attributes);
        let named = adapter.attributes.get_or_init(|| renamed(adapter, list, count, limit));
        (*host).attributes = named.0.as_ptr();
        (*host).num_attributes = named.0.len();
    }
    error
}

/// The list with another StableHLO version.
unsafe fn renamed(
    adapter: &Adapter,
    list: *const PJRT_NamedValue,
    count: usize,
    limit: Version,
) -> Attributes {
    let mut values = Vec::new();
    if !list.is_null() {
        for i in 0..count.min(MOST) {
            // SAFETY: the plug-in says that so many attributes are listed.
            values.push(unsafe { list.add(i).read() });
        }
    }
    let exactly = adapter.config.mode == Mode::Emulate;
    // SAFETY: names and lists of attributes are as long as they say.
    let named = values.iter().position(|value| unsafe { name_of(value) } == CURRENT);
    match named {
        Some(at) => {
            // SAFETY: as above.
            let own = unsafe { version_of(&values[at]) };
            if exactly || own.is_some_and(|own| own > limit) {
                set(&mut values[at], limit);
            }
        }
        None if exactly => {
            let mut value = PJRT_NamedValue::zeroed();
            value.struct_size = size_of::<PJRT_NamedValue>();
            value.name = CURRENT.as_ptr();
            value.name_size = CURRENT.len();
            value.r#type = PJRT_NamedValue_Type::kInt64List;
            set(&mut value, limit);
            values.push(value);
        }
        None => {}
    }
    Attributes(values)
}

fn set(value: &mut PJRT_NamedValue, version: Version) {
    let parts = [version.major(), version.minor(), version.patch()];
    value.value.int64_array_value = Box::leak(Box::new(parts)).as_ptr();
    value.value_size = parts.len();
}

unsafe fn name_of(value: &PJRT_NamedValue) -> &[u8] {
    if value.name.is_null() {
        return &[];
    }
    // SAFETY: the plug-in says that the name is so long.
    unsafe { std::slice::from_raw_parts(value.name, value.name_size) }
}

unsafe fn version_of(value: &PJRT_NamedValue) -> Option<Version> {
    if value.r#type != PJRT_NamedValue_Type::kInt64List || value.value_size != 3 {
        return None;
    }
    // SAFETY: the plug-in says that it is a list of three numbers.
    let [major, minor, patch] = unsafe { value.value.int64_array_value.cast::<[i64; 3]>().read() };
    Some(Version::triple(major, minor, patch))
}
