//! Removal of what nothing refers to.
//!
//! [`Fleet::prune`] retires versions if that is wanted, marks the artifacts that nothing refers to any more, and takes
//! those out of the depot that were marked some days ago. An artifact that is marked is in no decision from then on;
//! whoever was told of it before can still fetch it for as long. One that is published or made again is no longer
//! marked. `store::unused` says why a process may end anywhere in between.
//!
//! Decisions about the past still name what was delivered then, though it may be gone.

use unskew_core::Date;

use crate::store::{Retire, Retired, StoreError};
use crate::{Digest, Fleet, FleetError};

/// What is taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prune {
    /// The versions that are retired first.
    pub retire: Retire,
    /// How many days an artifact stays in the depot after it was marked.
    pub grace: u32,
    /// Whether it is only said what would be done.
    pub dry_run: bool,
}

/// What was or would be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Versions that were retired.
    pub retired: Vec<Retired>,
    /// Artifacts that were marked, with their bytes; 0 for those that the database does not know, because
    /// whoever brought them did not come to an end.
    pub marked: Vec<(Digest, u64)>,
    /// Artifacts that were taken out of the depot.
    pub removed: Vec<(Digest, u64)>,
    /// How many are marked and still there.
    pub waiting: usize,
    /// What writers left behind that did not come to an end.
    pub swept: usize,
}

impl Fleet {
    /// Takes away what nothing refers to.
    ///
    /// # Errors
    /// If the database or the depot cannot be read or written. Whatever was done until then is whole; the next
    /// call goes on.
    pub fn prune(&mut self, prune: &Prune, day: Date) -> Result<Pruned, FleetError> {
        let (today, dry) = (day.to_string(), prune.dry_run);
        let judge = self.judge().fingerprint.clone();
        let there = self.depot().digests()?;
        let retired = self.store().retire(&prune.retire, &today, dry)?;
        let rehearsal = dry.then_some(&prune.retire);
        let marked = self.store().doom(&judge, &there, &today, rehearsal)?;
        let due = jiff::Span::new().try_days(prune.grace);
        // A grace that is longer than the calendar never ends.
        let due = due.map_or(Date::MIN, |grace| day.saturating_sub(grace)).to_string();
        let (due, mut waiting) = self.store().doomed(&due)?;
        let mut pruned = Pruned { retired, marked, ..Pruned::default() };
        if dry {
            waiting += pruned.marked.len();
            let more = if prune.grace == 0 { pruned.marked.clone() } else { Vec::new() };
            pruned.removed = due.into_iter().chain(more).collect();
            pruned.waiting = waiting.saturating_sub(pruned.removed.len());
            return Ok(pruned);
        }
        let depot = self.depot().clone();
        for (digest, size) in due {
            let mut failure = None;
            let mut remove = || {
                depot.remove(&digest).map_err(|error| {
                    failure = Some(error);
                    StoreError::Database("the depot does not let it go".into())
                })
            };
            let done = self.store().execute(&digest, &mut remove);
            if let Some(error) = failure {
                return Err(error);
            }
            waiting -= 1;
            if done? {
                pruned.removed.push((digest, size));
            }
        }
        pruned.waiting = waiting;
        pruned.swept = depot.sweep()?;
        Ok(pruned)
    }
}
