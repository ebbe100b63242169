//! Checking a plug-in: does it do what the interface says?
//!
//! [`conform`] makes every check in a child process, because a plug-in may crash, abort or block in
//! any call. Checks share a child for speed; one that ends the child is a result, and a new child goes
//! on with the next. Those that announce wrong sizes have a child of their own, of which a copy asks
//! each question. A check has a time limit of its own, and all of them share a clock.
//!
//! What a check can find is a [`CheckOutcome`]: a plug-in that says UNIMPLEMENTED is no faulty one, and
//! what could not be checked is no pass. [`spans`] combines what was found with what is known of hosts:
//! which of them can use the plug-in, and what the others lack.
//!
//! ```
//! use std::process::Command;
//! use std::time::Duration;
//! use unskew_pjrt::Probe;
//! use unskew_abi::sandbox::Confinement;
//! use unskew_pjrt::conform::conform;
//!
//! // Where no child can be started, nothing passes but what the probe has seen.
//! let probe = Probe { minor: 81, version_size: 24, table_size: 984, ..Probe::default() };
//! let sandbox = Confinement::Sandbox;
//! let found = conform(&probe, &|_, _| Command::new("/nowhere"), Duration::from_secs(1), sandbox);
//! assert_eq!((found.count("crashed"), found.count("fail")), (0, 0));
//! assert!(found.count("not run") > 100);
//! ```

mod array;
mod bench;
mod check_outcome;
mod checks;
mod child;
mod device;
mod errors;
mod event;
mod executable;
mod execute;
mod extensions;
mod hosts;
mod layouts;
mod oracle;
mod program;
mod report;
mod seen;
mod sizes;
mod topology;
mod transfer;

use std::process::Command;

pub use check_outcome::CheckOutcome;
pub use child::conform_child_main;
pub(crate) use child::last_words;
pub use hosts::{HostRange, HostUsage, spans};
pub use oracle::{SizeOracle, TrueSize, size_oracle};
pub use report::{CheckResult, Conformance};
pub use sizes::{SizeAnnouncement, SizePolicy};

use unskew_abi::sandbox::{Confinement, TimeLimits};

use crate::probe::Probe;

/// Makes every check of a plug-in of which `probe` was seen. `command(from, to)` must end up in
/// [`conform_child_main`] with the plug-in's path and these numbers. A check gets the time of one answer; those that are not
/// reached before the clock of the whole is over are not run.
pub fn conform(
    probe: &Probe,
    command: &dyn Fn(usize, usize) -> Command,
    limits: impl Into<TimeLimits>,
    confinement: Confinement,
) -> Conformance {
    let mut rows = seen::rows(probe);
    let outcomes = child::run_all(command, limits.into(), confinement);
    let made = checks::checks().iter().zip(outcomes);
    rows.extend(made.map(|(check, outcome)| CheckResult {
        group: check.group,
        name: check.name.to_owned(),
        outcome,
    }));
    Conformance::new(probe, rows)
}
