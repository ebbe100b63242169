//! `PJRT_Client_UpdateGlobalProcessInfo`: an array whose elements got a size in front in August 2025,
//! in the middle of minor 75.

use std::ffi::c_void;

use unskew_pjrt::layout::{Function, find_struct};
use unskew_pjrt::sys::bindings::*;

use super::{ADAPTER, absent, errors, guarded};

/// The element without its size, in words, and with it.
const WITHOUT: usize = 5;
const WITH: usize = 6;

/// The most processes of a job that are believed.
const MOST: usize = 1 << 20;

pub unsafe extern "C" fn update(arguments: *mut c_void) -> *mut PJRT_Error {
    let Some(adapter) = ADAPTER.get() else { return absent::failed() };
    let function = Function::PJRT_Client_UpdateGlobalProcessInfo;
    let Some(call) = adapter.function(function) else { return absent::unimplemented(function) };
    let record = find_struct("PJRT_ProcessInfo");
    let words = |size: Option<&unskew_pjrt::layout::Size>| size.map_or(WITH, |size| size.end / 8);
    let from = words(record.and_then(|record| adapter.ages.host_size(record)));
    let to = words(record.and_then(|record| adapter.ages.plugin_size(record)));
    if from == to {
        // SAFETY: the host's arguments are those of the function.
        return unsafe { call(arguments) };
    }
    guarded(|| {
        let host = arguments.cast::<PJRT_Client_UpdateGlobalProcessInfo_Args>();
        // SAFETY: as above.
        let mut copy = unsafe { *host };
        if copy.num_process_infos > MOST || copy.process_infos.is_null() {
            return errors::raise(PJRT_Error_Code::INVALID_ARGUMENT, "no list of processes");
        }
        // SAFETY: the host says that so many elements are listed, in the size of its age.
        let elements = unsafe {
            std::slice::from_raw_parts(
                copy.process_infos.cast::<u64>(),
                copy.num_process_infos * from,
            )
        };
        let mut converted = converted(elements, from, to);
        copy.process_infos = converted.as_mut_ptr().cast();
        copy.struct_size = adapter.api.size_of::<PJRT_Client_UpdateGlobalProcessInfo_Args>();
        // SAFETY: the list lives until the call returns.
        unsafe { call((&raw mut copy).cast()) }
    })
}

/// The elements, each with a size in front or without.
fn converted(elements: &[u64], from: usize, to: usize) -> Vec<u64> {
    let mut list = Vec::with_capacity(elements.len() / from * to);
    for element in elements.chunks_exact(from) {
        let fields = &element[from - WITHOUT..];
        if to == WITH {
            list.push((WITH * 8) as u64);
        }
        list.extend_from_slice(fields);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_get_their_size_and_lose_it_again() {
        let old = [1, 2, 3, 4, 5, 11, 12, 13, 14, 15];
        let new = converted(&old, WITHOUT, WITH);
        assert_eq!(new, [48, 1, 2, 3, 4, 5, 48, 11, 12, 13, 14, 15]);
        assert_eq!(converted(&new, WITH, WITHOUT), old);
    }
}
