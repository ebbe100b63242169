//! Interface of a database: what it has to be able to do.

use crate::Digest;

/// A value that goes in or comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlValue {
    /// The value NULL of SQL.
    Null,
    /// An integer of 64 bits.
    Integer(i64),
    /// A string, which is UTF-8.
    Text(String),
    /// Bytes of any content: a blob.
    Bytes(Vec<u8>),
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&Digest> for SqlValue {
    fn from(digest: &Digest) -> Self {
        Self::Bytes(digest.as_bytes().to_vec())
    }
}

/// A row of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseRow(pub Vec<SqlValue>);

/// Why the database could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// What the database says.
    #[error("the database of the fleet: {0}")]
    Database(Box<dyn std::error::Error + Send + Sync>),
    /// The disk of the database is full; nothing was changed.
    #[error("the database of the fleet has no room: {0}")]
    Full(Box<dyn std::error::Error + Send + Sync>),
    /// The database is not to be had now, and may be later: gone, locked, or out of reach.
    #[error("the database of the fleet does not answer: {0}")]
    Away(Box<dyn std::error::Error + Send + Sync>),
    /// Something that clashes with what others do at the same time. A step is then done again.
    #[error("the database of the fleet refuses what clashes with another step: {0}")]
    Clash(String),
    /// An address of a database that is none.
    #[error("no address of a database (postgres://USER@HOST/NAME, sqlite:PATH or a path): {0}")]
    Url(String),
    /// A database that a newer Unskew made.
    #[error(
        "the database of the fleet has version {found}; this Unskew reads up to {newest}: use the Unskew that made it"
    )]
    Newer {
        /// The version that it has.
        found: i64,
        /// The newest that is known.
        newest: i64,
    },
    /// A value that cannot stand where it stands.
    #[error("the database of the fleet is damaged: column {column} is no {wanted}")]
    Damaged {
        /// The place in the row, from 0.
        column: usize,
        /// What should stand there.
        wanted: &'static str,
    },
    /// An artifact that is to be named and is not in the depot: taken away in the meantime. To be added again.
    #[error("the artifact is not in the depot, add it again: {0}")]
    Absent(Digest),
    /// The list of versions in this program is wrong.
    #[error("the versions of the database: {0}")]
    Versions(String),
}

impl DatabaseRow {
    fn value(&self, column: usize) -> &SqlValue {
        self.0.get(column).unwrap_or(&SqlValue::Null)
    }

    /// Whether nothing stands in a column.
    pub(super) fn is_null(&self, column: usize) -> bool {
        *self.value(column) == SqlValue::Null
    }

    pub(super) fn integer(&self, column: usize) -> Result<i64, StoreError> {
        match self.value(column) {
            SqlValue::Integer(number) => Ok(*number),
            _ => Err(StoreError::Damaged { column, wanted: "number" }),
        }
    }

    /// The number in a column, which is none below zero.
    pub(super) fn count(&self, column: usize) -> Result<u64, StoreError> {
        let wrong = |_| StoreError::Damaged { column, wanted: "count" };
        u64::try_from(self.integer(column)?).map_err(wrong)
    }

    pub(super) fn text(&self, column: usize) -> Result<String, StoreError> {
        self.text_or_null(column)?.ok_or(StoreError::Damaged { column, wanted: "text" })
    }

    pub(super) fn text_or_null(&self, column: usize) -> Result<Option<String>, StoreError> {
        match self.value(column) {
            SqlValue::Text(text) => Ok(Some(text.clone())),
            SqlValue::Null => Ok(None),
            _ => Err(StoreError::Damaged { column, wanted: "text" }),
        }
    }

    pub(super) fn bytes(&self, column: usize) -> Result<Vec<u8>, StoreError> {
        match self.value(column) {
            SqlValue::Bytes(bytes) => Ok(bytes.clone()),
            _ => Err(StoreError::Damaged { column, wanted: "bytes" }),
        }
    }

    pub(super) fn digest(&self, column: usize) -> Result<Digest, StoreError> {
        let bytes = self.bytes(column)?;
        Digest::from_bytes(&bytes).ok_or(StoreError::Damaged { column, wanted: "digest" })
    }
}

impl From<Option<&str>> for SqlValue {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}

/// Work that is done wholly or not at all.
pub type TransactionBody<'a> = &'a mut dyn FnMut(&mut dyn Database) -> Result<(), StoreError>;

/// A database that takes SQL with parameters `$1, $2`.
pub trait Database: Send {
    /// Runs a statement and says how many rows it changed.
    ///
    /// # Errors
    /// What the database says.
    fn run(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError>;

    /// The rows of a query.
    ///
    /// # Errors
    /// What the database says.
    fn rows(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<DatabaseRow>, StoreError>;

    /// Seconds since 1970-01-01 UTC, by the clock of the database, which is one for all who use it.
    ///
    /// # Errors
    /// What the database says.
    fn unix_seconds(&mut self) -> Result<i64, StoreError>;

    /// Runs several statements without parameters.
    ///
    /// # Errors
    /// What the database says.
    fn run_all(&mut self, sql: &str) -> Result<(), StoreError>;

    /// Does some work wholly or not at all, as if nobody else were writing in between. Where others do, the work may be
    /// done several times until once it is kept; so it changes nothing but the database, or what the last time
    /// puts right. Steps do not stand in steps.
    ///
    /// # Errors
    /// That of the work, or what the database says; then nothing has changed.
    fn in_one_step(&mut self, step: TransactionBody<'_>) -> Result<(), StoreError>;
}
