//! SQLite, which comes with the program.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, ToSql, params_from_iter};

use super::database::{Database, DatabaseRow, SqlValue, StoreError, TransactionBody};

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long is waited before something is tried again for which SQLite does not wait.
const PAUSE: Duration = Duration::from_millis(10);

/// How many statements are kept ready.
const STATEMENTS: usize = 64;

/// A connection to a SQLite database.
pub struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// The database in the file at `path`, which is made if it is not there. Readers do not wait for a writer
    /// (write-ahead log), and what was committed survives a loss of power. One that is made can be read by its owner only.
    ///
    /// # Errors
    /// If it cannot be opened or is no database.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        make_private(path);
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        write_ahead(&connection)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(Self::ready(connection))
    }

    /// A database that ends with its connection.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::ready(Connection::open_in_memory()?))
    }

    fn ready(connection: Connection) -> Self {
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Self { connection }
    }
}

/// Makes the file of a new database, for its owner only: digests of tokens stand in it, and who did what. SQLite gives its
/// other files the permissions of this one. One that is there stays as it is.
fn make_private(path: &Path) {
    // `:memory:` and addresses of SQLite's own are no files.
    let is_file =
        path.to_str().is_none_or(|path| !path.starts_with(':') && !path.starts_with("file:"));
    #[cfg(unix)]
    if is_file {
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut options = std::fs::OpenOptions::new();
        // What goes wrong here goes wrong again when SQLite opens it, and is told by that.
        let _ = options.write(true).create_new(true).mode(0o600).open(path);
    }
    #[cfg(not(unix))]
    let _ = is_file;
}

/// Turns the write-ahead log on. While another connection does so too, or writes the first table, SQLite says at once that
/// the database is locked, however long it is told to wait.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < PATIENCE =>
            {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(error.into()),
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::OutOfMemory
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure,
            ) => Self::Away(error.into()),
            _ => Self::Database(error.into()),
        }
    }
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn value(column: usize, value: ValueRef<'_>) -> Result<SqlValue, StoreError> {
    let wrong = |wanted| StoreError::Damaged { column, wanted };
    Ok(match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(number) => SqlValue::Integer(number),
        ValueRef::Real(_) => return Err(wrong("whole number")),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|_| wrong("text"))?;
            SqlValue::Text(text.to_owned())
        }
        ValueRef::Blob(bytes) => SqlValue::Bytes(bytes.to_vec()),
    })
}

impl Database for Sqlite {
    fn run(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.execute(params_from_iter(values))? as u64)
    }

    fn rows(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<DatabaseRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values))?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let values = (0..columns).map(|column| value(column, row.get_ref(column)?));
            all.push(DatabaseRow(values.collect::<Result<_, _>>()?));
        }
        Ok(all)
    }

    fn run_all(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch(sql)?)
    }

    fn unix_seconds(&mut self) -> Result<i64, StoreError> {
        let rows = self.rows("SELECT CAST(strftime('%s', 'now') AS INTEGER)", &[])?;
        rows.first().map_or(Ok(0), |row| row.integer(0))
    }

    fn in_one_step(&mut self, step: TransactionBody<'_>) -> Result<(), StoreError> {
        self.run_all("BEGIN IMMEDIATE")?;
        let done = step(self).and_then(|()| self.run_all("COMMIT"));
        if done.is_err() {
            // A commit that failed may have rolled back itself; then there is nothing to do.
            let _ = self.run_all("ROLLBACK");
        }
        done
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_new_database_is_its_owners_and_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fleet.db");
        let mut database = Sqlite::open(&path).unwrap();
        database.run_all("CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x')").unwrap();
        let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
        assert!(files.len() >= 3, "the database and its log: {files:?}");
        for file in &files {
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{file:?}");
        }
        drop(database);
        // Who gave it to a group meant that.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        Sqlite::open(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}
