//! Budget of a process for the files that it looks at.
//!
//! Readers have budgets of their own, which are counted, and name the place in the file ([`unskew_source::Budget`]). What
//! none of them foresees ends by this one. It grows with what was opened, so that hundreds of models in a folder are no bomb.

use std::time::Duration;

use unskew_source::budget::scale;

/// Memory of a process that opened nothing, and for each file, in bytes.
const MEMORY: (u64, u64) = (216 << 20, 4 << 20);

/// Processor time of a process that opened nothing, for each file, and for each MiB of files beyond [`FREE`].
const TIME: (Duration, Duration, Duration) =
    (Duration::from_millis(1700), Duration::from_millis(100), Duration::from_millis(60));

/// So many bytes of files give no more time: one hostile file of that size ends within 2 seconds.
const FREE: u64 = 24 << 20;

/// The most bytes of one file that count: of a sparse file the size says nothing.
const COUNTED: u64 = 1 << 30;

/// A build without optimization is so much slower.
const SLOWER: u32 = if cfg!(debug_assertions) { 20 } else { 1 };

/// What a process may take: resident memory in bytes, and processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessBudget {
    /// Resident memory in bytes.
    pub memory: u64,
    /// Processor time of all threads.
    pub time: Duration,
}

impl ProcessBudget {
    /// For so many files that have so many bytes together.
    pub fn of_files(files: u64, bytes: u64) -> Self {
        Self::with_memory(files, bytes, 6)
    }

    /// The same for a program that computes with the bytes.
    pub fn of_program(files: u64, bytes: u64) -> Self {
        Self::with_memory(files, bytes, 16)
    }

    /// For files of these sizes.
    pub fn of_sizes(sizes: impl Iterator<Item = u64>) -> Self {
        let all = sizes.fold((0_u64, 0_u64), |(files, bytes), size| {
            (files + 1, bytes.saturating_add(size.min(COUNTED)))
        });
        Self::of_files(all.0, all.1)
    }

    fn with_memory(files: u64, bytes: u64, each: u64) -> Self {
        let memory = MEMORY.0 + files.saturating_mul(MEMORY.1) + bytes.saturating_mul(each);
        let times = |each: Duration, count: u64| {
            each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
        };
        let (base, file, mib) = TIME;
        let time = base + times(file, files) + times(mib, bytes.saturating_sub(FREE) >> 20);
        Self {
            memory: memory.saturating_mul(scale()),
            time: times(time.saturating_mul(SLOWER), scale()),
        }
    }

    /// The error of whoever takes more memory.
    pub fn over_memory(&self) -> String {
        over(&format!("{} MiB of memory", self.memory >> 20))
    }

    /// The error of whoever takes more time.
    pub fn over_time(&self) -> String {
        over(&format!("{:.1} seconds of processor time", self.time.as_secs_f64()))
    }
}

fn over(what: &str) -> String {
    let more = scale().saturating_mul(4);
    format!(
        "over the budget of {what} for these files; if you trust them, raise the budget (`--budget {more}`)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_grows_with_files_and_with_what_counts_of_their_bytes() {
        let one = ProcessBudget::of_sizes([1000].into_iter());
        assert!(one.memory < 256 << 20, "{one:?}");
        let two = ProcessBudget::of_sizes([1000, 1000].into_iter());
        assert!(two.memory > one.memory && two.time > one.time);
        let sparse = ProcessBudget::of_sizes([u64::MAX].into_iter());
        assert_eq!(sparse, ProcessBudget::of_sizes([COUNTED].into_iter()));
        assert!(sparse.over_memory().contains("MiB of memory"), "{}", sparse.over_memory());
    }
}
