//! Positioned reads.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::{Budget, ReadError, SourceProblem, copy, limits, open_regular};

/// Something whose bytes can be read at any place, from several threads at once.
pub trait Source: Send + Sync {
    /// The name that errors and findings show.
    fn name(&self) -> &str;

    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Reads some bytes from `offset` on, as many as fit into `buffer` or as there are; 0 at the end.
    ///
    /// # Errors
    /// Whatever the system says.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// What the file that it lies in may still take; none if nobody counts yet.
    fn budget(&self) -> Option<&Budget> {
        None
    }

    /// Appends the bytes of `range` to `file`. A source that lies in a file lets the system copy them,
    /// which shares the blocks where the file system can.
    ///
    /// # Errors
    /// If they cannot be read or written, or the source ends before.
    fn copy_to(&self, range: Range<u64>, file: &mut File) -> io::Result<()> {
        copy::through_memory(self, range, file)
    }
}

/// Reads built on [`Source::read_at`].
pub trait SourceExt: Source {
    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// [`SourceProblem::Truncated`] if the source ends before, or [`SourceProblem::Io`].
    fn fill(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadError> {
        let mut done = 0;
        while done < buffer.len() {
            let at = offset.saturating_add(done as u64);
            match self.read_at(at, &mut buffer[done..]) {
                Ok(0) => {
                    let needed = offset.saturating_add(buffer.len() as u64);
                    let problem = SourceProblem::Truncated { len: self.size(), needed };
                    return Err(ReadError::new(self.name(), problem).at(offset));
                }
                Ok(n) => done += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::new(self.name(), error.into()).at(at)),
            }
        }
        Ok(())
    }

    /// What the file that it lies in may still take; a new budget if nobody counts yet.
    fn budget_or_new(&self) -> Budget {
        self.budget().cloned().unwrap_or_else(|| Budget::for_size(self.size()))
    }

    /// Takes what is made of its bytes from the budget, if somebody counts.
    ///
    /// # Errors
    /// [`SourceProblem::Budget`] if there is not so much left.
    fn nodes(&self, count: u64) -> Result<(), ReadError> {
        let taken = self.budget().map_or(Ok(()), |budget| budget.nodes(count));
        taken.map_err(|spent| spent.in_file(self.name()))
    }

    /// The `len` bytes from `offset` on. Nothing is allocated for bytes that are not there.
    ///
    /// # Errors
    /// [`SourceProblem::Truncated`] if the source ends before, [`SourceProblem::TooLarge`] above
    /// [`limits::RECORD`].
    fn bytes(&self, offset: u64, len: u64) -> Result<Vec<u8>, ReadError> {
        let problem = match offset.checked_add(len) {
            Some(needed) if needed <= self.size() => None,
            end => {
                Some(SourceProblem::Truncated { len: self.size(), needed: end.unwrap_or(u64::MAX) })
            }
        };
        let problem = problem.or_else(|| {
            let what = "the record".to_owned();
            let limit = limits::RECORD;
            (len > limit).then_some(SourceProblem::TooLarge { what, size: len, limit })
        });
        if let Some(problem) = problem {
            return Err(ReadError::new(self.name(), problem).at(offset));
        }
        if let Some(budget) = self.budget() {
            budget.bytes(len).map_err(|spent| spent.in_file(self.name()).at(offset))?;
        }
        let mut buffer = vec![0; len as usize];
        self.fill(offset, &mut buffer)?;
        Ok(buffer)
    }

    /// Up to `len` bytes from the start, fewer if the source is shorter: for magic numbers.
    ///
    /// # Errors
    /// Whatever the system says.
    fn head(&self, len: u64) -> Result<Vec<u8>, ReadError> {
        self.bytes(0, len.min(self.size()))
    }

    /// The whole source.
    ///
    /// # Errors
    /// [`SourceProblem::TooLarge`] above [`limits::RECORD`].
    fn all(&self) -> Result<Vec<u8>, ReadError> {
        self.bytes(0, self.size())
    }
}

impl<S: Source + ?Sized> SourceExt for S {}

