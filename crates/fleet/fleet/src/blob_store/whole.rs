//! A file that is read as a whole, and held against its digest on the way.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use unskew_source::{Budget, Source};

use crate::Digest;

/// A source whose last byte comes only if all bytes, read one after the other, are those of a digest. Reads
/// elsewhere are passed on as they are.
pub(super) struct Whole {
    inner: Arc<dyn Source>,
    digest: Digest,
    /// What was read in a row from the first byte on, and how much that is.
    seen: Mutex<(Sha256, u64)>,
}

impl Whole {
    pub(super) fn new(inner: Arc<dyn Source>, digest: Digest) -> Self {
        Self { inner, digest, seen: Mutex::new((Sha256::new(), 0)) }
    }
}

impl Source for Whole {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn size(&self) -> u64 {
        self.inner.size()
    }

    fn budget(&self) -> Option<&Budget> {
        self.inner.budget()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read_at(offset, buffer)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if offset == seen.1 && n > 0 {
            seen.0.update(&buffer[..n]);
            seen.1 += n as u64;
            if seen.1 == self.inner.size() && Digest::finish(seen.0.clone()) != self.digest {
                let what = format!("no longer what it was, which is {}", self.digest);
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::{BytesSource, SourceExt as _};

    #[test]
    fn what_is_not_what_its_digest_says_is_not_read_to_its_end() {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("x", b"weights".to_vec()));
        let right = Whole::new(source.clone(), Digest::sha256(b"weights"));
        assert_eq!(right.bytes(0, 3).unwrap(), b"wei");
        assert_eq!(right.bytes(3, 4).unwrap(), b"ghts");
        let wrong = Whole::new(source, Digest::sha256(b"weighty"));
        assert_eq!(wrong.bytes(0, 3).unwrap(), b"wei");
        let error = wrong.bytes(3, 4).unwrap_err().to_string();
        assert!(error.contains("no longer what it was"), "{error}");
    }
}
