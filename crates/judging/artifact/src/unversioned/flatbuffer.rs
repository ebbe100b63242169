//! The operator versions of a TensorFlow Lite model: a few tables of a flatbuffer, read by range.

use std::sync::Arc;

use unskew_source::flatbuffer::{FlatTable, Flatbuffer};
use unskew_source::{ReadError, Source};

use super::Facts;

/// The most operator codes that are looked at.
const CODES: u64 = 4096;

/// How many operators are named.
const NAMED: usize = 12;

/// The fields of the model at the root.
mod model {
    pub(super) const VERSION: u64 = 0;
    pub(super) const OPERATOR_CODES: u64 = 1;
}

/// The fields of an operator code.
mod code {
    /// Codes up to 126, one byte.
    pub(super) const OLD: u64 = 0;
    pub(super) const VERSION: u64 = 2;
    pub(super) const NEW: u64 = 3;
}

/// The schema version of the model, and the version of each operator code, as far as the file can be read: one that is
/// cut, or no flatbuffer inside, says nothing.
pub(super) fn facts(source: &Arc<dyn Source>) -> Facts {
    let buffer = Flatbuffer::new(&**source);
    let Ok(root) = buffer.root() else { return Facts::new() };
    let mut facts = Facts::new();
    if let Ok(version @ 1..) = buffer.scalar(root, model::VERSION, 4) {
        facts.push(("schema version", version.to_string()));
    }
    let mut versions = versions(&buffer, root);
    versions.sort_unstable();
    versions.dedup();
    let named: Vec<String> = versions
        .iter()
        .take(NAMED)
        .map(|(code, version)| format!("{code} version {version}"))
        .collect();
    let more = versions.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if !named.is_empty() {
        facts.push(("operator codes", format!("{}{more}", named.join(", "))));
    }
    facts
}

/// Codes with their versions, up to the first that cannot be read.
fn versions(buffer: &Flatbuffer<'_>, root: FlatTable) -> Vec<(i32, i32)> {
    let Ok(codes) = buffer.vector(root, model::OPERATOR_CODES, 4) else { return Vec::new() };
    let read = |index: u64| -> Result<(i32, i32), ReadError> {
        let table = buffer.element(codes, index)?;
        let old = buffer.scalar(table, code::OLD, 1)? as u8;
        let new = buffer.int(table, code::NEW, 0)?;
        Ok((new.max(i32::from(old)), buffer.int(table, code::VERSION, 1)?))
    };
    (0..codes.len.min(CODES)).map_while(|index| read(index).ok()).collect()
}
