//! JSON in a source.

use serde_json::Value;

use crate::{ReadError, Source, SourceExt as _};

/// Reads a source as JSON. Its values take from the budget; it may nest 128 levels deep.
///
/// # Errors
/// If it is larger than [`limits::RECORD`](crate::limits::RECORD), over its budget, or not JSON.
pub fn read_json(source: &dyn Source) -> Result<Value, ReadError> {
    let text = source.all()?;
    let values = text.iter().filter(|byte| matches!(byte, b',' | b'{' | b'[')).count();
    source.nodes(values as u64)?;
    serde_json::from_slice(&text)
        .map_err(|error| ReadError::malformed(source.name(), format!("not JSON: {error}")))
}
