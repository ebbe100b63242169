//! Numbers and texts of a header, read one after the other in blocks.

use std::sync::Arc;

use unskew_source::{ReadError, Source, SourceExt as _, SourceProblem};

/// How much is read at once.
const BLOCK: u64 = 64 << 10;

/// How long a header may be. Those of real models have some megabytes: the tokenizer.
const LONGEST_HEADER: u64 = 256 << 20;

/// A place in a header, and how its numbers are written.
pub(crate) struct Cursor<'a> {
    source: &'a Arc<dyn Source>,
    at: u64,
    block: Vec<u8>,
    /// Where the block begins.
    begin: u64,
    /// Whether numbers have their highest byte first.
    pub(crate) is_big_endian: bool,
    /// Whether lengths and counts have eight bytes: those of version 1 have four.
    pub(crate) is_wide: bool,
}

impl<'a> Cursor<'a> {
    /// At this byte, little-endian and wide.
    pub(crate) fn new(source: &'a Arc<dyn Source>, at: u64) -> Self {
        Self { source, at, block: Vec::new(), begin: 0, is_big_endian: false, is_wide: true }
    }

    /// The byte that is read next.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// An error about what stands here.
    pub(crate) fn error(&self, what: impl Into<String>) -> ReadError {
        ReadError::malformed(self.source.name(), what).at(self.at)
    }

    /// Passes over `count` bytes.
    pub(crate) fn skip(&mut self, count: u64) -> Result<(), ReadError> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.source.size());
        let Some(end) = end else {
            let needed = self.at.saturating_add(count);
            let problem = SourceProblem::Truncated { len: self.source.size(), needed };
            return Err(ReadError::new(self.source.name(), problem).at(self.at));
        };
        if end > LONGEST_HEADER {
            let what = "the header".to_owned();
            let problem = SourceProblem::TooLarge { what, size: end, limit: LONGEST_HEADER };
            return Err(ReadError::new(self.source.name(), problem).at(self.at));
        }
        self.at = end;
        Ok(())
    }

    /// The next `count` bytes; `count` is small.
    pub(crate) fn take(&mut self, count: u64) -> Result<&[u8], ReadError> {
        let from = self.at;
        self.skip(count)?;
        let is_there = from >= self.begin && self.at <= self.begin + self.block.len() as u64;
        if !is_there {
            let length = count.max(BLOCK).min(self.source.size() - from);
            self.block = self.source.bytes(from, length)?;
            self.begin = from;
        }
        let start = usize::try_from(from - self.begin).unwrap_or(usize::MAX);
        let taken =
            usize::try_from(count).ok().and_then(|count| self.block.get(start..start + count));
        taken.ok_or_else(|| ReadError::malformed(self.source.name(), "cannot be read").at(from))
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let is_big = self.is_big_endian;
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N as u64)?);
        if is_big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// A number of `size` bytes, 1 to 8, without its sign.
    pub(crate) fn unsigned(&mut self, size: u64) -> Result<u64, ReadError> {
        Ok(match size {
            1 => u64::from(self.number::<1>()?[0]),
            2 => u64::from(u16::from_le_bytes(self.number()?)),
            4 => u64::from(u32::from_le_bytes(self.number()?)),
            _ => u64::from_le_bytes(self.number()?),
        })
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ReadError> {
        Ok(u32::from_le_bytes(self.number()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ReadError> {
        Ok(u64::from_le_bytes(self.number()?))
    }

    /// A length or a count.
    pub(crate) fn count(&mut self) -> Result<u64, ReadError> {
        self.unsigned(if self.is_wide { 8 } else { 4 })
    }

    /// A text of at most `longest` bytes; the place behind a longer one, and none.
    pub(crate) fn text(&mut self, longest: u64) -> Result<Option<String>, ReadError> {
        let length = self.count()?;
        if length > longest {
            self.skip(length)?;
            return Ok(None);
        }
        Ok(Some(String::from_utf8_lossy(self.take(length)?).into_owned()))
    }

    /// Takes from the budget what is made of the file.
    pub(crate) fn nodes(&self, count: u64) -> Result<(), ReadError> {
        self.source.nodes(count)
    }
}
