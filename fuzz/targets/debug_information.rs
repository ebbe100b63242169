//! Shared objects with debug information (DWARF): what the headers declared from which they were built.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_c_headers::Headers;
use unskew_fuzz::sides;

fuzz_target!(|bytes: &[u8]| sides::compare(&Headers, "a.so", bytes));
