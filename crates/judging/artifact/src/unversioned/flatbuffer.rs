//! The operator versions of a TensorFlow Lite model: a few tables of a flatbuffer, read by range.

use std::sync::Arc;

use unskew_source::{ReadError, Source, SourceExt};

use super::Facts;

/// The most operator codes that are looked at.
const CODES: u64 = 4096;

/// How many operators are named.
const NAMED: usize = 12;

/// The schema version of the model, and the version of each operator code. A file that is cut, or no flatbuffer inside,
/// has none.
pub(super) fn facts(source: &Arc<dyn Source>) -> Result<Facts, ReadError> {
    let reader = Reader { source };
    let mut facts = Facts::new();
    let Some(root) = reader.offset(0)? else { return Ok(facts) };
    if let Some(at) = reader.field(root, 0)?
        && let Some(version) = reader.int(at)?
    {
        facts.push(("schema version", version.to_string()));
    }
    let Some(vector) = reader.field(root, 1)? else { return Ok(facts) };
    let Some(vector) = reader.offset(vector)? else { return Ok(facts) };
    let Some(count) = reader.int(vector)? else { return Ok(facts) };
    let count = u64::from(count.cast_unsigned());
    let mut versions = Vec::new();
    for number in 0..count.min(CODES) {
        let Some(code) = reader.offset(vector + 4 + number * 4)? else { break };
        let old = match reader.field(code, 0)? {
            Some(at) => reader.byte(at)?.unwrap_or(0),
            None => 0,
        };
        let new = match reader.field(code, 3)? {
            Some(at) => reader.int(at)?.unwrap_or(0),
            None => 0,
        };
        let version = match reader.field(code, 2)? {
            Some(at) => reader.int(at)?.unwrap_or(1),
            None => 1,
        };
        // Codes up to 126 stand in the old field, which has one byte.
        versions.push((new.max(i32::from(old)), version));
    }
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
    Ok(facts)
}

/// Numbers at places of the file; none behind its end.
struct Reader<'s> {
    source: &'s Arc<dyn Source>,
}

impl Reader<'_> {
    fn bytes<const N: usize>(&self, at: u64) -> Result<Option<[u8; N]>, ReadError> {
        if at.checked_add(N as u64).is_none_or(|end| end > self.source.size()) {
            return Ok(None);
        }
        Ok(self.source.bytes(at, N as u64)?.try_into().ok())
    }

    fn int(&self, at: u64) -> Result<Option<i32>, ReadError> {
        Ok(self.bytes(at)?.map(i32::from_le_bytes))
    }

    fn byte(&self, at: u64) -> Result<Option<u8>, ReadError> {
        Ok(self.bytes::<1>(at)?.map(|[byte]| byte))
    }

    /// Where the offset at `at` leads.
    fn offset(&self, at: u64) -> Result<Option<u64>, ReadError> {
        let offset = self.bytes(at)?.map(u32::from_le_bytes);
        Ok(offset.and_then(|offset| at.checked_add(offset.into())))
    }

    /// Where the field of this number stands in a table; none if the table leaves it out.
    fn field(&self, table: u64, number: u64) -> Result<Option<u64>, ReadError> {
        let Some(back) = self.int(table)? else { return Ok(None) };
        let Some(layout) = table.checked_add_signed(-i64::from(back)) else { return Ok(None) };
        let short = |at: u64| Ok::<_, ReadError>(self.bytes(at)?.map(u16::from_le_bytes));
        let place = 4 + number * 2;
        if short(layout)?.is_none_or(|size| u64::from(size) < place + 2) {
            return Ok(None);
        }
        let offset = short(layout + place)?.filter(|offset| *offset != 0);
        Ok(offset.map(|offset| table + u64::from(offset)))
    }
}
