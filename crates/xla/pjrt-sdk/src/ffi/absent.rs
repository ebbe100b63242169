//! The answers of functions that are not implemented.

use std::ffi::c_void;

use unskew_pjrt::layout::Function;
use unskew_pjrt::sys::bindings::PJRT_Error;

use super::Exports;
use super::error_object::ErrorObject;
use crate::Error;

/// A function of the table.
pub(crate) type Slot = unsafe extern "C" fn(*mut c_void) -> *mut PJRT_Error;

const COUNT: usize = Function::ALL.len();

/// For each function, in the order of the table, one that says it is not implemented.
pub(crate) fn answers<P: Exports>() -> [Slot; COUNT] {
    macro_rules! each {
        ($($digit:literal)*) => {
            [$(answer::<P, $digit>,)*]
        };
    }
    each! {
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35
        36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68
        69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100
        101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125
        126 127 128 129 130 131 132 133 134 135 136 137
    }
}

/// A function per slot, since a slot is called without saying which it is.
unsafe extern "C" fn answer<P: Exports, const AT: usize>(_: *mut c_void) -> *mut PJRT_Error {
    let name = Function::ALL[AT].name();
    let platform = &P::exported().name;
    ErrorObject::leak(Error::unimplemented(format!("{platform}: {name} is not implemented")))
}
