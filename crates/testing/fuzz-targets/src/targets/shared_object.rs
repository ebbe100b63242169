//! Shared objects: ELF, Mach-O, PE.

use crate::source;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Some(object)) = unskew_abi::SharedObject::read(&source("f.so", bytes)) {
        let _ = (object.exports("GetPjrtApi"), object.imports("malloc"));
    }
}
