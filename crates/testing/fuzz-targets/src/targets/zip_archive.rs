//! Zip archives, and each of their members.

use crate::source;
use unskew_source::{Archive, SourceExt};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(archive) = Archive::open(source("f.zip", bytes)) else { return };
    for entry in archive.entries().iter().take(64) {
        let _ = archive.member(entry).map(|member| member.head(64));
        let _ = archive.copy(entry, &mut std::io::sink(), 1 << 20);
    }
}
