//! Reading bytes, varints and texts of a part of a source, a block at a time.

use unskew_source::{ReadError, Source, SourceExt, SourceProblem};

/// How much is read ahead.
const BLOCK: u64 = 4 << 10;

/// A part of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// A place in a part of a source; what lies behind its end is not there.
pub(crate) struct Cursor<'s> {
    source: &'s dyn Source,
    position: u64,
    end: u64,
    block: Vec<u8>,
    block_start: u64,
}

impl<'s> Cursor<'s> {
    /// At the start of `span`, which ends no later than the source.
    pub(crate) fn new(source: &'s dyn Source, span: Span) -> Self {
        let end = span.end.min(source.size());
        let position = span.start.min(end);
        Self { source, position, end, block: Vec::new(), block_start: 0 }
    }

    /// At the start of a part of the same source, which ends no later than this one.
    pub(crate) fn within(&self, span: Span) -> Self {
        Self::new(self.source, Span { end: span.end.min(self.end), ..span })
    }

    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    pub(crate) fn left(&self) -> u64 {
        self.end - self.position
    }

    /// Takes what was made from the budget of the file.
    pub(crate) fn made(&self, count: u64) -> Result<(), ReadError> {
        self.source.nodes(count)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, ReadError> {
        if self.position >= self.end {
            return Err(self.truncated(self.position.saturating_add(1)));
        }
        let at =
            self.position.checked_sub(self.block_start).and_then(|at| usize::try_from(at).ok());
        let byte = match at.and_then(|at| self.block.get(at)) {
            Some(byte) => *byte,
            None => {
                let len = (self.source.size() - self.position).min(BLOCK);
                self.block = self.source.bytes(self.position, len)?;
                self.block_start = self.position;
                *self.block.first().ok_or_else(|| self.truncated(self.position))?
            }
        };
        self.position += 1;
        Ok(byte)
    }

    /// A number of one to nine bytes: the zeros at the low end of the first say how many follow.
    pub(crate) fn varint(&mut self) -> Result<u64, ReadError> {
        let first = self.byte()?;
        let more = first.trailing_zeros();
        let mut value = u64::from(first) >> (more + 1).min(8);
        for index in 0..more {
            let shift = if more == 8 { 8 * index } else { 7 - more + 8 * index };
            value |= u64::from(self.byte()?) << shift;
        }
        Ok(value)
    }

    /// The number at the start of `span`; this place stays where it is.
    pub(crate) fn peek_varint(&mut self, span: Span) -> Result<u64, ReadError> {
        let (position, end) = (self.position, self.end);
        (self.position, self.end) = (span.start, span.end.min(end));
        let value = self.varint();
        (self.position, self.end) = (position, end);
        value
    }

    /// A varint that says how many things of at least one byte follow, or how many bytes.
    pub(crate) fn count(&mut self, what: &str) -> Result<usize, ReadError> {
        let at = self.position;
        let count = self.varint()?;
        if count > self.left() {
            let what = format!("{count} {what} in {} bytes", self.left());
            return Err(self.malformed(at, &what));
        }
        usize::try_from(count).map_err(|_| self.malformed(at, what))
    }

    /// Goes on `len` bytes further.
    pub(crate) fn skip(&mut self, len: u64) -> Result<Span, ReadError> {
        let start = self.position;
        let end = start.checked_add(len).filter(|end| *end <= self.end);
        self.position = end.ok_or_else(|| self.truncated(start.saturating_add(len)))?;
        Ok(Span { start, end: self.position })
    }

    /// Goes on to the next multiple of `alignment`.
    pub(crate) fn align(&mut self, alignment: u64) -> Result<(), ReadError> {
        let padded = self.position.checked_next_multiple_of(alignment.max(1));
        let padded = padded.ok_or_else(|| self.malformed(self.position, "an alignment"))?;
        self.skip(padded - self.position).map(drop)
    }

    /// The text up to a zero byte, of at most `limit` bytes.
    pub(crate) fn terminated(&mut self, limit: usize) -> Result<String, ReadError> {
        let start = self.position;
        let mut bytes = Vec::new();
        loop {
            match self.byte()? {
                0 => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                _ if bytes.len() >= limit => {
                    return Err(
                        self.malformed(start, &format!("a text of more than {limit} bytes"))
                    );
                }
                byte => bytes.push(byte),
            }
        }
    }

    pub(crate) fn malformed(&self, at: u64, what: &str) -> ReadError {
        ReadError::malformed(self.source.name(), format!("not MLIR bytecode: {what}")).at(at)
    }

    fn truncated(&self, needed: u64) -> ReadError {
        ReadError::new(self.source.name(), SourceProblem::Truncated { len: self.end, needed })
            .at(self.position)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unskew_source::BytesSource;

    use super::*;

    fn varint(bytes: &[u8]) -> Result<u64, ReadError> {
        let source = BytesSource::new("v", bytes.to_vec());
        Cursor::new(&source, Span { start: 0, end: u64::MAX }).varint()
    }

    /// The shortest form of a number, by the public description of the format.
    fn encoded(value: u64) -> Vec<u8> {
        match (1..=8).find(|len| value < 1 << (7 * len)) {
            Some(len) => ((value << len) | (1 << (len - 1))).to_le_bytes()[..len].to_vec(),
            None => [vec![0], value.to_le_bytes().to_vec()].concat(),
        }
    }

    #[test]
    fn the_zeros_at_the_low_end_say_how_many_bytes_follow() {
        assert_eq!(varint(&[0x0d]).unwrap(), 6);
        assert_eq!(varint(&[0x95, 0x15]).unwrap(), 0x4a);
        assert_eq!(varint(&[0x02, 0x5d]).unwrap(), 0x5d << 6);
        assert_eq!(varint(&[0, 1, 0, 0, 0, 0, 0, 0, 0x80]).unwrap(), (1 << 63) + 1);
        assert!(varint(&[0, 1]).is_err());
    }

    #[test]
    fn a_count_beyond_what_is_there_is_refused() {
        let source = BytesSource::new("v", vec![0, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
        let error = Cursor::new(&source, Span { start: 0, end: 10 }).count("strings").unwrap_err();
        assert!(error.to_string().contains("18446744073709551615 strings in 1 bytes"), "{error}");
    }

    proptest! {
        #[test]
        fn every_number_is_read_as_it_was_written(value in any::<u64>(), shift in 0..64u32) {
            let value = value >> shift;
            prop_assert_eq!(varint(&encoded(value)).unwrap(), value);
        }
    }
}
