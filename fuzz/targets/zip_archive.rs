//! Zip archives, and each of their members.
#![no_main]

use libfuzzer_sys::fuzz_target;
use unskew_fuzz::source;
use unskew_source::{Archive, SourceExt};

fuzz_target!(|bytes: &[u8]| {
    let Ok(archive) = Archive::open(source("f.zip", bytes)) else { return };
    for entry in archive.entries().iter().take(64) {
        let _ = archive.member(entry).map(|member| member.head(64));
        let _ = archive.copy(entry, &mut std::io::sink(), 1 << 20);
    }
});
