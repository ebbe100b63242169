//! PostgreSQL, for several processes behind one database.
//!
//! What the trait asks for is what SQLite does anyhow; here it has to be arranged:
//!
//! * **A step** is a serializable transaction. Where the server finds that two of them cannot stand one after the other
//!   it ends one, which is then done again, [`ATTEMPTS`] times at most with growing pauses.
//! * **Texts** have the order of their bytes (`COLLATE "C"`, which is put into the statements that make tables), so
//!   that lists have the same order on every server and on SQLite.
//! * **A server that goes away** takes the statement in flight with it, which fails with [`StoreError::Away`]; a step
//!   is then undone by the server. The next call connects again. Nothing is sent twice that may have been done.
//!
//! Statements are prepared once per connection. The calls wait, so they belong on threads that may: a
//! thread of a pool for such work (`spawn_blocking`), not one that drives futures.

mod link;
mod value;

use std::time::Duration;

use postgres::error::SqlState;

use super::database::{Database, DatabaseRow, SqlValue, StoreError, TransactionBody};
use link::{Address, Link};

/// How often a step is tried that clashes with others.
const ATTEMPTS: u32 = 14;

/// After how many attempts a step gets in line.
const FREE: u32 = 3;

/// The line of those whose steps clashed several times, so that they do not clash with each other again. The number
/// means nothing, and is nobody else's.
const QUEUE: &str = "SELECT pg_advisory_lock(7163094512)";
const LEAVE: &str = "SELECT pg_advisory_unlock(7163094512)";

/// The longest pause before the next attempt, in milliseconds.
const LONGEST_PAUSE: u64 = 128;

/// What the server says when the same again may work: two steps clash, or wait for each other, or made the same row
/// or table at the same time.
const CLASHES: [SqlState; 5] = [
    SqlState::T_R_SERIALIZATION_FAILURE,
    SqlState::T_R_DEADLOCK_DETECTED,
    SqlState::UNIQUE_VIOLATION,
    SqlState::DUPLICATE_TABLE,
    SqlState::LOCK_NOT_AVAILABLE,
];

/// What the server says when it goes, or is not there yet.
const LEAVES: [SqlState; 4] = [
    SqlState::ADMIN_SHUTDOWN,
    SqlState::CRASH_SHUTDOWN,
    SqlState::CANNOT_CONNECT_NOW,
    SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
];

/// A connection to a PostgreSQL database, made again when it is lost.
pub struct Postgres {
    address: Address,
    link: Option<Link>,
    step: InStep,
}

/// Whether a step is on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InStep {
    No,
    /// One is, and all is well.
    Yes,
    /// A statement of it failed, after which the server takes no more.
    Broken,
}

impl Postgres {
    /// The database of a URL: `postgres://USER:PASSWORD@HOST:PORT/NAME`. `?sslmode=require` encrypts and checks the
    /// server's certificate and name, against the certificates in `&sslrootcert=FILE` or those that the system
    /// trusts; without it nothing is encrypted.
    ///
    /// # Errors
    /// If the URL is none, asks for what is not kept, or nobody answers there.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let mut database = Self { address: Address::read(url)?, link: None, step: InStep::No };
        database.link()?;
        Ok(database)
    }

    /// The connection, made if there is none. In a step there is no other than that in which it began.
    fn link(&mut self) -> Result<&mut Link, StoreError> {
        if self.link.as_ref().is_some_and(Link::is_closed) {
            self.link = None;
        }
        match &mut self.link {
            Some(link) => Ok(link),
            None if self.step != InStep::No => Err(self.address.gone("the connection was lost")),
            none => Ok(none.insert(self.address.connect()?)),
        }
    }

    /// Does something with the connection, and lets go of it if it is lost.
    fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Link) -> Result<T, postgres::Error>,
    ) -> Result<T, StoreError> {
        let done = self.link().map(|link| work(link).map_err(|error| (link.is_closed(), error)));
        let done = match done {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err((closed, error))) => Err(self.refused(closed, &error)),
            Err(error) => Err(error),
        };
        if self.step == InStep::Yes {
            self.step = InStep::Broken;
        }
        done
    }

    /// What an error means, and what follows for the connection.
    fn refused(&mut self, closed: bool, error: &postgres::Error) -> StoreError {
        let among = |codes: &[SqlState]| error.code().is_some_and(|code| codes.contains(code));
        let said = said(error);
        if closed || error.is_closed() || among(&LEAVES) || is_io(error) {
            self.link = None;
            self.address.gone(said)
        } else if error.code() == Some(&SqlState::DISK_FULL) {
            StoreError::Full(said.into())
        } else if among(&CLASHES) {
            StoreError::Clash(said)
        } else {
            StoreError::Database(said.into())
        }
    }

    /// One attempt at a step.
    fn attempt(&mut self, step: TransactionBody<'_>) -> Result<(), StoreError> {
        self.begin()?;
        self.step = InStep::Yes;
        let mut done = step(self);
        if done.is_ok() && self.step == InStep::Broken {
            done = Err(StoreError::Database("a step went on after a statement that failed".into()));
        }
        // Still in the step, so that neither of the two is sent over a new connection.
        if done.is_ok() {
            done = self.with(|link| link.send("COMMIT"));
        }
        if done.is_err() && self.link.is_some() {
            // If this fails too, the connection is gone, and the server undoes the step itself.
            let _ = self.with(|link| link.send("ROLLBACK"));
        }
        self.step = InStep::No;
        done
    }

    /// Begins a step. A connection that was lost since the last call is noticed here, where nothing was done yet.
    fn begin(&mut self) -> Result<(), StoreError> {
        const BEGIN: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE";
        match self.with(|link| link.send(BEGIN)) {
            Err(StoreError::Away(_)) => self.with(|link| link.send(BEGIN)),
            done => done,
        }
    }
}

