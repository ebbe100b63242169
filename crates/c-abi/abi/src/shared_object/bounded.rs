//! Range reads for the object-file parser, bounded in memory.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use object::read::{ReadCache, ReadRef};
use unskew_source::{ReadError, Source, SourceProblem, limits};

/// The most bytes of one table. The names of TensorFlow's largest library take 82 MB since 2.19.
const LARGEST_TABLE: u64 = 2 * limits::RECORD;

/// The most bytes of all tables of one shared object together.
const ALL_TABLES: u64 = 4 * limits::RECORD;

/// A source as a stream, which is what the parser's cache reads.
pub(super) struct SourceReader {
    source: Arc<dyn Source>,
    at: u64,
    failed: Failed,
}

/// Why the last read failed; the parser only says that it did.
type Failed = Rc<RefCell<Option<io::Error>>>;

impl SourceReader {
    pub(super) fn new(source: Arc<dyn Source>) -> Self {
        Self { source, at: 0, failed: Failed::default() }
    }

    pub(super) fn failed(&self) -> Failed {
        Rc::clone(&self.failed)
    }
}

impl Read for SourceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read_at(self.at, buffer).map_err(|error| {
            let kind = error.kind();
            *self.failed.borrow_mut() = Some(error);
            io::Error::from(kind)
        })?;
        self.at = self.at.saturating_add(n as u64);
        Ok(n)
    }
}

impl Seek for SourceReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(delta) => self.source.size().checked_add_signed(delta),
            SeekFrom::Current(delta) => self.at.checked_add_signed(delta),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// What the parser reads through. A hostile file may declare a table of the size of the whole file,
/// many times over; the parser's own cache would keep each, so every read is counted here.
pub(super) struct Bounded<'a> {
    cache: &'a ReadCache<SourceReader>,
    size: u64,
    left: Cell<u64>,
    refused: Cell<u64>,
    failed: Failed,
}

impl<'a> Bounded<'a> {
    pub(super) fn new(cache: &'a ReadCache<SourceReader>, size: u64, failed: Failed) -> Self {
        Self { cache, size, left: Cell::new(ALL_TABLES), refused: Cell::new(0), failed }
    }

    fn charge(&self, size: u64) -> Result<(), ()> {
        match self.left.get().checked_sub(size) {
            Some(left) if size <= LARGEST_TABLE => {
                self.left.set(left);
                Ok(())
            }
            _ => {
                self.refused.set(size);
                Err(())
            }
        }
    }

    /// The error of a file that could not be parsed: not readable, or too large, if a read failed or was refused for that.
    pub(super) fn refusal(&self, file: &str, parser: &str) -> ReadError {
        if let Some(error) = self.failed.take() {
            return ReadError::new(file, error.into());
        }
        match self.refused.get() {
            0 => ReadError::malformed(file, format!("broken shared object: {parser}")),
            size => {
                let what = "a table of the shared object".to_owned();
                ReadError::new(file, SourceProblem::TooLarge { what, size, limit: LARGEST_TABLE })
            }
        }
    }
}

impl<'a> ReadRef<'a> for &'a Bounded<'a> {
    fn len(self) -> Result<u64, ()> {
        Ok(self.size)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.charge(size)?;
        self.cache.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        // The cache reads at most one page for a string.
        self.charge(4096.min(range.end.saturating_sub(range.start)))?;
        self.cache.read_bytes_at_until(range, delimiter)
    }
}
