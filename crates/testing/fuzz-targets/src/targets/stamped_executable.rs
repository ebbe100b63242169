//! PJRT: an executable that may have a stamp.

use unskew_pjrt::convert::stamp::{MAGIC, Opened, open, stamp};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    // Most inputs would fail at the magic number.
    for file in [bytes.to_vec(), [&MAGIC, bytes].concat()] {
        if let Ok(Opened::Stamped { fingerprint, executable }) = open(&file) {
            assert!(fingerprint.accepts(&fingerprint).is_ok());
            assert!(open(&stamp(executable, &fingerprint)).is_ok());
        }
    }
}