impl Database for Postgres {
    fn run(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError> {
        self.with(|link| link.run(sql, values))
    }

    fn rows(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<DatabaseRow>, StoreError> {
        let rows = self.with(|link| link.rows(sql, values))?;
        rows.iter().map(value::row).collect()
    }

    fn unix_seconds(&mut self) -> Result<i64, StoreError> {
        // Not `now()`, which is when the transaction began.
        let sql = "SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT)";
        let rows = self.rows(sql, &[])?;
        rows.first().map_or(Ok(0), |row| row.integer(0))
    }

    fn run_all(&mut self, sql: &str) -> Result<(), StoreError> {
        let sql = ordered_by_bytes(sql);
        self.with(|link| link.send(&sql))
    }

    fn in_one_step(&mut self, step: TransactionBody<'_>) -> Result<(), StoreError> {
        let mut queued = false;
        let mut attempt = 1;
        let done = loop {
            match self.attempt(step) {
                Err(StoreError::Clash(said)) if attempt >= ATTEMPTS => {
                    let what = format!("others change the same again and again ({said})");
                    break Err(self.address.gone(what));
                }
                Err(StoreError::Clash(_)) => pause(attempt),
                done => break done,
            }
            attempt += 1;
            if attempt > FREE && !queued {
                // Out of luck several times: one after the other with all who are.
                queued = self.with(|link| link.send(QUEUE)).is_ok();
            }
        };
        if queued && self.link.is_some() {
            // A connection that is lost leaves the queue by that.
            let _ = self.with(|link| link.send(LEAVE));
        }
        done
    }
}

/// Waits a little, longer after every attempt, and not as long as others who wait for the same.
fn pause(attempt: u32) {
    let most = (1_u64 << attempt.min(7)).min(LONGEST_PAUSE);
    // A new hasher has keys of its own.
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), attempt);
    std::thread::sleep(Duration::from_micros(500 * most + random % (1000 * most)));
}

/// Statements that make columns of texts, with the order of SQLite: that of the bytes.
fn ordered_by_bytes(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    for (at, piece) in sql.split(" TEXT").enumerate() {
        let word_ends = !piece.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        match (at, word_ends) {
            (0, _) => {}
            (_, true) => text.push_str(" TEXT COLLATE \"C\""),
            (_, false) => text.push_str(" TEXT"),
        }
        text.push_str(piece);
    }
    text
}

/// What went wrong, in one line: what the server says with its code, or what the system says.
fn said(error: &postgres::Error) -> String {
    if let Some(own) = error.as_db_error() {
        let detail = own.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        return format!("{}{detail} ({})", own.message(), own.code().code());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

/// Whether the way to the server is broken.
fn is_io(error: &postgres::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        if inner.is::<std::io::Error>() {
            return true;
        }
        cause = inner.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::ordered_by_bytes;

    #[test]
    fn only_columns_of_texts_get_an_order() {
        let sql =
            "CREATE TABLE t (\n a TEXT PRIMARY KEY,\n b TEXT,\n c TEXTURE, text BYTEA NOT NULL)";
        let ordered = ordered_by_bytes(sql);
        let order = "TEXT COLLATE \"C\"";
        assert!(ordered.contains(&format!("a {order} PRIMARY KEY")), "{ordered}");
        assert!(ordered.contains(&format!("b {order},")) && ordered.contains("c TEXTURE"));
        assert_eq!(ordered.matches(order).count(), 2);
    }
}
