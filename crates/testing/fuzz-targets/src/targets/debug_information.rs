//! Shared objects with debug information (DWARF): what the headers declared from which they were built.

use unskew_c_headers::Headers;
use crate::sides;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    sides::compare(&Headers, "a.so", bytes);
}
