//! Errors of reading, with the place.

use std::fmt;

/// Why a source could not be read or is refused.
#[derive(Debug, thiserror::Error)]
pub enum SourceProblem {
    /// The system did not give the bytes.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file ends early.
    #[error("ends after {len} bytes, {needed} needed")]
    Truncated {
        /// How long it is.
        len: u64,
        /// How long it would have to be.
        needed: u64,
    },
    /// Something is larger than a real file makes it.
    #[error("{what} has {size} bytes, over the budget of {limit}")]
    TooLarge {
        /// What is too large.
        what: String,
        /// The size that the source declares, in bytes.
        size: u64,
        /// The limit of the budget.
        limit: u64,
    },
    /// Something nests deeper than a real file does.
    #[error("nests deeper than {limit} levels")]
    TooDeep {
        /// The limit of the budget.
        limit: usize,
    },
    /// It would take more than one file may.
    #[error(transparent)]
    Budget(#[from] crate::Exhausted),
    /// The bytes are not what the format says.
    #[error("{0}")]
    Malformed(String),
    /// The bytes may be right, but this version of Unskew does not read them; says what to do.
    #[error("{0}")]
    Unsupported(String),
}

/// An error of a reader: the file, the place in it, and the cause.
#[derive(Debug)]
pub struct ReadError {
    /// The file, as the user named it.
    pub file: String,
    /// The record or member in the file, if it has such.
    pub record: Option<String>,
    /// The byte in the record, or in the file if there is no record.
    pub offset: Option<u64>,
    /// The field or key.
    pub field: Option<String>,
    /// The cause. Boxed, so that a `Result` stays small.
    pub problem: Box<SourceProblem>,
}

impl ReadError {
    /// An error in `file`, without a place.
    pub fn new(file: impl Into<String>, problem: SourceProblem) -> Self {
        Self {
            file: file.into(),
            record: None,
            offset: None,
            field: None,
            problem: Box::new(problem),
        }
    }

    /// An error about bytes that are not what the format says.
    pub fn malformed(file: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(file, SourceProblem::Malformed(what.into()))
    }

    /// In this record, unless a more exact place is known already.
    #[must_use]
    pub fn in_record(mut self, record: impl Into<String>) -> Self {
        self.record.get_or_insert_with(|| record.into());
        self
    }

    /// At this byte, unless a more exact place is known already.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset.get_or_insert(offset);
        self
    }

    /// In this field, unless a more exact place is known already.
    #[must_use]
    pub fn in_field(mut self, field: impl Into<String>) -> Self {
        self.field.get_or_insert_with(|| field.into());
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(record) = &self.record {
            write!(f, ", record {record}")?;
        }
        if let Some(offset) = self.offset {
            write!(f, ", byte {offset}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ", field {field}")?;
        }
        // What a parser says may quote the file, and the file may be one long text.
        const LONGEST: usize = 2000;
        let problem = self.problem.to_string();
        match problem.char_indices().nth(LONGEST) {
            None => write!(f, ": {problem}"),
            Some((end, _)) => {
                let left = problem.len() - end;
                write!(f, ": {}... ({left} bytes more)", problem.get(..end).unwrap_or_default())
            }
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_does_not_quote_a_whole_file() {
        let error = ReadError::malformed("a.json", "\u{e9}".repeat(3000)).at(7).to_string();
        assert!(error.starts_with("a.json, byte 7: \u{e9}"), "{error}");
        assert!(error.ends_with("... (2000 bytes more)"), "{error}");
    }
}
