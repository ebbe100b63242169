//! Limits of a table of symbols.

use super::other::Broken;

/// The most symbols, imports or needed libraries of one shared object.
pub(super) const MOST_ENTRIES: usize = 1 << 21;

/// The longest name of a symbol or library that is kept.
pub(super) const LONGEST_NAME: usize = 4096;

/// The most bytes of all names of one file, and of a file without any bytes. The exports of the largest library of
/// TensorFlow 2.20 have 96 MB.
const MOST_BYTES: u64 = 1 << 28;
const FEWEST_BYTES: u64 = 1 << 20;

/// The names of one file. Symbols may share the bytes of their names, ends in ELF and beginnings in Mach-O, and real ones
/// do: all of them together are smaller than the file. A hostile file has a million names in a million bytes.
pub(super) struct Names {
    limit: u64,
    left: u64,
}

impl Names {
    /// For a file of so many bytes.
    pub(super) fn of_file(size: u64) -> Self {
        let limit = size.saturating_mul(4).saturating_add(FEWEST_BYTES).min(MOST_BYTES);
        Self { limit, left: limit }
    }

    /// A name from a foreign table as text: cut at a sane length, with odd bytes replaced.
    ///
    /// # Errors
    /// If all names of the file are more than it can have.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Result<String, Broken> {
        // What was gone through to find its end counts, and not only what is kept of it.
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or(Broken::Names { limit: self.limit })?;
        Ok(String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_NAME)]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_share_their_bytes_end_at_a_limit_that_grows_with_the_file() {
        let many = |size: u64| {
            let mut names = Names::of_file(size);
            (0..1 << 20).take_while(|_| names.keep(&[b'a'; LONGEST_NAME]).is_ok()).count()
        };
        assert_eq!(many(0), 256);
        assert_eq!(many(1 << 20), 5 * 256);
        assert_eq!(many(u64::MAX), (MOST_BYTES as usize) / LONGEST_NAME);
        let error = Names::of_file(0).keep(&vec![b'a'; 2 << 20]).unwrap_err().to_string();
        assert!(error.contains("more than 1048576 bytes"), "{error}");
        // What is longer than a name is cut, and counts as a whole.
        let mut names = Names::of_file(0);
        assert_eq!(names.keep(&[b'a'; 5000]).unwrap().len(), LONGEST_NAME);
    }
}
