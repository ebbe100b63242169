//! Files that cannot be read by range: fetched once, into a temporary file, when somebody reads them.

use std::io::{self, Write};
use std::sync::OnceLock;

use unskew_source::budget::count_file;
use unskew_source::{Budget, FileSource, Source};

/// How many bytes of a file without ranges are fetched at most, unless somebody says otherwise: 1 GiB.
pub const SPOOL: u64 = 1 << 30;

/// Writes a file from its beginning to its end.
type Fetch = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + Send + Sync>;

/// A file that is fetched whole when it is read first. Its size must be known.
pub(crate) struct Spool {
    name: String,
    size: u64,
    limit: u64,
    budget: Budget,
    fetch: Fetch,
    file: OnceLock<Result<FileSource, (io::ErrorKind, String)>>,
}

impl Spool {
    /// A file of `size` bytes that `fetch` writes; it is not fetched above `limit`.
    pub(crate) fn new(
        name: String,
        size: u64,
        limit: u64,
        fetch: impl Fn(&mut dyn Write) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let budget = Budget::for_size(size);
        Self { name, size, limit, budget, fetch: Box::new(fetch), file: OnceLock::new() }
    }

    fn file(&self) -> io::Result<&FileSource> {
        let fetched = || self.fetched().map_err(|error| (error.kind(), error.to_string()));
        let file = self.file.get_or_init(fetched).as_ref();
        file.map_err(|(kind, said)| io::Error::new(*kind, said.clone()))
    }

    fn fetched(&self) -> io::Result<FileSource> {
        if self.size > self.limit {
            let said = format!(
                "the server does not answer ranges, and more than {} bytes are not fetched whole: {}",
                self.limit, self.size
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, said));
        }
        // Without a name: it lasts as long as it is open, however this process ends.
        let mut file = tempfile::tempfile()?;
        (self.fetch)(&mut Bounded { to: &mut file, left: self.size })?;
        let there = file.metadata()?.len();
        if there != self.size {
            let said = format!("{there} bytes came, it has {}", self.size);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, said));
        }
        count_file(self.size);
        FileSource::of_file(&self.name, file)
    }
}

impl Source for Spool {
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
        self.file()?.read_at(offset, buffer)
    }
}

/// Takes no more than what was announced.
pub(crate) struct Bounded<'f, W> {
    pub(crate) to: &'f mut W,
    pub(crate) left: u64,
}

impl<W: Write> Write for Bounded<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "more bytes came than it has"));
        }
        let written = self.to.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::SourceExt;

    #[test]
    fn a_file_is_fetched_once_and_only_if_it_is_read() {
        let calls = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        let seen = calls.clone();
        let spool = Spool::new("m.pt".into(), 6, SPOOL, move |out| {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            out.write_all(b"abcdef")
        });
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 0);
        assert_eq!(spool.bytes(2, 3).unwrap(), b"cde");
        assert_eq!(spool.bytes(0, 1).unwrap(), b"a");
        assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 1);
    }

    #[test]
    fn more_or_less_than_was_announced_is_an_error() {
        for text in [&b"abcdefg"[..], b"abc"] {
            let spool = Spool::new("m.pt".into(), 6, SPOOL, move |out| out.write_all(text));
            assert!(spool.bytes(0, 1).is_err());
        }
        let large = Spool::new("m.pt".into(), 6, 5, |_| Ok(()));
        assert!(large.bytes(0, 1).unwrap_err().to_string().contains("more than 5 bytes"));
    }
}
