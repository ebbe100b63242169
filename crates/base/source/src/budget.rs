//! Budget of a reader: what it may take of the machine for one file, whatever the file says.
//!
//! A file of some kilobytes can ask for gigabytes: by members that inflate without end, by members that share
//! their bytes, by a text of which every second byte is a statement. A limit of one record does not help
//! against many records. So every source has one [`Budget`], and whatever lies in it (the members of an
//! archive, slices, slices of members) takes from the same one:
//!
//! * bytes: what is inflated or taken into memory, all records together;
//! * nodes: what is made of them: tokens of code, values of a pickle, nodes of a graph, operations of a program.
//!
//! They are counted and not timed, so a file that is refused on one machine is refused on all. What a file
//! gets grows with its size ([`Budget::for_size`]); [`set_scale`] multiplies it for who trusts a file.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{ReadError, SourceProblem};

/// What a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Bytes that are inflated or taken into memory.
    Bytes,
    /// Values that are made of them.
    Nodes,
}

impl Resource {
    /// As messages name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Nodes => "nodes",
        }
    }

    /// What the smallest file gets, and what each byte of a file adds in 64ths.
    fn allowance(self) -> (u64, u64) {
        match self {
            // Text inflates to ten times its size, a shared object to four.
            Self::Bytes => (64 << 20, 20 * 64),
            // The densest real files (lists in JSON and in pickles) have a node every sixteen bytes.
            Self::Nodes => (400_000, 4),
        }
    }
}

/// A budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "over the budget of {limit} {} for one file; if you trust the file, raise the budget (`--budget {}`)",
    resource.as_str(),
    scale().saturating_mul(4)
)]
pub struct Exhausted {
    /// The resource whose limit was reached.
    pub resource: Resource,
    /// How many there were.
    pub limit: u64,
}

impl Exhausted {
    /// As an error of a reader, without a place yet.
    pub fn in_file(self, file: impl Into<String>) -> ReadError {
        ReadError::new(file, SourceProblem::Budget(self))
    }
}

/// By how much all budgets are multiplied.
static SCALE: AtomicU64 = AtomicU64::new(1);

/// Multiplies every budget that is made from now on, for who trusts the files. Once, at the start of a program.
pub fn set_scale(scale: u64) {
    SCALE.store(scale.max(1), Ordering::Relaxed);
}

/// By how much budgets are multiplied.
pub fn scale() -> u64 {
    SCALE.load(Ordering::Relaxed)
}

/// How many files were opened, and how many bytes they have.
static OPENED: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// The most bytes of one file that count as opened: of a sparse file the size says nothing.
const COUNTED: u64 = 1 << 30;

/// Counts a file that is opened, or something else of that size which a process was asked to look at.
pub fn count_file(size: u64) {
    OPENED[0].fetch_add(1, Ordering::Relaxed);
    OPENED[1].fetch_add(size.min(COUNTED), Ordering::Relaxed);
}

/// How many files this process has opened by this crate, and how many bytes they have together: what a process
/// may reasonably take grows with them.
pub fn opened() -> (u64, u64) {
    let [files, bytes] = &OPENED;
    (files.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed))
}

/// What one file may take. A clone is the same budget.
#[derive(Clone)]
pub struct Budget(Arc<[Counter; 2]>);

struct Counter {
    limit: u64,
    spent: AtomicU64,
}

impl Budget {
    /// The budget of a file of so many bytes.
    pub fn for_size(size: u64) -> Self {
        let counter = |resource: Resource| {
            let (base, per_byte) = resource.allowance();
            let limit = base.saturating_add(size.saturating_mul(per_byte) / 64);
            Counter { limit: limit.saturating_mul(scale()), spent: AtomicU64::new(0) }
        };
        let all = [Resource::Bytes, Resource::Nodes];
        Self(Arc::new(all.map(counter)))
    }

    /// Takes so many.
    ///
    /// # Errors
    /// If there are not so many left. They count as taken, so that whoever passes over the error does not go
    /// on for ever.
    pub fn take(&self, resource: Resource, count: u64) -> Result<(), Exhausted> {
        let counter = &self.0[resource as usize];
        let before = counter.spent.fetch_add(count, Ordering::Relaxed);
        if before.saturating_add(count) <= counter.limit {
            return Ok(());
        }
        // Far from where the counter would begin anew.
        counter.spent.store(counter.limit.saturating_add(1), Ordering::Relaxed);
        Err(Exhausted { resource, limit: counter.limit })
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// As [`Budget::take`].
    pub fn bytes(&self, count: u64) -> Result<(), Exhausted> {
        self.take(Resource::Bytes, count)
    }

    /// Takes nodes.
    ///
    /// # Errors
    /// As [`Budget::take`].
    pub fn nodes(&self, count: u64) -> Result<(), Exhausted> {
        self.take(Resource::Nodes, count)
    }

    /// How many are left.
    pub fn left(&self, resource: Resource) -> u64 {
        let counter = &self.0[resource as usize];
        counter.limit.saturating_sub(counter.spent.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left = |resource| self.left(resource);
        f.debug_struct("Budget")
            .field("bytes_left", &left(Resource::Bytes))
            .field("nodes_left", &left(Resource::Nodes))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared_by_its_clones_and_grows_with_the_file() {
        let small = Budget::for_size(0);
        let limit = small.left(Resource::Nodes);
        small.clone().nodes(limit).unwrap();
        let spent = small.nodes(1).unwrap_err();
        assert_eq!(spent, Exhausted { resource: Resource::Nodes, limit });
        assert!(spent.to_string().starts_with(&format!("over the budget of {limit} nodes")));
        // What was refused stays refused, and the others are not touched.
        assert!(small.nodes(1).is_err());
        assert!(small.bytes(1).is_ok());
        assert!(Budget::for_size(1 << 30).left(Resource::Nodes) > limit);
    }

    #[test]
    fn no_count_begins_a_budget_anew() {
        let budget = Budget::for_size(u64::MAX);
        for _ in 0..4 {
            assert!(budget.nodes(1).is_ok());
        }
        let budget = Budget::for_size(10);
        for _ in 0..4 {
            assert!(budget.nodes(u64::MAX).is_err());
        }
    }
}
