//! Outputs made of ranges of their input and of new bytes.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::sync::Arc;

use crate::{ReadError, Source, SourceProblem};

/// What one piece is made of.
enum Content {
    New(Arc<[u8]>),
    /// The bytes of a source from an offset on.
    Copied(Arc<dyn Source>, u64),
}

struct Piece {
    start: u64,
    size: u64,
    content: Content,
}

/// A piece of an [`Assembly`].
pub enum AssemblyPiece<'a> {
    /// Bytes that are not in the source.
    New(&'a [u8]),
    /// The bytes of a source in a range.
    Copied(&'a Arc<dyn Source>, Range<u64>),
}

/// An output that mostly stands in its input already: new bytes, and ranges to be copied.
///
/// It is a [`Source`] itself, so the result of a conversion can be read and judged before a byte of it is
/// written, and it costs no more memory than what is new in it. [`Assembly::write`] lets the system copy
/// ranges of files from file to file.
///
/// ```
/// use std::sync::Arc;
/// use unskew_source::{Assembly, BytesSource, Source, SourceExt};
///
/// let input: Arc<dyn Source> = Arc::new(BytesSource::new("in", b"old weights".to_vec()));
/// let mut output = Assembly::new("out");
/// output.push_bytes(b"new".to_vec());
/// output.push_copy(&input, 3..input.size()).unwrap();
/// assert_eq!(output.all().unwrap(), b"new weights");
/// ```
pub struct Assembly {
    name: String,
    pieces: Vec<Piece>,
    size: u64,
}

impl Assembly {
    /// An empty output, which errors and findings call `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), pieces: Vec::new(), size: 0 }
    }

    /// The whole of `source` as it is, under its own name.
    pub fn from_source(source: &Arc<dyn Source>) -> Self {
        let mut whole = Self::new(source.name());
        whole.push(source.size(), Content::Copied(source.clone(), 0));
        whole
    }

    /// Appends bytes that are not in the source.
    pub fn push_bytes(&mut self, bytes: impl Into<Arc<[u8]>>) {
        let bytes = bytes.into();
        self.push(bytes.len() as u64, Content::New(bytes));
    }

    /// Adds the bytes of `source` in `range`.
    ///
    /// # Errors
    /// [`SourceProblem::Truncated`] if `source` ends before, [`SourceProblem::Malformed`] if the range ends before it
    /// begins.
    pub fn push_copy(
        &mut self,
        source: &Arc<dyn Source>,
        range: Range<u64>,
    ) -> Result<(), ReadError> {
        let problem = match range.end.checked_sub(range.start) {
            None => SourceProblem::Malformed("a range that ends before it begins".into()),
            Some(_) if range.end > source.size() => {
                SourceProblem::Truncated { len: source.size(), needed: range.end }
            }
            Some(size) => {
                self.push(size, Content::Copied(source.clone(), range.start));
                return Ok(());
            }
        };
        Err(ReadError::new(source.name(), problem).at(range.start))
    }

    fn push(&mut self, size: u64, content: Content) {
        if size > 0 {
            self.pieces.push(Piece { start: self.size, size, content });
            self.size = self.size.saturating_add(size);
        }
    }

    /// What it is made of, from the first byte to the last.
    pub fn pieces(&self) -> impl Iterator<Item = AssemblyPiece<'_>> {
        self.pieces.iter().map(|piece| match &piece.content {
            Content::New(bytes) => AssemblyPiece::New(bytes),
            Content::Copied(source, from) => {
                AssemblyPiece::Copied(source, *from..from.saturating_add(piece.size))
            }
        })
    }

    /// Appends everything to `file`.
    ///
    /// # Errors
    /// If a source cannot be read or became shorter, or the file cannot be written.
    pub fn write(&self, file: &mut File) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        crate::copy::announce(self.size, file);
        for piece in &self.pieces {
            match &piece.content {
                Content::New(bytes) => file.write_all(bytes)?,
                Content::Copied(source, from) => source.copy_to(*from..*from + piece.size, file)?,
            }
        }
        Ok(())
    }
}

impl Source for Assembly {
    fn name(&self) -> &str {
        &self.name
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let after = self.pieces.partition_point(|piece| piece.start <= offset);
        let Some(piece) = after.checked_sub(1).and_then(|index| self.pieces.get(index)) else {
            return Ok(0);
        };
        let within = offset - piece.start;
        let left = usize::try_from(piece.size.saturating_sub(within)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        let buffer = &mut buffer[..wanted];
        match &piece.content {
            // Both fit: a piece of new bytes lies in memory, and `within` is below its length.
            Content::New(bytes) if wanted > 0 => {
                let from = within as usize;
                buffer.copy_from_slice(&bytes[from..from + wanted]);
                Ok(wanted)
            }
            Content::Copied(source, from) if wanted > 0 => source.read_at(from + within, buffer),
            Content::New(_) | Content::Copied(..) => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _};

    use proptest::prelude::*;

    use super::*;
    use crate::{BytesSource, FileSource, SourceExt as _};

    #[test]
    fn a_range_beyond_the_source_is_refused_when_it_is_added() {
        let input: Arc<dyn Source> = Arc::new(BytesSource::new("in", b"abc".to_vec()));
        let mut output = Assembly::new("out");
        assert!(output.push_copy(&input, 1..4).is_err());
        assert!(output.push_copy(&input, Range { start: 2, end: 1 }).is_err());
        assert_eq!(output.size(), 0);
    }

    #[test]
    fn a_file_that_shrinks_while_it_is_copied_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in");
        std::fs::write(&path, vec![7; 10_000]).unwrap();
        let input: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
        let output = Assembly::from_source(&input);
        File::options().write(true).open(&path).unwrap().set_len(10).unwrap();
        let error = output.write(&mut tempfile::tempfile().unwrap()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_is_read(
            content in proptest::collection::vec(any::<u8>(), 1..5000),
            parts in proptest::collection::vec((any::<bool>(), any::<u16>(), any::<u16>()), 0..12),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("in");
            std::fs::write(&path, &content).unwrap();
            let input: Arc<dyn Source> = Arc::new(FileSource::open(&path).unwrap());
            let mut output = Assembly::new("out");
            let mut wanted = Vec::new();
            for (new, a, b) in parts {
                let a = usize::from(a) % (content.len() + 1);
                let b = a + usize::from(b) % (content.len() + 1 - a);
                wanted.extend_from_slice(&content[a..b]);
                if new {
                    output.push_bytes(content[a..b].to_vec());
                } else {
                    output.push_copy(&input, a as u64..b as u64).unwrap();
                }
            }
            prop_assert_eq!(output.all().unwrap(), wanted.clone());
            let mut file = tempfile::tempfile().unwrap();
            output.write(&mut file).unwrap();
            file.rewind().unwrap();
            let mut written = Vec::new();
            file.read_to_end(&mut written).unwrap();
            prop_assert_eq!(written, wanted);
        }
    }
}
