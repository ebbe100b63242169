//! C headers: their declarations, the sizes they announce, and where the fields lie.

use unskew_c_headers::header::{Header, Layouts};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let header = Header::read(bytes);
    let mut layouts = Layouts::for_headers([&header]);
    for (_, record) in header.records() {
        let _ = layouts.layout(&record.name);
    }
    let _ = header.announced().count();
}
