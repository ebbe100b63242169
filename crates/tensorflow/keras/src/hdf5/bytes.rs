//! Numbers one behind the other, each checked against the end.

use unskew_source::ReadError;

use super::UNDEFINED;

/// A place in bytes that were read from `start` of the file on.
pub(super) struct Cursor<'b> {
    file: &'b str,
    bytes: &'b [u8],
    start: u64,
    at: usize,
    offset_size: u8,
    length_size: u8,
}

impl<'b> Cursor<'b> {
    pub(super) fn new(
        file: &'b str,
        bytes: &'b [u8],
        start: u64,
        offset_size: u8,
        length_size: u8,
    ) -> Self {
        Self { file, bytes, start, at: 0, offset_size, length_size }
    }

    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: usize) -> Result<&'b [u8], ReadError> {
        let end = self.at.checked_add(len);
        let bytes = end.and_then(|end| self.bytes.get(self.at..end));
        let bytes = bytes.ok_or_else(|| self.error("ends in a record"))?;
        self.at += len;
        Ok(bytes)
    }

    pub(super) fn skip(&mut self, len: usize) -> Result<(), ReadError> {
        self.take(len).map(drop)
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn position(&self) -> u64 {
        self.start.saturating_add(self.at as u64)
    }

    /// A number of 1 to 8 bytes, the lowest first.
    pub(super) fn number(&mut self, size: u8) -> Result<u64, ReadError> {
        let bytes = self.take(usize::from(size.min(8)))?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    pub(super) fn byte(&mut self) -> Result<u8, ReadError> {
        self.take(1).map(|bytes| bytes.first().copied().unwrap_or_default())
    }

    pub(super) fn short(&mut self) -> Result<u16, ReadError> {
        self.number(2).map(|number| number as u16)
    }

    pub(super) fn word(&mut self) -> Result<u32, ReadError> {
        self.number(4).map(|number| number as u32)
    }

    /// An address; all bits set, in whatever size, leads nowhere.
    pub(super) fn offset(&mut self) -> Result<u64, ReadError> {
        let number = self.number(self.offset_size)?;
        let most = if self.offset_size >= 8 { u64::MAX } else { (1 << (8 * self.offset_size)) - 1 };
        Ok(if number == most { UNDEFINED } else { number })
    }

    pub(super) fn length(&mut self) -> Result<u64, ReadError> {
        self.number(self.length_size)
    }

    /// `sign` and nothing else.
    pub(super) fn sign(&mut self, sign: &[u8; 4]) -> Result<(), ReadError> {
        match self.take(4)? == sign {
            true => Ok(()),
            false => Err(self.error(&format!("no {} where one has to stand", sign.escape_ascii()))),
        }
    }

    pub(super) fn error(&self, what: &str) -> ReadError {
        ReadError::malformed(self.file, what).at(self.position())
    }
}
