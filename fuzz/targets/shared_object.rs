//! Shared objects: ELF, Mach-O, PE.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::source;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(Some(object)) = unskew_abi::SharedObject::read(&source("f.so", bytes)) {
        let _ = (object.exports("GetPjrtApi"), object.imports("malloc"));
    }
});
