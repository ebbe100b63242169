//! Settings: where everything is, and what everybody may use.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use unskew_fleet::store::Store;
use unskew_fleet::{BlobStore, Fleet, FleetError, Inspectors};

/// What a server needs to know.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// The database: a path, or an address that [`Store`] takes.
    pub database: String,
    /// The artifacts: a folder, or an address that [`BlobStore::at`] takes.
    pub artifacts: String,
    /// What everybody may use.
    pub limits: ServiceLimits,
    /// Who reads artifacts. Without anybody the process reads them itself: a fault of a reader is then a fault of the service.
    pub inspectors: Option<Arc<Inspectors>>,
}

/// What everybody may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceLimits {
    /// How many jobs and decisions are computed at once; 0 leaves all computing to other processes.
    pub jobs: usize,
    /// How many jobs may wait or run.
    pub pending_jobs: u64,
    /// How many uploads may be open.
    pub uploads: u64,
    /// The largest artifact in bytes.
    pub artifact: u64,
    /// The largest body of a request in bytes, if it is no piece of an upload.
    pub body: usize,
    /// The largest piece of an upload in bytes.
    pub piece: u64,
    /// How many requests a second a token or an address may send.
    pub requests: u32,
    /// How many connections there may be, of whom, and how silent.
    pub connections: unskew_connections::ConnectionLimits,
    /// How long a request may take, from its head to its answer.
    pub request_time: Duration,
    /// How long a client may pause within a body.
    pub pause: Duration,
    /// How long a decision may be computed while somebody waits for it.
    pub compute_time: Duration,
    /// How long an upload may lie unfinished without a new piece.
    pub upload_age: Duration,
    /// After how long without a beat a job's owner is taken for gone.
    pub lease: Duration,
    /// How long requests and jobs have to end when the server is told to stop.
    pub grace: Duration,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        Self {
            jobs: cores,
            pending_jobs: 1000,
            uploads: 100,
            artifact: 64 << 30,
            body: 16 << 20,
            piece: 64 << 20,
            requests: 1000,
            connections: unskew_connections::ConnectionLimits::default(),
            request_time: Duration::from_secs(30),
            pause: Duration::from_secs(30),
            compute_time: Duration::from_secs(20),
            upload_age: Duration::from_secs(24 * 3600),
            lease: Duration::from_secs(15),
            grace: Duration::from_secs(10),
        }
    }
}

impl ServiceSettings {
    /// Everything in one folder, as [`Fleet::open`] has it.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            database: folder.join("fleet.db").display().to_string(),
            artifacts: folder.join("artifacts").display().to_string(),
            limits: ServiceLimits::default(),
            inspectors: None,
        }
    }

    /// A fleet with a connection of its own.
    ///
    /// # Errors
    /// If the database or the artifacts are out of reach.
    pub fn open(&self) -> Result<Fleet, FleetError> {
        Ok(Fleet::over(Store::open(&self.database)?, BlobStore::at(&self.artifacts)?))
    }
}
