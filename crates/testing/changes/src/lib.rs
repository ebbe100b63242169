//! Runs of single operators in releases of a framework, and between which of them their results changed.
//!
//! A probe runs the same calls in every release and says what each gave as text ([`FormOutcome`]); [`life`] follows one run from
//! release to release, [`RecordedRuns`] keeps what was told. Rounding is no change ([`difference`]). `crates/testing/torch` and `lab/tensorflow` make
//! the calls, and rows of data of what changed.
//!
//! ```
//! use unskew_changes::{FormOutcome, life};
//! use unskew_core::Version;
//!
//! let told = [FormOutcome::read("float[2]1 2"), FormOutcome::read("!no kernel"), FormOutcome::read("float[2]1 3")];
//! let releases = [1, 2, 3].map(|minor| Version::pair(2, minor));
//! let all: Vec<(Version, &FormOutcome)> = releases.into_iter().zip(&told).collect();
//! let life = life(&all, 0).unwrap();
//! assert_eq!(life.trajectory.to_string(), "2.2 raises, 2.3 works, 2.3 values");
//! ```
#![forbid(unsafe_code)]

mod form_outcome;
mod recorded_runs;
mod trajectory;

pub use form_outcome::{FormOutcome, RunOutcome};
pub use recorded_runs::{RecordedRuns, RunPosition, SEEDS, mark_unsteady, table_row, unsteady};
pub use trajectory::{RunLifetime, Trajectory, difference, life};
pub use unskew_definitions::ChangeEffect;

/// The folder, from the root of the repository, with the numbers that probes call operators with: for `PYTHONPATH`.
pub const NUMBERS: &str = "crates/testing/changes/probes";
