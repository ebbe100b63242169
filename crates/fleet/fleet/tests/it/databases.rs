//! Empty databases of every kind, for tests that hold on all of them.

use unskew_fleet::store::{Database, Postgres, Sqlite, Store};
use unskew_test_servers::PostgreSql;

/// A database of its own for a test.
pub struct Place {
    address: String,
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = folder.path().join("fleet.db").to_str().unwrap().to_owned();
        Self { address, _folder: Some(folder) }
    }

    /// None, said aloud, where no PostgreSQL is installed.
    pub fn postgresql() -> Option<Self> {
        let server = PostgreSql::shared()?;
        Some(Self { address: server.database(), _folder: None })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn store(&self) -> Store {
        Store::open(&self.address).unwrap()
    }

    /// The database itself, below the store.
    pub fn database(&self) -> Box<dyn Database> {
        match self.address.starts_with("postgres:") {
            true => Box::new(Postgres::open(&self.address).unwrap()),
            false => Box::new(Sqlite::open(self.address.as_ref()).unwrap()),
        }
    }
}

/// One of each kind.
pub fn places() -> Vec<Place> {
    std::iter::once(Place::sqlite()).chain(Place::postgresql()).collect()
}
