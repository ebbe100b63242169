//! PJRT: the options of a compilation, read and updated.

use unskew_pjrt::convert::compile_options::{CompileOptions, update_debug_options};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let read = CompileOptions::read(bytes);
    if let Ok(updated) = update_debug_options(bytes) {
        let again = CompileOptions::read(&updated);
        assert_eq!(read.ok(), again.ok(), "updating changed what is read");
    }
}
