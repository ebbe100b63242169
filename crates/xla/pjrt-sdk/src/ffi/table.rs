//! The table of functions.

use std::mem::size_of;

use unskew_pjrt::layout::{self, FIRST_SLOT, Function};
use unskew_pjrt::sys::bindings::PJRT_Api_Version;

use super::{Exports, absent, error_object, serve};

/// The table of `minor`: head, version, and a function in every slot.
pub(crate) fn table<P: Exports>(minor: i32) -> Box<[usize]> {
    let size = layout::table_size(minor).map_or(FIRST_SLOT, |table| table.end);
    let mut table = vec![0_usize; size / size_of::<usize>()];
    // The size that the headers of this minor declare: some say less than they have.
    table[0] = layout::table_size(minor).map_or(size, |table| table.declared);
    table[2] = size_of::<PJRT_Api_Version>();
    // Major 0 in the lower half, the minor in the upper.
    table[4] = (minor as usize) << 32;
    for (function, address) in Function::ALL.into_iter().zip(absent::answers::<P>()) {
        let slot = function.slot();
        if let Some(place) = table.get_mut(slot.offset / size_of::<usize>())
            && slot.since <= minor
        {
            *place = address as usize;
        }
    }
    let served = serve::functions::<P>().into_iter().chain(error_object::functions());
    for (function, address) in served {
        let slot = function.slot();
        if let Some(place) = table.get_mut(slot.offset / size_of::<usize>())
            && slot.since <= minor
        {
            *place = address;
        }
    }
    table.into_boxed_slice()
}
