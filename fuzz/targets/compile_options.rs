//! PJRT: the options of a compilation, read and mended.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_pjrt::convert::compile_options::{CompileOptions, mend_debug_options};

fuzz_target!(|bytes: &[u8]| {
    let read = CompileOptions::read(bytes);
    if let Ok(mended) = mend_debug_options(bytes) {
        let again = CompileOptions::read(&mended);
        assert_eq!(read.ok(), again.ok(), "mending changed what is read");
    }
});
