//! A source as a stream, for libraries that read archives from front to back or jump in them.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use crate::Source;

/// How much is read ahead after a jump, as to the header of a member, of which nothing but the header is wanted.
const FIRST: usize = 1 << 10;

/// How much is read ahead at most, of what is read in small steps without a jump, as a directory is.
const BLOCK: usize = 16 << 10;

/// A source with a position, for libraries that want to seek. Seeking keeps what was read ahead.
#[derive(Clone)]
pub struct SourceReader {
    source: Arc<dyn Source>,
    position: u64,
    block: Vec<u8>,
    block_start: u64,
    ahead: usize,
}

impl SourceReader {
    /// A reader that stands at the first byte.
    pub fn new(source: Arc<dyn Source>) -> Self {
        Self { source, position: 0, block: Vec::new(), block_start: 0, ahead: FIRST }
    }

    fn buffered(&self) -> &[u8] {
        let from = self.position.checked_sub(self.block_start);
        from.and_then(|from| self.block.get(usize::try_from(from).ok()?..)).unwrap_or(&[])
    }
}

impl Read for SourceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.buffered().is_empty() && buffer.len() < BLOCK {
            let goes_on = self.position == self.block_start.saturating_add(self.block.len() as u64);
            self.ahead = if goes_on { (self.ahead * 2).min(BLOCK) } else { FIRST };
            self.block.resize(self.ahead.max(buffer.len()), 0);
            let read = self.source.read_at(self.position, &mut self.block);
            self.block.truncate(*read.as_ref().unwrap_or(&0));
            self.block_start = self.position;
            read?;
        }
        let ready = self.buffered();
        let n = if ready.is_empty() {
            self.source.read_at(self.position, buffer)?
        } else {
            let n = ready.len().min(buffer.len());
            buffer[..n].copy_from_slice(&ready[..n]);
            n
        };
        self.position = self.position.saturating_add(n as u64);
        Ok(n)
    }
}

impl Seek for SourceReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(delta) => self.source.size().checked_add_signed(delta),
            SeekFrom::Current(delta) => self.position.checked_add_signed(delta),
        };
        self.position = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

/// What a reader makes of the bytes of a source, taken from the source's budget as it comes: what an archive in gzip inflates to,
/// also what is passed over.
pub struct ChargedReader<R> {
    source: Arc<dyn Source>,
    reader: R,
}

impl<R> ChargedReader<R> {
    /// Charges the source for what `reader` gives.
    pub fn new(source: Arc<dyn Source>, reader: R) -> Self {
        Self { source, reader }
    }
}

impl<R: Read> Read for ChargedReader<R> {
    /// A spent budget is a [`ReadError`](crate::ReadError) inside the error.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        let taken = self.source.budget().map_or(Ok(()), |budget| budget.bytes(n as u64));
        taken.map_err(|spent| io::Error::other(spent.in_file(self.source.name())))?;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BytesSource;

    #[test]
    fn small_steps_and_jumps_give_the_bytes_of_the_source() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
        let mut reader = SourceReader::new(Arc::new(BytesSource::new("bytes", bytes.clone())));
        let mut step = [0; 300];
        for from in [0_usize, 70_000, 5, 99_500] {
            reader.seek(SeekFrom::Start(from as u64)).unwrap_or_default();
            for at in (from..100_000).step_by(step.len()).take(200) {
                let end = (at + step.len()).min(bytes.len());
                let wanted = &mut step[..end - at];
                assert!(reader.read_exact(wanted).is_ok(), "{at}");
                assert_eq!(*wanted, bytes[at..end], "{at}");
            }
        }
    }
}
