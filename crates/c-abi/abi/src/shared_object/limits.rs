//! How much of a table of symbols is read.

/// The most symbols, imports or needed libraries of one shared object.
pub(super) const MOST_ENTRIES: usize = 1 << 21;

/// The longest name of a symbol or library that is kept.
const LONGEST_NAME: usize = 4096;

/// A name from a foreign table as text: cut at a sane length, with odd bytes replaced.
pub(super) fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_NAME)]).into_owned()
}
