//! Fleets with a connection each, lent to one request at a time.
//!
//! The library waits for its database; requests do not wait on the threads that drive the network. A fleet whose database
//! failed is closed, and the next one who asks opens another: a database that was away is found again when
//! it is back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use unskew_fleet::store::Store;
use unskew_fleet::{BlobStore, Fleet, Inspectors, chain};

use crate::problem::{HttpProblem, ProblemKind};
use crate::settings::ServiceSettings;

/// Fleets that are lent.
pub struct FleetPool {
    database: String,
    /// One for all, so that they share the connections to an object store.
    depot: BlobStore,
    /// Who reads artifacts for them.
    inspectors: Option<Arc<Inspectors>>,
    idle: Mutex<Vec<Fleet>>,
    places: Arc<Semaphore>,
    patience: Duration,
}

impl FleetPool {
    /// A pool that lends so many at once; who waits longer than `patience` is sent away.
    pub fn new(
        settings: &ServiceSettings,
        depot: &BlobStore,
        places: usize,
        patience: Duration,
    ) -> Arc<Self> {
        let (database, depot) = (settings.database.clone(), depot.clone());
        let inspectors = settings.inspectors.clone();
        let (idle, places) = (Mutex::new(Vec::new()), Arc::new(Semaphore::new(places)));
        Arc::new(Self { database, depot, inspectors, idle, places, patience })
    }

    /// Does some work with a fleet, on a thread that may wait.
    ///
    /// # Errors
    /// That of the work; if the database is out of reach, or everybody else is faster for too long.
    pub async fn with<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut Fleet) -> Result<T, HttpProblem> + Send + 'static,
    ) -> Result<T, HttpProblem> {
        let busy = || {
            HttpProblem::new(ProblemKind::Unavailable, "too much to do")
                .after(Duration::from_secs(1))
        };
        let place = Arc::clone(&self.places).acquire_owned();
        let place = tokio::time::timeout(self.patience, place).await;
        let place = place.map_err(|_| busy())?.map_err(|_| busy())?;
        let pool = Arc::clone(self);
        // The work keeps its place to its end, also when nobody waits for it any more.
        let work = move || {
            let done = pool.lend(work);
            drop(place);
            done
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|_| {
            Err(HttpProblem::new(ProblemKind::Fault, "the work ended in a panic"))
        })
    }

    fn lend<T>(
        &self,
        work: impl FnOnce(&mut Fleet) -> Result<T, HttpProblem>,
    ) -> Result<T, HttpProblem> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let mut fleet = match known {
            Some(fleet) => fleet,
            None => self.open()?,
        };
        let done = work(&mut fleet);
        let sound = |problem: &HttpProblem| {
            !matches!(problem.kind, ProblemKind::Unavailable | ProblemKind::Fault)
        };
        if done.as_ref().err().is_none_or(sound) {
            idle().push(fleet);
        }
        done
    }

    /// A fleet with a new connection. Whatever keeps it from opening may be gone later.
    fn open(&self) -> Result<Fleet, HttpProblem> {
        let away = |error| HttpProblem::database_away(chain(&error));
        let store = Store::open(&self.database).map_err(away)?;
        let fleet = Fleet::over(store, self.depot.clone());
        Ok(match &self.inspectors {
            Some(inspectors) => fleet.inspected_by(Arc::clone(inspectors)),
            None => fleet,
        })
    }
}
