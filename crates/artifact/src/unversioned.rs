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
    let Some(kind) = kind(&head, source.size()) else { return Ok(None) };
    let file = source.name().rsplit(['/', '\\', '!']).next().unwrap_or_default();
    let note = rules::NoVersion { file: &file, kind: &kind }.finding();
    Ok(Some(Party::new(file, Role::Artifact, kind).note(note)))
}

fn kind(head: &[u8], size: u64) -> Option<&'static str> {
    let at = |from: usize, magic: &[u8]| head.get(from..).is_some_and(|h| h.starts_with(magic));
    if at(0, b"\x89HDF\r\n\x1a\n") {
        Some("HDF5 file")
    } else if at(0, b"GGUF") {
        Some("GGUF file")
    } else if at(4, b"TFL3") {
        Some("TensorFlow Lite model")
    } else if is_safetensors(head, size) {
        Some("safetensors file")
    } else {
        None
    }
}

/// Safetensors has no magic: the length of a JSON header in eight bytes, then its brace.
fn is_safetensors(head: &[u8], size: u64) -> bool {
    let Some((length, rest)) = head.split_first_chunk::<8>() else { return false };
    let length = u64::from_le_bytes(*length);
    rest.starts_with(b"{") && length >= 2 && length <= size.saturating_sub(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_beyond_the_file_is_no_safetensors() {
        let mut head = 100u64.to_le_bytes().to_vec();
        head.extend(b"{\"a\":{}}");
        assert_eq!(kind(&head, 200), Some("safetensors file"));
        assert_eq!(kind(&head, 50), None);
        assert_eq!(kind(b"", 0), None);
    }
}
