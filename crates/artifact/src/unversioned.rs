//! Known formats that carry no version to check, by their first bytes.

use std::sync::Arc;

use unskew_core::{Party, Role};
use unskew_source::{ReadError, Source, SourceExt};

use crate::rules;

/// A party with nothing to check and a note that says so, or none if the format is not known.
///
/// # Errors
/// If the first bytes cannot be read.
pub(crate) fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let head = source.head(16)?;
    let Some(kind) = kind(&head) else { return Ok(None) };
    let file = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let note = rules::NoVersion { file: &file, kind: &kind }.finding();
    Ok(Some(Party::new(file, Role::Artifact, kind).note(note)))
}

fn kind(head: &[u8]) -> Option<&'static str> {
    let at = |from: usize, magic: &[u8]| head.get(from..).is_some_and(|h| h.starts_with(magic));
    if at(0, b"\x89HDF\r\n\x1a\n") {
        Some("HDF5 file")
    } else if at(0, b"GGUF") {
        Some("GGUF file")
    } else if at(4, b"TFL3") {
        Some("TensorFlow Lite model")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_file_is_none_of_these() {
        assert_eq!(kind(b"GGUF\x03\0\0\0"), Some("GGUF file"));
        assert_eq!(kind(b"\x1c\0\0\0TFL3"), Some("TensorFlow Lite model"));
        assert_eq!(kind(b"GGU"), None);
        assert_eq!(kind(b""), None);
    }
}
