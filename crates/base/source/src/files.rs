//! The files of one side of a comparison, read.

use std::collections::BTreeMap;

/// How many bytes a text may have that is taken apart: a header, a format, a history. The largest real ones have
/// a third of it.
pub const LARGEST_TEXT: usize = 4 << 20;

/// Files of one side, by their paths below its root; the separator is `/`.
///
/// ```
/// let files: unskew_source::Files = [("api/thing.h", "struct Thing;")].into_iter().collect();
/// assert_eq!(files.get("api/thing.h"), Some(b"struct Thing;".as_slice()));
/// assert_eq!(files.text("api/thing.h"), Ok("struct Thing;"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    by_name: BTreeMap<String, Vec<u8>>,
}

impl Files {
    /// Adds a file, or puts another in its place.
    pub fn insert(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.by_name.insert(name.into(), bytes);
    }

    /// The bytes of a file.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.by_name.get(name).map(Vec::as_slice)
    }

    /// The text of a file.
    ///
    /// # Errors
    /// If there is no such file, or it is not UTF-8.
    pub fn text(&self, name: &str) -> Result<&str, NotRead> {
        let bytes = self.get(name).ok_or_else(|| NotRead::new(name, "no such file"))?;
        std::str::from_utf8(bytes).map_err(|error| NotRead::new(name, error.to_string()))
    }

    /// Refuses files that nobody writes by hand.
    ///
    /// # Errors
    /// For the first text of more than [`LARGEST_TEXT`] bytes.
    pub fn check_sizes(&self) -> Result<(), NotRead> {
        match self.iter().find(|(_, bytes)| bytes.len() > LARGEST_TEXT) {
            None => Ok(()),
            Some((name, bytes)) => {
                let size = bytes.len();
                let why = format!(
                    "{size} bytes, over the budget of {LARGEST_TEXT} bytes for one text; split the file"
                );
                Err(NotRead::new(name, why))
            }
        }
    }

    /// Every file with its path, in the order of the paths.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &[u8])> {
        self.by_name.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// The paths, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

impl<N: Into<String>, B: Into<Vec<u8>>> FromIterator<(N, B)> for Files {
    fn from_iter<I: IntoIterator<Item = (N, B)>>(files: I) -> Self {
        let files = files.into_iter().map(|(name, bytes)| (name.into(), bytes.into()));
        Self { by_name: files.collect() }
    }
}

/// What could not be read, so that the check was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {why}")]
pub struct NotRead {
    /// The file, by its path below the root; empty if it is about all of them.
    pub file: String,
    /// The cause, with the value in question.
    pub why: String,
}

impl NotRead {
    /// Says why a file could not be read.
    pub fn new(file: impl Into<String>, why: impl Into<String>) -> Self {
        Self { file: file.into(), why: why.into() }
    }
}