/// A file on this machine.
#[derive(Debug)]
pub struct FileSource {
    name: String,
    size: u64,
    file: File,
    budget: Budget,
}

impl FileSource {
    /// Opens the file at `path`; its name is the path as given.
    ///
    /// # Errors
    /// If it cannot be opened, or is no regular file.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let (file, size) = open_regular(path)?;
        let name = path.display().to_string();
        Ok(Self { name, size, file, budget: Budget::for_size(size) })
    }

    /// A file that is open, under this name: one without a name of its own.
    ///
    /// # Errors
    /// If its size cannot be read.
    pub fn of_file(name: &str, file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        Ok(Self { name: name.to_owned(), size, file, budget: Budget::for_size(size) })
    }

    /// The open file, for whoever reads it another way.
    #[cfg(feature = "archives")]
    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

impl Source for FileSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn budget(&self) -> Option<&Budget> {
        Some(&self.budget)
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(&self.file, buffer, offset)
    }

    #[cfg(target_os = "linux")]
    fn copy_to(&self, range: Range<u64>, file: &mut File) -> io::Result<()> {
        let rest = copy::by_the_system(&self.file, range, file)?;
        copy::through_memory(self, rest, file)
    }
}

/// A source whose bytes are all in memory.
#[derive(Clone, Debug)]
pub struct BytesSource {
    name: String,
    bytes: Arc<[u8]>,
    budget: Budget,
}

impl BytesSource {
    /// A source of these bytes under this name.
    pub fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let budget = Budget::for_size(bytes.len() as u64);
        Self { name: name.into(), bytes, budget }
    }

    /// The same, of a part of a file with this budget.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }
}

impl Source for BytesSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn budget(&self) -> Option<&Budget> {
        Some(&self.budget)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.bytes.get(at..)).unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}

/// A part of another source, with a name of its own.
#[derive(Clone)]
pub struct Slice {
    name: String,
    whole: Arc<dyn Source>,
    start: u64,
    size: u64,
    budget: Budget,
}

impl Slice {
    /// The `size` bytes of `whole` from `start` on.
    ///
    /// # Errors
    /// [`SourceProblem::Truncated`] if `whole` ends before.
    pub fn new(
        name: impl Into<String>,
        whole: Arc<dyn Source>,
        start: u64,
        size: u64,
    ) -> Result<Self, ReadError> {
        match start.checked_add(size) {
            Some(end) if end <= whole.size() => {
                let budget = whole.budget_or_new();
                Ok(Self { name: name.into(), whole, start, size, budget })
            }
            end => {
                let needed = end.unwrap_or(u64::MAX);
                let problem = SourceProblem::Truncated { len: whole.size(), needed };
                Err(ReadError::new(whole.name(), problem).in_record(name).at(start))
            }
        }
    }
}

impl Source for Slice {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn budget(&self) -> Option<&Budget> {
        Some(&self.budget)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size.saturating_sub(offset);
        let n = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        match self.start.checked_add(offset) {
            Some(at) if n > 0 => self.whole.read_at(at, &mut buffer[..n]),
            _ => Ok(0),
        }
    }

    fn copy_to(&self, range: Range<u64>, file: &mut File) -> io::Result<()> {
        // What lies beyond the slice is not its own, even if the whole has it.
        if range.end > self.size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let within = |offset: u64| self.start.saturating_add(offset);
        self.whole.copy_to(within(range.start)..within(range.end), file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_ends_where_it_says_and_not_where_the_whole_does() {
        let whole: Arc<dyn Source> = Arc::new(BytesSource::new("w", b"0123456789".to_vec()));
        let slice = Slice::new("s", whole.clone(), 2, 3).unwrap();
        assert_eq!(slice.all().unwrap(), b"234");
        assert!(slice.bytes(1, 3).is_err());
        assert!(Slice::new("s", whole, 8, 3).is_err());
    }

    #[test]
    fn a_length_near_the_end_of_numbers_is_an_error_not_an_overflow() {
        let source = BytesSource::new("b", b"abc".to_vec());
        assert!(source.bytes(u64::MAX, 2).is_err());
        assert!(source.bytes(1, u64::MAX).is_err());
    }
}
