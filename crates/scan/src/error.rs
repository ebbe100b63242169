//! Errors of a scan that could not be made. An artifact that cannot be read is no such error, but a row.

use unskew_objects::ObjectError;

/// Why a scan could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The store did not answer, or the URI is none.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// A registry did not answer, or did not take what was written back.
    #[error(transparent)]
    Registry(#[from] unskew_registries::RegistryError),
    /// What is written back could not be made.
    #[error("cannot make a report: {0}")]
    Report(String),
    /// A folder could not be read.
    #[error("cannot read {path}: {source}")]
    Folder {
        /// The path of the folder.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A runtime could not be found or read.
    #[error("{0}")]
    Runtime(String),
    /// There is no process that reads artifacts, or it does not do it.
    #[error("artifacts cannot be read: {0}")]
    Process(String),
    /// A shard is written in another way.
    #[error("a shard is written I/N with I from 1 to N, such as 3/16, not {0}")]
    Shard(String),
    /// The table was begun with another question.
    #[error(
        "{table} was begun with another question ({what}); give it another folder: was {was}, now {now}"
    )]
    OtherQuestion {
        /// The folder of the table.
        table: String,
        /// Which part of the question differs.
        what: &'static str,
        /// How the table was begun.
        was: String,
        /// What is asked now.
        now: String,
    },
    /// A part of the table cannot be read.
    #[error("{part} is no part of a table of this kind; remove it and scan again: {why}")]
    Part {
        /// The path of the Parquet file.
        part: String,
        /// What keeps it from being read.
        why: String,
    },
    /// Somebody else writes the same part.
    #[error("{0} has just been written by another scan of the same shard; end one of the two")]
    Taken(String),
    /// The part could not be made.
    #[error("cannot make a part of the table: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A query is wrong, or the table that it asks cannot be read.
    #[error("cannot answer: {0}")]
    Query(String),
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
}
