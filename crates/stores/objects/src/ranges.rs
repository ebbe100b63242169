//! Whatever answers requests for ranges of bytes, as a source.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use unskew_source::{Budget, Source};

use crate::blocks::Blocks;

/// A read of at least so much is a request of its own, which leaves the cache as it is.
const LARGE: usize = 512 << 10;

/// What answers requests for ranges of bytes: a store, a registry.
pub trait Ranges: Send + Sync {
    /// The bytes of a range, all of them.
    ///
    /// # Errors
    /// If they do not come.
    fn range(&self, range: Range<u64>) -> io::Result<Bytes>;
}

/// Anything that answers ranges as a [`Source`], with a small cache of blocks and reading ahead, as
/// [`Object`](crate::Object) has them.
pub struct Ranged<R> {
    name: String,
    size: u64,
    ranges: R,
    kept: BlockCache,
    budget: Budget,
}

impl<R: Ranges> Ranged<R> {
    /// A source of `size` bytes, of this name. Nothing is asked before something is read.
    pub fn new(name: impl Into<String>, size: u64, ranges: R) -> Self {
        let budget = Budget::for_size(size);
        Self { name: name.into(), size, ranges, kept: BlockCache::default(), budget }
    }
}

impl<R: Ranges> Source for Ranged<R> {
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
        self.kept.read_at(&self.ranges, self.size, offset, buffer)
    }
}

#[derive(Debug, Default)]
pub(crate) struct BlockCache(Mutex<Blocks>);

impl BlockCache {
    pub(crate) fn keep(&self, start: u64, bytes: Bytes) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keep(start, bytes);
    }

    /// Reads from what is kept, or asks for more, as [`Source::read_at`].
    pub(crate) fn read_at(
        &self,
        ranges: &impl Ranges,
        size: u64,
        offset: u64,
        buffer: &mut [u8],
    ) -> io::Result<usize> {
        let left = size.saturating_sub(offset);
        let n = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let buffer = &mut buffer[..n];
        if n == 0 {
            return Ok(0);
        }
        if n >= LARGE {
            let bytes = whole(ranges, offset..offset + n as u64)?;
            buffer.copy_from_slice(&bytes);
            return Ok(n);
        }
        // The lock is held while blocks come: whoever else reads here most likely wants the same.
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match blocks.read(offset, buffer) {
            0 => {
                let wanted = blocks.wanted(offset, size);
                let start = wanted.start;
                blocks.keep(start, whole(ranges, wanted)?);
                Ok(blocks.read(offset, buffer))
            }
            n => Ok(n),
        }
    }
}

/// The bytes of a range; an error if they are not as many.
fn whole(ranges: &impl Ranges, range: Range<u64>) -> io::Result<Bytes> {
    let wanted = range.end - range.start;
    let bytes = ranges.range(range)?;
    if bytes.len() as u64 == wanted {
        return Ok(bytes);
    }
    let said = format!("{} bytes came, {wanted} were asked for", bytes.len());
    Err(io::Error::new(io::ErrorKind::InvalidData, said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::SourceExt;

    struct Short;

    impl Ranges for Short {
        fn range(&self, range: Range<u64>) -> io::Result<Bytes> {
            let all = b"0123456789";
            Ok(Bytes::from_static(&all[range.start as usize..(range.end as usize).min(8)]))
        }
    }

    #[test]
    fn an_answer_of_another_length_is_an_error() {
        let whole = Ranged::new("r", 8, Short);
        assert_eq!(whole.bytes(3, 4).unwrap(), b"3456");
        let error = Ranged::new("r", 10, Short).bytes(3, 4).unwrap_err();
        assert!(error.to_string().contains("8 bytes came, 10 were asked for"), "{error}");
    }
}
